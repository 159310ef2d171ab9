//go:build !kernel

package litmus

import (
	"context"
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/device"
)

// Runner runs tests on a device.
type Runner struct {
	Device  device.Device
	Kernels device.Kernels
	// Instances is the largest number of instances that run at the same time; 0 means 32.
	// It is reduced if the device cannot hold all of their threads.
	Instances int
}

// Histogram counts outcomes such as "1:r0=1 1:r1=0": what thread 1 read.
type Histogram map[string]int

// Add adds the counts of other to h.
func (h Histogram) Add(other Histogram) {
	for k, n := range other {
		h[k] += n
	}
}

// Total returns the number of instances counted.
func (h Histogram) Total() (n int) {
	for _, c := range h {
		n += c
	}
	return n
}

// Each word of a test is in its own sector, drawn from pool sectors per word, so that tests
// use different slices, L2 halves and cache sets.
const (
	sectorWords = 8
	pool        = 16
)

// Run runs the test once for each of seeds consecutive seeds, starting with first, and
// counts the outcomes of all instances. A seed determines where words and threads are
// placed, which lines L1 holds initially, how long each thread waits, and how much traffic
// uninvolved blocks cause: without other traffic all accesses take about the same time, and
// a machine may appear to keep an order that it does not guarantee.
func (r *Runner) Run(ctx context.Context, t Test, first uint64, seeds int) (Histogram, error) {
	k, err := r.Kernels.Kernel(ctx, t.Kernel(), nil)
	if err != nil {
		return nil, err
	}
	h := Histogram{}
	for seed := first; seed < first+uint64(seeds); seed++ {
		if err := r.once(ctx, t, k, seed, h); err != nil {
			return h, fmt.Errorf("%s, seed %d: %w", t.Name(), seed, err)
		}
	}
	return h, nil
}

// plan is the schedule of one launch.
type plan struct {
	grid, block        int
	where, cast        []uint32
	warm, delay        []uint32
	rounds             uint32
	instances, threads int
}

func (r *Runner) plan(t Test, k *device.Kernel, seed uint64) (plan, error) {
	rng := NewSchedule(seed)
	s := shapes[t.Shape]
	p := plan{threads: s.threads, block: 32, instances: r.Instances}
	if p.instances == 0 {
		p.instances = 32
	}
	share := 1 // threads of an instance that share a block
	switch {
	case t.Together:
		share = p.threads
	case s.pairs:
		share = 2
	}
	p.block = 32 * share
	blocks := p.threads / share // per instance
	occ, err := r.Device.Occupancy(k, p.block)
	if err != nil {
		return p, err
	}
	fits := occ.BlocksPerSM * occ.SMs
	if p.instances = min(p.instances, fits/blocks); p.instances == 0 {
		return p, fmt.Errorf("%s holds %d blocks at once; the test needs %d", r.Device.Name(), fits, blocks)
	}
	// Blocks without a part vary which blocks are on which SM, and act as bystanders there.
	p.grid = min(fits, 4*blocks*p.instances)
	warps := p.block / 32
	p.cast = make([]uint32, p.grid*warps)
	parts := p.instances * p.threads
	for i := range p.cast {
		p.cast[i] = uint32(parts) + rng.Uint32N(uint32(4*p.instances)) // half of them exit at once
	}
	p.rounds = rng.Rounds()
	at := rng.Perm(p.grid)
	for i := 0; i < parts; i += share { // the parts of one block
		if share == 1 {
			p.cast[at[i]] = uint32(i)
			continue
		}
		b := at[i/share] * warps
		for role, w := range rng.Perm(share) {
			p.cast[b+w] = uint32(i + role)
		}
	}
	for _, sector := range rng.Sectors(2*p.instances, pool) {
		p.where = append(p.where, uint32(sector*sectorWords))
	}
	span := rng.Span()
	for range parts {
		p.warm = append(p.warm, rng.Uint32N(4))
		p.delay = append(p.delay, rng.Uint32N(span))
	}
	return p, nil
}

func (r *Runner) once(ctx context.Context, t Test, k *device.Kernel, seed uint64, h Histogram) (err error) {
	p, err := r.plan(t, k, seed)
	if err != nil {
		return err
	}
	b := Buffers{Device: r.Device}
	defer func() {
		if ferr := b.Free(); err == nil {
			err = ferr
		}
	}()
	cells := make([]uint32, 2*p.instances*pool*sectorWords)
	out := make([]uint32, 2*p.instances*p.threads)
	bc, bo := b.Words("cells", cells), b.Words("out", out)
	args := []any{
		bc, b.Words("where", p.where), uint32(p.threads), b.Words("cast", p.cast), b.Words("warm", p.warm),
		b.Words("delay", p.delay), b.Words("ready", make([]uint32, p.instances)), bo, p.rounds,
	}
	if b.Err != nil {
		return b.Err
	}
	if _, err := r.Device.Launch(ctx, device.Launch{Kernel: k, Grid: p.grid, Block: p.block, Args: args, Cooperative: true}); err != nil {
		return err
	}
	b.Read(bc, cells)
	b.Read(bo, out)
	if b.Err != nil {
		return b.Err
	}
	for i := range p.instances {
		h[outcome(t, out[2*i*p.threads:], cells[p.where[2*i]])]++
	}
	return nil
}

// outcome returns what the threads of an instance read, and the final value of x if the
// shape has it.
func outcome(t Test, out []uint32, x uint32) string {
	s := shapes[t.Shape]
	var parts []string
	for _, r := range s.reads {
		parts = append(parts, fmt.Sprintf("%s=%d", r, out[2*r.role+r.reg]))
	}
	if s.final {
		parts = append(parts, fmt.Sprintf("x=%d", x))
	}
	return strings.Join(parts, " ")
}
