//go:build !kernel

package multi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// classesArg is a Classes as a launch argument, replicasArg a Replicas and endingArg an Ending.
type (
	classesArg struct {
		Rows          device.Buffer
		Blocks, Warps uint32
	}
	replicasArg struct {
		Values, Next, Told, Heard     [scheduler.MostPeers]device.Buffer
		Sent, Useful, Changed, Before device.Buffer
		Send                          uint32
	}
	endingArg struct{ Iterations, Changed device.Buffer }
)

// sends are the values of Replicas.Send.
var sends = map[string]uint32{all: SendAll, ms: SendRead, vrOnline: SendChanged}

// pullAll is a run in which one kernel on each GPU does all iterations, which pull.
type pullAll struct {
	*run
	kernel   *device.Kernel
	before   []preparing
	classes  []classesArg    // of each GPU
	replicas []replicasArg   // of each GPU
	ends     []device.Buffer // of each GPU: two words, those of Ending
	counts   []device.Buffer // of each GPU: Replicas.Sent and Useful, one after the other
	grids    []device.Buffer
	barriers []scheduler.GroupBarrierArg
}

// runPullAll runs pulls whose iterations the GPUs do by themselves.
func runPullAll(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	if tolerant, err := j.Algorithm.Tolerance(j.AlgorithmParams); err != nil {
		return nil, err
	} else if tolerant {
		return nil, fmt.Errorf("loop=device sends exact values: a tolerance needs loop=host")
	}
	in, err := j.Graph.Transpose(ctx)
	if err != nil {
		return nil, err
	}
	r, err := begin(ctx, j, in)
	if r == nil {
		return nil, err
	}
	p := &pullAll{run: r}
	last := 0
	if err == nil {
		r.need = marks(in, r.bounds)
		err = p.prepare(ctx)
	}
	if err == nil && j.Params.Int("block") == 0 {
		p.block, err = p.largestBlock()
	}
	if err == nil && p.Vertices() > 0 {
		last, err = p.launch(ctx, j.Params.Int("blocks"))
	}
	return r.finish(err, func(m *member) device.Buffer { return m.values[last%2] })
}

// prepare gets the kernels and allocates what GPUs tell each other.
func (p *pullAll) prepare(ctx context.Context) (err error) {
	if p.kernel, err = p.run.kernel(ctx, pullingAll(p.Algorithm)); err != nil {
		return err
	}
	var memories []*scheduler.Memory
	for _, m := range p.members {
		m.values[1] = m.memory.Alloc("next", p.kind, p.Vertices())
		m.need = m.memory.Copy("need", p.need[m.lo:m.hi])
		p.classes = append(p.classes, classify(m))
		p.grids = append(p.grids, m.memory.Copy("barrier", []uint32{0}))
		p.ends = append(p.ends, m.memory.Copy("end", make([]uint32, 2)))
		memories = append(memories, m.memory)
	}
	// It also says whether the GPUs can wait for each other, and that there are not too many.
	if p.barriers, err = scheduler.NewGroupBarrier(p.group, memories); err != nil {
		return err
	}
	p.join()
	for i, m := range p.members {
		if err := m.memory.Err(); err != nil {
			return fmt.Errorf("GPU %d: %w", i, err)
		}
		if err := p.group.GPU(i).Write(p.counts[i], make([]uint64, p.counts[i].Len)); err != nil {
			return err
		}
	}
	initial, err := p.initial(ctx)
	p.before = []preparing{initial}
	if err == nil && p.Algorithm.Turns() {
		var turned preparing
		turned, err = p.turned(ctx)
		p.before = append(p.before, turned)
	}
	return err
}

// classify orders the rows of a GPU by how many threads share their arcs, and those for a block by their lengths.
func classify(m *member) classesArg {
	var blocks, warps, threads []uint32
	length := func(row uint32) uint32 { return m.rows[row+1] - m.rows[row] }
	for row := range uint32(m.hi - m.lo) {
		switch n := length(row); {
		case n >= forBlock:
			blocks = append(blocks, row)
		case n >= forWarp:
			warps = append(warps, row)
		default:
			threads = append(threads, row)
		}
	}
	slices.SortStableFunc(blocks, func(a, b uint32) int { return cmp.Compare(length(b), length(a)) })
	return classesArg{Rows: m.memory.Copy("rows", slices.Concat(blocks, warps, threads)).Slice(0, m.hi-m.lo), Blocks: uint32(len(blocks)), Warps: uint32(len(warps))}
}

// join allocates what GPUs tell each other, and tells each where the arrays of the others are.
func (p *pullAll) join() {
	p.replicas = make([]replicasArg, len(p.members))
	others := len(p.members) - 1
	for i, m := range p.members {
		q := &p.replicas[i]
		words, longs := m.memory.Copy("changed", make([]uint32, 3)), m.memory.Alloc("sent", device.U64, 2*others)
		p.counts = append(p.counts, longs)
		q.Changed, q.Sent, q.Useful, q.Send = words, longs.Slice(0, others), longs.Slice(0, 0), sends[p.exchange]
		if p.count {
			q.Useful = longs.Slice(others, 2*others)
		}
		q.Before = m.memory.Copy("before", make([]uint32, (m.hi-m.lo+gpu.WarpSize-1)/gpu.WarpSize))
		for k := range q.Values {
			q.Values[k], q.Next[k], q.Told[k], q.Heard[k] = m.values[0].Slice(0, 0), m.values[1].Slice(0, 0), words.Slice(0, 0), words.Slice(0, 0)
		}
	}
	for from := range p.members {
		for to, other := range p.members {
			if from == to {
				continue
			}
			there, here := &p.replicas[from], &p.replicas[to]
			heard := other.memory.Copy("heard", make([]uint32, 2))
			there.Values[among(from, to)], there.Next[among(from, to)] = other.values[0], other.values[1]
			there.Told[among(from, to)], here.Heard[among(to, from)] = heard, heard
		}
	}
}

// largestBlock returns the largest number of threads of which a block fits on all GPUs: a vertex with many incoming arcs is work for one block.
func (p *pullAll) largestBlock() (int, error) {
	for block := 1024; block > usualBlock; block /= 2 {
		fits := true
		for i := range p.members {
			occ, err := p.group.GPU(i).Occupancy(p.kernel, block)
			var large *device.ArgError
			if err != nil && !errors.As(err, &large) {
				return 0, err
			}
			fits = fits && err == nil && occ.Resident() > 0
		}
		if fits {
			return block, nil
		}
	}
	return usualBlock, nil
}

// launch runs the kernel on all GPUs, with at most so many blocks on each, 0 for all that fit, and returns how many iterations there were. What prepares
// is in the same list, so that the host waits once.
func (p *pullAll) launch(ctx context.Context, blocks int) (iterations int, err error) {
	var b scheduler.Batch
	end, counts := make([]uint32, 2), make([][]uint64, len(p.members)) // all GPUs have the same end
	for i, m := range p.members {
		grid, err := p.resident(i, p.kernel, blocks)
		if err != nil {
			return 0, err
		}
		// Replicas of values that are not sent must be in both arrays.
		b.Add(scheduler.Control, device.Command{GPU: i, Copy: &device.Copy{Dst: m.values[1], Src: m.values[0]}})
		args := []any{m.instance.Arg, p.part(m), m.values[0], m.values[1], p.classes[i], p.replicas[i], p.grids[i], uint32(p.most),
			endingArg{Iterations: p.ends[i].Slice(0, 1), Changed: p.ends[i].Slice(1, 2)}, p.barriers[i]}
		b.Add(scheduler.Compute, device.Command{GPU: i, Launch: &device.Launch{Kernel: p.kernel, Grid: grid, Block: p.block, Cooperative: true, Args: args}})
	}
	b.Add(scheduler.Control, device.Command{GPU: 0, Read: &device.HostCopy{Buffer: p.ends[0], Host: end}})
	for i := range p.members {
		q := p.replicas[i]
		counts[i] = make([]uint64, q.Sent.Len+q.Useful.Len)
		if len(counts[i]) > 0 && (p.exchange != all || p.run.count) {
			b.Add(scheduler.Control, device.Command{GPU: i, Read: &device.HostCopy{Buffer: p.counts[i].Slice(0, len(counts[i])), Host: counts[i]}})
		}
	}
	if err := p.prepared(ctx, &b, p.before...); err != nil {
		return 0, err
	}
	iterations, changed := int(end[0]), int(end[1])
	for i, c := range counts {
		others := p.replicas[i].Sent.Len
		for k := range others {
			use := &p.total.Pairs[i*others+k]
			values := c[k]
			if p.exchange == all { // nobody has to count them
				values = uint64(iterations) * uint64(p.members[i].hi-p.members[i].lo)
			}
			bytes := values * uint64(p.kind.Bytes())
			use.Bytes, p.bytes = use.Bytes+bytes, p.bytes+bytes
			if p.run.count {
				useful := c[others+k] * uint64(p.kind.Bytes())
				use.Useful, p.useful = use.Useful+useful, p.useful+useful
			}
		}
	}
	p.record(p.kernel, iterations, p.Vertices(), changed)
	return iterations, p.tooMany(iterations+min(changed, 1), changed)
}
