package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/proof/ptxlitmus"
)

// Runner runs tests on a device.
type Runner struct {
	Device device.Device
	// Late, if not nil, is a device like Device on which requests may be late. Every second launch is there.
	Late device.Device
	// Instances is how many instances of a test to run; at least one for each seed.
	Instances int
	// Seeds is the least number of launches, each with a seed of its own, counted from Seed.
	Seeds int
	Seed  uint64
	// Alone gives each instance warps of its own, in which the first lane acts. An access of a warp with 32 instances
	// has 32 words, which take longer to serve than one word of the far half of an L2 is late: only alone does an
	// access overtake another one on a machine whose requests all take their usual time.
	Alone bool
	// Patience says that the device cannot decide whether a kernel hangs: threads that wait this many nanoseconds at
	// a barrier are said to hang there. 0 for devices that decide it, which On knows.
	Patience uint32
	// Progress, if not nil, is called after each launch.
	Progress func(done, of int)
}

// patience is how many nanoseconds a thread waits at a barrier of a real GPU before it hangs there. A launch takes less
// than a millisecond.
const patience = 3_000_000

// On returns a Runner for a device, with as many instances in at least as many launches, from the first seed on.
func On(d device.Device, instances, seeds int, first uint64) *Runner {
	r := &Runner{Device: d, Instances: instances, Seeds: seeds, Seed: first}
	if d.Capabilities().Has(device.Deadline) {
		r.Patience = patience
	}
	return r
}

// Run runs a test. The error is an *Unsupported if the devices here lack something that the test needs. If ctx is
// canceled, it returns what there is, with ctx's error.
func (r *Runner) Run(ctx context.Context, t *ptxlitmus.Test) (*Result, error) {
	p, err := compile(t)
	if err != nil {
		return nil, err
	}
	c := newCounter(t)
	seeds := max(r.Seeds, 1)
	each := (max(r.Instances, 1) + seeds - 1) / seeds
	single := r.Alone
	lost := 0 // launches that ended without results
	for seed := r.Seed; c.launches < seeds || c.total < r.Instances; {
		l, err := r.plan(p, seed, each, single, r.Patience)
		if err != nil {
			return c.result(), err
		}
		hung, err := r.launch(ctx, r.at(seed), p, l, c)
		switch {
		case (hung || errors.Is(err, errLost)) && l.sharing == byLane && p.loops:
			// Instances that wait for others in a loop would hold back those in other lanes at the next barrier or
			// reconvergence. Only what hangs alone counts.
			single = true
			continue
		case errors.Is(err, errLost):
			if lost++; lost == mostLost {
				return c.result(), fmt.Errorf("%d launches had to be killed: %w", lost, err)
			}
		case err != nil:
			return c.result(), fmt.Errorf("seed %d: %w", seed, err)
		}
		seed++
		if r.Progress != nil {
			r.Progress(c.total, max(r.Instances, 1))
		}
	}
	return c.result(), nil
}

// at returns the device for a seed.
func (r *Runner) at(seed uint64) device.Device {
	if r.Late != nil && seed%2 == 0 {
		return r.Late
	}
	return r.Device
}

// mostLost is after how many killed launches a test is given up.
const mostLost = 3

// errLost is the error of a launch that had to be killed, and its memory with it.
var errLost = errors.New("its results are lost")

// launch makes one launch and counts its outcomes. It reports whether instances hang; those of a launch that will be
// repeated with warps of their own are not counted.
func (r *Runner) launch(ctx context.Context, dev device.Device, p *program, l *plan, c *counter) (hung bool, err error) {
	b := buffers{device: dev}
	n, threads := l.instances(), len(p.test.Threads)
	cells := make([]uint32, l.places*l.pitch)
	for v, loc := range p.test.Locations {
		for i := range n {
			cells[l.where[v*n+i]] = uint32(loc.Value)
		}
	}
	data := state{test: p.test, regs: p.regs, n: n, threads: threads, cells: cells, where: l.where,
		out: make([]uint32, max(p.slots, 1)*threads*n)}
	data.done, data.hung, data.per = make([]uint32, threads*n), make([]uint32, l.gangs), l.per
	bc, bo, bd := b.words("cells", cells), b.words("out", data.out), b.words("done", data.done)
	args := []any{
		bc, b.words("where", l.where), b.words("cast", l.cast), b.words("gang", l.gang), b.words("delay", l.delay),
		b.words("warm", l.warm), b.words("ready", make([]uint32, l.gangs)), bo, bd,
		b.words("ended", make([]uint32, l.gangs*len(p.ctas))),
	}
	bh := b.words("hung", data.hung)
	args = append(args, bh, uint32(n), uint32(n*threads), uint32(l.gangs), uint32(l.need), uint32(len(l.where)), l.rounds, uint32(0), l.patience)
	if b.err != nil {
		return false, errors.Join(b.err, b.free())
	}
	_, err = dev.Launch(ctx, device.Launch{Kernel: l.kernel, Grid: l.grid, Block: l.block, Args: args, Cooperative: true,
		Unexplained: c.hang != nil || l.sharing == byLane && p.loops, // the result has one explanation
	})
	var hang *device.HangError
	if err != nil && !errors.As(err, &hang) {
		return false, errors.Join(err, b.free())
	}
	b.read(bc, cells)
	b.read(bo, data.out)
	b.read(bd, data.done)
	b.read(bh, data.hung)
	if hang != nil && b.err != nil {
		return true, fmt.Errorf("%w: %w", hang, errLost)
	}
	if err := b.free(); err != nil {
		return false, err
	}
	for data.i = range n {
		hung = hung || data.hangs() != 0
	}
	if hung && l.sharing == byLane && p.loops {
		return true, nil
	}
	if hung && c.hang == nil && hang != nil {
		c.hang = hang
	}
	c.launches++
	for data.i = range n {
		c.add(&data)
	}
	return hung, nil
}
