package hw

import (
	"context"
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

// BlocksPerSM returns, from the driver, how many blocks fit on an SM, with block threads each and dynamicShared bytes
// of shared memory in addition to the kernel's own.
func (d *Device) BlocksPerSM(k *device.Kernel, block, dynamicShared int) (int, error) {
	defer d.calls.Begin().End()
	c, err := d.load(context.Background(), k, !d.opts.NoReadOnlyPath, alone)
	if err != nil {
		return 0, err
	}
	return d.blocksPerSM(c, block, dynamicShared)
}

func (d *Device) blocksPerSM(c *code, block, dynamicShared int) (n int, err error) {
	key := [2]int{block, dynamicShared}
	n, ok := c.room[key]
	if ok {
		return n, nil
	}
	err = d.ask(context.Background(), "occupancy", worker.OpOccupancy, worker.OccupancyArgs{Func: c.info.Number, Block: block, DynamicShared: dynamicShared}, &n)
	if err == nil {
		c.room[key] = n
	}
	return n, err
}

// fits rejects a cooperative launch whose blocks cannot all be resident at the same time.
func (d *Device) fits(g *simt.Grid, c *code) error {
	n, err := d.blocksPerSM(c, g.Threads, g.Launch.DynamicShared)
	if err != nil {
		return err
	}
	if room := n * d.info.SMs; g.Blocks > room {
		return &device.ArgError{Kernel: g.Kernel.Name, What: fmt.Sprintf("a cooperative launch of %d blocks; %d fit on the device at the same time", g.Blocks, room)}
	}
	return nil
}
