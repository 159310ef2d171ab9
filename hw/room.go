package hw

import (
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw/internal/worker"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// roomKey is what decides how many blocks of a kernel fit on an SM.
type roomKey struct {
	kernel         *device.Kernel
	threads, bytes int // threads and dynamic shared memory per block
}

// room is how many blocks of a kernel fit on an SM.
type room struct {
	perSM int
	built worker.FuncInfo
}

// noteRoom asks the driver how many blocks of a launch fit, if that may matter for one that its deadline ends: the child
// that could say so may not live then. Where each block has an SM of its own it does not matter.
func (d *Device) noteRoom(g *simt.Grid, c *code) {
	if d.opts.Deadline <= 0 || g.Blocks <= d.info.SMs {
		return
	}
	if n, err := d.blocksPerSM(c, g.Threads, g.Launch.DynamicShared); err == nil {
		if d.rooms == nil {
			d.rooms = map[roomKey]room{}
		}
		d.rooms[roomKey{g.Launch.Kernel, g.Threads, g.Launch.DynamicShared}] = room{n, c.info}
	}
}

// roomOf says that not all blocks of a launch fit on the GPU, and why; "" if they do, or if it is not known.
func (d *Device) roomOf(l device.Launch) string {
	shape := l.Shape()
	threads, blocks := shape.Threads(), shape.Blocks()
	r, ok := d.rooms[roomKey{l.Kernel, threads, l.DynamicShared}]
	if fit := r.perSM * d.info.SMs; !ok || fit == 0 || blocks <= fit {
		return ""
	}
	text := fmt.Sprintf("; %d of %d blocks fit at once, %d on each of %d SMs", r.perSM*d.info.SMs, blocks, r.perSM, d.info.SMs)
	if full := fullOf(Info(d.info), r, threads, l.DynamicShared); full != "" {
		text += ", where " + full
	}
	return text + fmt.Sprintf(": if threads wait for blocks that have not begun, launch at most %d blocks", r.perSM*d.info.SMs)
}

// fullOf names the resources of an SM that another block would not fit into; "" if the driver's number follows from none
// of them.
func fullOf(info Info, r room, threads, dynamicShared int) string {
	warps := (threads + simt.Lanes - 1) / simt.Lanes
	var list []string
	limit := func(most int, name string) {
		if most == r.perSM && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	limit(info.BlocksPerSM, "places for blocks are full")
	limit(info.ThreadsPerSM/simt.Lanes/warps, fmt.Sprintf("places for warps are full (%d threads per block)", threads))
	// Registers are allocated to warps in units of 256, in each of the SM's four parts.
	if perWarp := (r.built.Registers*simt.Lanes + 255) / 256 * 256; perWarp > 0 {
		limit(info.RegistersPerSM/4/perWarp*4/warps, fmt.Sprintf("registers are full (%d per thread, %d threads per block)", r.built.Registers, threads))
	}
	if shared := r.built.Shared + dynamicShared; shared > 0 {
		limit(info.SharedPerSM/(shared+info.ReservedShared), fmt.Sprintf("shared memory is full (%d bytes per block)", shared))
	}
	if len(list) == 0 {
		return ""
	}
	text := list[0]
	for _, more := range list[1:] {
		text += " and " + more
	}
	return text
}
