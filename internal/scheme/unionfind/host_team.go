//go:build !kernel

package unionfind

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// team is a run on the GPUs of a group, of which there may be one. Each has the arcs of a range of the vertices, and a forest of all vertices, in which it hooks its arcs
// without any exchange. Then the forests are joined, in pairs of GPUs until GPU 0 has the one of all arcs.
//
// To leave out the arcs of the largest tree, all GPUs must know the same one: an arc between two trees that two GPUs found to be the
// largest would be left out by both. So the forests of the sample are joined, and all GPUs go on with that of GPU 0.
type team struct {
	*loop // its values are those of GPU 0, which has the answer
	group device.Group
	parts []*part
	total scheduler.Communication
}

// part is a GPU with its range of vertices, lo to hi (exclusive).
type part struct {
	index, lo, hi int
	memory        *scheduler.Memory
	arg           any // the algorithm
	graph         scheduler.GraphArg
	outRow        device.Buffer // row offsets of the outgoing arcs
	values        device.Buffer
	forest        forestArg
	other         device.Buffer // has room for the parents of another GPU's forest
	joins         device.Buffer // those of them that are joined next
	counts        device.Buffer // Wide.Counts, and the two words of Largest
	largest       device.Buffer // of these, the two words
	wide          wideArg
	barrier       device.Buffer      // of all blocks of a kernel for the whole run
	counted       [Counts + 2]uint32 // counts after the last read
	reach         int                // no vertex from this one on has been hooked
}

// connect finds the components and the values of their vertices on the GPUs of a group, which may be one.
func (l *loop) connect(ctx context.Context, group device.Group) (*scheduler.Outcome, error) {
	l.skips = l.skips && l.both.Arcs() >= group.GPUs() // so that GPU 0 has an arc, of which Compress takes a sample
	t := &team{loop: l, group: group, total: scheduler.Communication{Arcs: l.both.Arcs(), Iterations: 1, Pairs: scheduler.PairUses(group.GPUs())}}
	err := t.place()
	if err == nil {
		err = t.run(ctx)
	}
	out, err := l.Finish(err)
	if group.GPUs() > 1 {
		out.Communication = &t.total
	}
	for _, p := range t.parts[1:] {
		err = errors.Join(err, p.memory.Free())
	}
	return out, err
}

// place divides the graph and places it.
func (t *team) place() error {
	bounds := scheduler.Divide(t.Params, t.work(), t.group.GPUs(), 1)
	t.total.Cut = scheduler.CutArcs(t.both, bounds)
	for i := range t.group.GPUs() {
		p := &part{index: i, lo: bounds[i], hi: bounds[i+1], memory: t.Memory}
		if i > 0 {
			p.memory = scheduler.NewMemory(t.group.GPU(i))
		}
		t.parts = append(t.parts, p)
	}
	for _, p := range t.parts {
		if err := t.placeOn(p); err != nil {
			if len(t.parts) == 1 {
				return err
			}
			return fmt.Errorf("GPU %d: %w", p.index, err)
		}
	}
	t.Values = t.parts[0].values
	return nil
}

// work returns the work of all vertices before each one: their arcs, or if no component is skipped those to smaller vertices alone, since Hook
// looks at these.
func (t *team) work() []uint64 {
	if t.skips {
		return t.both.Row
	}
	before := make([]uint64, t.Vertices()+1)
	for v := range t.Vertices() {
		smaller, _ := slices.BinarySearch(t.both.Neighbors(uint32(v)), uint32(v))
		before[v+1] = before[v] + uint64(smaller)
	}
	return before
}

// placeOn copies the arcs of a range to its GPU and allocates the other buffers. The row offsets are those of all vertices, so that the kernels are
// those for one GPU: a vertex of another range has no arcs.
func (t *team) placeOn(p *part) error {
	m, n := p.memory, t.Vertices()
	if t.group.GPUs() == 1 {
		p.graph = m.Graph(t.both)
	} else {
		p.graph = scheduler.GraphArg{Row: m.Copy("g.Row", scheduler.RowsWithin(t.both, p.lo, p.hi)), Col: m.Copy("g.Col", t.both.Col[t.both.Row[p.lo]:t.both.Row[p.hi]]), Weight: m.Copy("g.Weight", nil)}
	}
	p.outRow = p.graph.Row // of other GPUs than the first, nobody reads the values
	if p.index == 0 && (t.group.GPUs() > 1 || !t.Graph.Symmetric) {
		p.outRow = m.Rows("outRow", t.Graph)
	}
	kind, _ := device.KindOfType(t.Algorithm.Value)
	p.values = m.Alloc("values", kind, n)
	p.forest = forestArg{m.Alloc("forest.Parents", device.U32, n)}
	if p.index%2 == 0 && p.index+1 < len(t.parts) {
		p.other = m.Alloc("other.Parents", device.U32, n)
	}
	if p.counts = m.Copy("counts", p.counted[:]); m.Err() != nil {
		return m.Err() // there is nothing of which the next buffers could be parts
	}
	p.largest = p.counts.Slice(Counts, Counts+2)
	p.wide = wideArg{m.Alloc("wide.Vertices", device.U32, n), p.counts.Slice(0, Counts)}
	if t.whole {
		p.barrier = m.Copy("barrier", []uint32{0})
	}
	p.reach = p.hi
	if t.skips {
		p.reach = n // Sample hooks any vertex that an arc leads to
	}
	if p.index == 0 {
		err := t.Place()
		if err == nil {
			p.arg = t.Instance.Arg
		}
		return err
	}
	in, err := t.Algorithm.New(m, n, t.AlgorithmParams)
	if err == nil {
		p.arg = in.Arg
	}
	return err
}

// run finds the components and the values of their vertices, in as few lists of commands as the host's decisions allow: each list costs it as much time as many a kernel takes.
func (t *team) run(ctx context.Context) error {
	k := entries(t.Algorithm)
	if t.whole {
		return t.runWhole(ctx, k)
	}
	l := t.begin(k)
	if t.skips {
		var err error
		if l, err = t.sample(ctx, k, l); err != nil {
			return err
		}
		t.hookAll(l, k.hookRest, k.wideRest, func(p *part) any { return restArg{p.largest.Slice(0, 1)} }, visited)
	} else {
		narrow, wide, edges := t.edges(k)
		t.hookAll(l, narrow, wide, func(*part) any { return edges })
	}
	t.join(l, k)
	l.launch(t.parts[:1], k.flatten, []string{moved}, func(p *part) []any {
		return []any{p.arg, p.forest, p.values, p.wide.Counts.Slice(Moved, Moved+1)}
	})
	for _, p := range t.parts {
		l.Add(scheduler.Control, device.Command{GPU: p.index, Read: &device.HostCopy{Buffer: p.counts, Host: p.counted[:]}})
	}
	if err := l.run(ctx); err != nil || t.parts[0].counted[Moved] == 0 {
		return err
	}
	l = t.newList()
	l.launch(t.parts[:1], k.spread, nil, func(p *part) []any { return []any{p.forest, p.values} })
	return l.run(ctx)
}

// begin returns a list with the kernel that sets the first values and parents.
func (t *team) begin(k kernels) *list {
	l := t.newList()
	args := t.beginArgs
	if t.tile == 0 {
		l.launch(t.parts, k.init, nil, args)
	} else {
		l.add(t.parts, k.tile, nil, func(p *part) (device.Launch, error) { return t.tiles(k, args(p)), nil })
	}
	return l
}

// beginArgs returns the arguments of Init and Tile, with which those of a whole run begin.
func (t *team) beginArgs(p *part) []any {
	return []any{p.arg, p.graph, p.outRow, scheduler.Problem{Source: t.Source, Vertices: uint32(t.Vertices())}, p.forest, p.values}
}

// largestArg returns where Compress leaves the largest tree.
func (p *part) largestArg() largestArg {
	return largestArg{p.largest.Slice(0, 1), p.largest.Slice(1, 2)}
}

// sample launches HookRoots, Sample, and then Compress, until the largest tree is large. Its share is that in the forest of all GPUs, which all go on with. It runs
// the list, and returns the next one.
func (t *team) sample(ctx context.Context, k kernels, l *list) (*list, error) {
	l.launch(t.parts, k.roots, nil, func(p *part) []any { return []any{p.graph, p.forest} })
	compress := func(p *part) []any {
		return []any{p.graph, p.forest, p.largestArg()}
	}
	l.launch(t.parts, k.compress, nil, compress) // Sample needs parents that are roots
	err := t.rounds.run(uint32(t.block), func(round int) {
		l.launch(t.parts, k.sample, nil, func(p *part) []any { return []any{p.graph, p.forest, uint32(round)} })
	}, func() {
		l.launch(t.parts, k.compress, nil, compress)
	}, func() (votes uint32, err error) {
		t.join(l, k)
		l.launch(t.parts[:1], k.compress, []string{share}, compress)
		for _, p := range t.parts[1:] {
			l.send(t.parts[0], p, p.largest, t.parts[0].largest)
			l.send(t.parts[0], p, p.forest.Parents, t.parts[0].forest.Parents)
		}
		l.Add(scheduler.Control, device.Command{Read: &device.HostCopy{Buffer: t.parts[0].counts, Host: t.parts[0].counted[:]}})
		err = l.run(ctx)
		l = t.newList()
		return t.votes(), err
	})
	return l, err
}

// hookAll adds the kernels that hook edges on all GPUs.
func (t *team) hookAll(l *list, narrow, wide scheduler.EntryPoint, edges func(p *part) any, quantities ...string) {
	args := func(p *part) []any { return []any{p.graph, p.forest, edges(p), p.wide} }
	if !t.wides {
		l.launch(t.parts, narrow, quantities, args) // the list of wide vertices stays empty
		return
	}
	l.launch(t.parts, narrow, append(quantities, forWarps, forBlocks), args)
	l.launch(t.parts, wide, nil, args)
}

// join puts the forests of all GPUs together in that of GPU 0: in each round, of two GPUs that have one left, the first gets that of
// the second.
func (t *team) join(l *list, k kernels) {
	for step := 1; step < len(t.parts); step *= 2 {
		var to []*part
		for i := 0; i+step < len(t.parts); i += 2 * step {
			first, second := t.parts[i], t.parts[i+step]
			first.joins = first.other.Slice(0, second.reach)
			l.send(second, first, first.joins, second.forest.Parents.Slice(0, second.reach))
			first.reach = max(first.reach, second.reach)
			to = append(to, first)
		}
		l.launch(to, k.join, nil, func(p *part) []any { return []any{p.forest, p.joins} })
	}
}
