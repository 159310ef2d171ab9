package function

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/race"
)

// Group is several functional GPUs of one host. It implements device.Group: each
// GPU reaches the memory of all. Run begins commands in the order of the list, the
// next one when the one before has ended or waits for others. It is not safe for
// concurrent use, but Close is.
//
// Data races are looked for within launches and between commands that may run at
// the same time, although they do not.
type Group struct {
	*Device // GPU 0
	gpus    []*Device
	copied  uint64     // bytes, by Command.Copy
	sent    [][]uint64 // bytes from one GPU to another, by copies and kernels
	remote  device.RemoteBytes
	bound   []*simt.Grid // the launches of Run, if races are looked for
	// unwritten is the first read of unwritten memory of Run, by command late, which
	// may be due to a race.
	unwritten *device.Fault
	late      int
	jobs      []*job // the commands of Run; nil between calls
}

var _ device.Group = (*Group)(nil)

// GroupCapabilities are the capabilities of a group of functional GPUs.
const GroupCapabilities = Capabilities | device.Peers

// NewGroup opens n GPUs as a group.
func NewGroup(n int, opts Options) (*Group, error) {
	if n < 1 {
		return nil, fmt.Errorf("a group of %d GPUs; it has at least 1", n)
	}
	if opts.Memory != nil {
		return nil, errors.New("a group has a memory of its own for each GPU; Options.Memory is for a single device")
	}
	capacities := make([]uint64, n)
	for i := range capacities {
		capacities[i] = memoryBytes
	}
	g := &Group{remote: device.RemoteBytes{}}
	for i, mem := range simt.NewMemories(capacities...) {
		mem.Track = !opts.AllowUnwritten
		opts.Memory = mem
		d := New(opts)
		d.name, d.member, d.remote = fmt.Sprintf("funcx%d#%d", n, i), true, g
		if i > 0 {
			d.race = g.gpus[0].race
		}
		g.gpus = append(g.gpus, d)
		g.sent = append(g.sent, make([]uint64, n))
	}
	g.Device = g.gpus[0]
	return g, nil
}

// Name returns "func" and the number of GPUs: "funcx2".
func (g *Group) Name() string { return fmt.Sprintf("funcx%d", len(g.gpus)) }

// Capabilities returns GroupCapabilities.
func (g *Group) Capabilities() device.Capabilities { return GroupCapabilities }

// GPUs returns the number of GPUs.
func (g *Group) GPUs() int { return len(g.gpus) }

// GPU returns a GPU.
func (g *Group) GPU(i int) device.Device {
	device.MustHaveGPU(g, i)
	return g.gpus[i]
}

// Where returns the number of the GPU that has a buffer.
func (g *Group) Where(b device.Buffer) (int, error) { return g.mem.Where(b) }

// Peer returns that each GPU reaches the memory of all.
func (g *Group) Peer(from, to int) device.Peer {
	device.MustHaveGPU(g, from)
	device.MustHaveGPU(g, to)
	return device.Peer{Copy: true, Access: true, Atomics: true}
}

// Links returns a link from each GPU to each other one, with the bytes of copies
// and the bytes that threads loaded, stored and updated. There is no time, and
// no packet: Wire and Busy are 0.
func (g *Group) Links() (links []device.LinkUse) {
	for from, row := range g.sent {
		for to, bytes := range row {
			if from != to {
				links = append(links, device.LinkUse{From: fmt.Sprintf("GPU %d", from), To: fmt.Sprintf("GPU %d", to), Bytes: bytes})
			}
		}
	}
	return links
}

// RemoteUses returns what was moved between GPUs; see device.RemoteUse.
func (g *Group) RemoteUses() []device.RemoteUse { return g.remote.Uses() }

// Total returns the sum over all GPUs so far.
func (g *Group) Total() *device.Report {
	sum := g.gpus[0].Total()
	for _, d := range g.gpus[1:] {
		r := d.Total()
		sum.Launches += r.Launches
		for i, c := range r.Counters {
			sum.Counters[i].Value += c.Value
		}
	}
	sum.Counters = append(sum.Counters, counter.Reported(device.BytesCopied, float64(g.copied)))
	return sum
}

// Close frees the memory of all GPUs.
func (g *Group) Close() error {
	g.mem.Close(func() {
		for _, d := range g.gpus {
			d.drop()
		}
	})
	return nil
}

// Run does the commands; see device.Group.
func (g *Group) Run(ctx context.Context, cmds []device.Command) ([]device.Timing, error) {
	defer g.mem.Begin().End()
	ctx = g.mem.During(ctx)
	times := make([]device.Timing, len(cmds))
	if g.mem.Closed() {
		return times, fmt.Errorf("run on %s: %w", g.Name(), device.ErrClosed)
	}
	if err := device.CheckCommands(g, cmds); err != nil {
		return times, err
	}
	if g.race == nil {
		return times, g.doAll(ctx, cmds, times)
	}
	if err := g.beginRaces(cmds); err != nil {
		return times, err
	}
	err := g.doAll(ctx, cmds, times)
	if raced := g.race.End(); err == nil && !raced && g.unwritten != nil {
		err = cmds[g.late].Failed(g.late, g.unwritten)
	}
	return times, err
}

// beginRaces tells the race detector which commands begin. Errors of launches are
// left to these.
func (g *Group) beginRaces(cmds []device.Command) error {
	g.bound, g.unwritten = make([]*simt.Grid, len(cmds)), nil
	for i := range cmds {
		if l := cmds[i].Launch; l != nil {
			g.bound[i], _ = g.gpus[cmds[i].GPU].bind(*l)
		}
	}
	return g.race.BeginCommands(race.GroupCommands(g.mem, cmds, g.bound, nil))
}

func (g *Group) copyBetween(c device.Copy) error {
	if err := g.mem.Copy(c); err != nil {
		return err
	}
	from, _ := g.Where(c.Src) // it exists, since Copy found it
	to, _ := g.Where(c.Dst)
	n := uint64(c.Src.Bytes())
	g.copied += n
	g.sent[from][to] += n
	if from != to {
		g.remote[c.Dst.Name] += n
	}
	return nil
}

// accessed counts the bytes that a launch on GPU gpu moved between GPUs by
// accesses whose buffer is known from the arguments.
func (g *Group) accessed(gpu int, r *run) {
	for pc := range r.tally {
		t, in := &r.tally[pc], &r.c.prog.Code[pc]
		if t.warps == 0 || !in.Op.Addressed() || in.Root < 0 {
			continue
		}
		a := r.g.Roots[in.Root].Alloc
		if a == nil || a.GPU == gpu {
			continue
		}
		lanes := t.lanes
		if r.c.steps[pc].guarded {
			lanes = t.acted
		}
		g.moved(gpu, a, in, r.c.steps[pc].act, lanes)
	}
}

// anywhere counts the bytes that the lanes of mask move between GPUs by an
// access to a buffer that only the address tells.
func (g *Group) anywhere(r *run, w *simt.Warp, in *ir.Inst, act ir.Action, mask uint32) {
	row := w.Row(in.Src[0])
	for lane := range simt.Lanes {
		if addr := row[lane] + uint64(in.Imm); mask>>lane&1 != 0 && simt.SpaceOf(addr) == ir.Global {
			if a, _ := r.g.Mem.Lookup(addr); a != nil && a.GPU != r.g.Mem.GPU() {
				g.moved(r.g.Mem.GPU(), a, in, act, 1)
			}
		}
	}
}

// moved counts an access by a number of lanes on GPU gpu to a buffer of another
// GPU.
func (g *Group) moved(gpu int, a *simt.Allocation, in *ir.Inst, act ir.Action, lanes uint64) {
	at, bytes := a.GPU, lanes*uint64(in.Mem.Bytes())
	g.remote[a.Name] += bytes
	switch act {
	case ir.ActLoad, ir.ActCopy:
		g.sent[at][gpu] += bytes
	case ir.ActAtomic:
		g.sent[gpu][at] += bytes
		if in.NDst > 0 {
			g.sent[at][gpu] += bytes
			g.remote[a.Name] += bytes
		}
	default:
		g.sent[gpu][at] += bytes
	}
}
