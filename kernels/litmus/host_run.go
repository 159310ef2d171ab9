//go:build !kernel

package litmus

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/weft-gpu/weft/device"
)

// Runner runs tests on a device.
type Runner struct {
	Device  device.Device
	Kernels device.Kernels
	// Instances is how many run at once at most; 0 is 32. It is less where the
	// device has no room for all of their threads at once.
	Instances int
}

// Histogram counts outcomes, such as "1:r0=1 1:r1=0": what thread 1 read.
type Histogram map[string]int

// Add adds the counts of other.
func (h Histogram) Add(other Histogram) {
	for k, n := range other {
		h[k] += n
	}
}

// Total is the number of instances counted.
func (h Histogram) Total() (n int) {
	for _, c := range h {
		n += c
	}
	return n
}

// The words of a test lie in sectors of their own, drawn from pool sectors for
// each, so that tests meet different slices, halves and sets of the caches.
const (
	sectorWords = 8
	pool        = 16
	// longest is the logarithm of the longest delay in cycles.
	longest = 12
	// mostRounds is the logarithm of the most stores of a bystander.
	mostRounds = 6
)

// Run runs the test once for each seed from first on, and counts the outcomes
// of all instances. A seed says where words and threads lie, which lines L1
// holds beforehand, how long each thread waits, and how much blocks that have
// no part disturb: without other traffic accesses take much the same time, and
// an order that a machine does not keep may show all the same.
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
	rng := rand.New(rand.NewPCG(seed, 0x5eed))
	s := shapes[t.Shape]
	p := plan{threads: s.threads, block: 32, instances: r.Instances}
	if p.instances == 0 {
		p.instances = 32
	}
	share := 1 // threads of an instance that have a block together
	switch {
	case t.Together:
		share = p.threads
	case s.pairs:
		share = 2
	}
	p.block = 32 * share
	blocks := p.threads / share // of an instance
	occ, err := r.Device.Occupancy(k, p.block)
	if err != nil {
		return p, err
	}
	fits := occ.BlocksPerSM * occ.SMs
	if p.instances = min(p.instances, fits/blocks); p.instances == 0 {
		return p, fmt.Errorf("%s holds %d blocks at once; the test needs %d", r.Device.Name(), fits, blocks)
	}
	// Blocks without a part vary who is on which SM, and stand by there.
	p.grid = min(fits, 4*blocks*p.instances)
	warps := p.block / 32
	p.cast = make([]uint32, p.grid*warps)
	parts := p.instances * p.threads
	for i := range p.cast {
		p.cast[i] = uint32(parts) + rng.Uint32N(uint32(4*p.instances)) // half of them leave at once
	}
	p.rounds = rng.Uint32N(1<<rng.IntN(mostRounds+1) + 1)
	at := rng.Perm(p.grid)
	for i := 0; i < parts; i += share { // those of a block
		if share == 1 {
			p.cast[at[i]] = uint32(i)
			continue
		}
		b := at[i/share] * warps
		for role, w := range rng.Perm(share) {
			p.cast[b+w] = uint32(i + role)
		}
	}
	for _, sector := range rng.Perm(2 * p.instances * pool)[:2*p.instances] {
		p.where = append(p.where, uint32(sector*sectorWords))
	}
	span := uint32(1) << rng.IntN(longest+1)
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
	var buffers []device.Buffer
	defer func() {
		for _, b := range buffers {
			if ferr := r.Device.Free(b); err == nil {
				err = ferr
			}
		}
	}()
	words := func(name string, data []uint32) device.Buffer {
		if err != nil {
			return device.Buffer{}
		}
		var b device.Buffer
		if b, err = r.Device.Alloc(name, device.U32, len(data)); err == nil {
			buffers = append(buffers, b)
			err = r.Device.Write(b, data)
		}
		return b
	}
	cells := make([]uint32, 2*p.instances*pool*sectorWords)
	out := make([]uint32, 2*p.instances*p.threads)
	bc, bo := words("cells", cells), words("out", out)
	args := []any{
		bc, words("where", p.where), uint32(p.threads), words("cast", p.cast), words("warm", p.warm),
		words("delay", p.delay), words("ready", make([]uint32, p.instances)), bo, p.rounds,
	}
	if err != nil {
		return err
	}
	if _, err := r.Device.Launch(ctx, device.Launch{Kernel: k, Grid: p.grid, Block: p.block, Args: args, Cooperative: true}); err != nil {
		return err
	}
	if err := r.Device.Read(bc, cells); err != nil {
		return err
	}
	if err := r.Device.Read(bo, out); err != nil {
		return err
	}
	for i := range p.instances {
		h[outcome(t, out[2*i*p.threads:], cells[p.where[2*i]])]++
	}
	return nil
}

// outcome is what an instance's threads read, and where the shape asks for it
// what remained in x.
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
