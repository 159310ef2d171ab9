//go:build !kernel

package unionfind

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

// peersArg is a Peers as a launch argument.
type peersArg struct {
	GPU, Others            uint32
	Begins, FarRow, FarCol device.Buffer
	Bridges                device.Buffer
	All                    forestArg
	Largest                device.Buffer
	Inbox, Places, Heard   device.Buffer
	Counts                 device.Buffer
	Largests, Hearing      [scheduler.MostPeers]device.Buffer
	Inboxes                [scheduler.MostPeers]device.Buffer
}

// groupLoop is a run on several GPUs in one kernel on each.
type groupLoop struct {
	*loop   // its memory stays empty
	group   device.Group
	members []*member
	total   scheduler.Communication
}

// member is a GPU with its range of vertices, lo to hi (exclusive).
type member struct {
	index, lo, hi int
	piece         *piece
	memory        *scheduler.Memory
	instance      *scheduler.Instance
	near          scheduler.GraphArg
	outRow        device.Buffer
	values        device.Buffer
	forest        forestArg     // of the GPU's own vertices
	counts        device.Buffer // Wide.Counts, the two words of Largest, and Peers.Counts
	wide          wideArg
	barrier       device.Buffer
	peers         peersArg
	counted       [memberWords]uint32
}

// partCycles are the quantities that say how long each part of a run on several GPUs took.
var partCycles = [parts]scheduler.Quantity{
	ownPart:      {Name: "own-cycles", Unit: "cycle", Doc: "on several GPUs: until each has its own components, on the SM of the first block, at most on one GPU"},
	tellPart:     {Name: "tell-cycles", Unit: "cycle", Doc: "the same, until all know the largest trees"},
	hookPart:     {Name: "hook-cycles", Unit: "cycle", Doc: "the same, until arcs between vertices of different GPUs are hooked"},
	exchangePart: {Name: "exchange-cycles", Unit: "cycle", Doc: "the same, until GPUs have told each other what they hooked, and joined it"},
	settlePart:   {Name: "settle-cycles", Unit: "cycle", Doc: "the same, until all vertices have their values"},
}

// The elements of member.counts.
const (
	largestAt   = Counts
	farAt       = largestAt + 2
	memberWords = farAt + FarCounts
)

// refused says why one kernel on each GPU of a group does not do a whole run.
func refused(group device.Group, g *graph.CSR) error {
	if err := scheduler.CheckPeers(group); err != nil {
		return err
	}
	// Places in inboxes have numbers of 32 bits.
	if most := math.MaxUint32/group.GPUs() - scheduler.MostPeers; g.Vertices() > most {
		return fmt.Errorf("graph %s has %d vertices; with one kernel on each of %d GPUs scheme union-find has room for %d", g.Name, g.Vertices(), group.GPUs(), most)
	}
	return nil
}

// runTogether is a run on several GPUs in one kernel on each.
func (l *loop) runTogether(ctx context.Context, group device.Group) (*scheduler.Outcome, error) {
	g := &groupLoop{loop: l, group: group, total: scheduler.Communication{Arcs: l.both.Arcs(), Iterations: 1, Pairs: scheduler.PairUses(group.GPUs())}}
	err := g.divide(ctx)
	if err == nil {
		err = g.shape(ctx)
	}
	if err == nil {
		err = g.place()
	}
	if err == nil {
		err = g.run(ctx)
	}
	var shares []scheduler.GPUShare
	for _, m := range g.members {
		shares = append(shares, scheduler.GPUShare{Memory: m.memory, Instance: m.instance, Values: m.values, Lo: m.lo, Hi: m.hi})
	}
	out, err := l.FinishShares(err, shares)
	out.Communication = &g.total
	return out, err
}

// divide divides the graph.
func (g *groupLoop) divide(ctx context.Context) error {
	bounds := scheduler.Divide(g.Params, g.both.Row, g.group.GPUs(), gpu.WarpSize)
	g.total.Cut = scheduler.CutArcs(g.both, bounds)
	for i := range g.group.GPUs() {
		m := &member{index: i, lo: bounds[i], hi: bounds[i+1], memory: scheduler.NewMemory(g.group.GPU(i))}
		var err error
		if m.piece, err = pieceOf(ctx, g.both, m.lo, m.hi, bridgesOf*(g.group.GPUs()-1)); err != nil {
			return err
		}
		g.members = append(g.members, m)
	}
	return nil
}

// near returns the number of arcs between vertices of one GPU.
func (g *groupLoop) near() (arcs int) {
	for _, m := range g.members {
		arcs += m.piece.near.Arcs()
	}
	return arcs
}

// shape compiles the kernel, and decides how each GPU finds its own components, as on a GPU alone.
func (g *groupLoop) shape(ctx context.Context) error {
	switch g.Params.Word("skip") {
	case auto:
		g.skips = g.near() >= wholeDegree*g.Vertices()
	case always:
		g.skips = true
	}
	g.skips = g.skips && g.near() > 0
	if g.rounds == 0 {
		g.rounds = evenRounds
	}
	if err := g.compileOnly(ctx, g.kernel(entries(g.Algorithm))); err != nil {
		return err
	}
	k := g.compiled[g.kernel(entries(g.Algorithm)).Name]
	if !g.skips {
		if g.tile = g.Params.Int("tile"); g.tile < 0 {
			occ, err := g.Device.Occupancy(k, gpu.WarpSize) // for the number of SMs
			if err != nil {
				return err
			}
			g.tile = tileOf(g.Vertices()/g.group.GPUs(), occ)
		}
	}
	if g.block == 0 {
		g.block = min(g.wholeBlockSize(k), wholeBlock) // registers leave room for two of these, as there are two tiles
	}
	return nil
}

// kernel returns the kernel of a run.
func (g *groupLoop) kernel(k kernels) scheduler.EntryPoint {
	switch {
	case g.skips:
		return k.groupRest
	case g.Params.Int("tile") == 0:
		return k.groupSmaller
	}
	return k.groupAcross
}

// place allocates what all GPUs have.
func (g *groupLoop) place() error {
	var begins, places []uint32
	room := 0
	for _, m := range g.members {
		begins, places = append(begins, uint32(m.lo)), append(places, uint32(room))
		// A vertex is sent once, by itself or as a root that was hooked. At the end no more than all of the largest trees are hooked.
		room += min(g.Vertices(), m.hi-m.lo+m.piece.far.Arcs()) + scheduler.MostPeers
	}
	for _, m := range g.members {
		if err := g.placeOn(m, begins, places, room); err != nil {
			return fmt.Errorf("GPU %d: %w", m.index, err)
		}
	}
	for i, m := range g.members {
		p, k := &m.peers, 0
		for at := range p.Inboxes { // those that are not there
			p.Inboxes[at], p.Hearing[at], p.Largests[at] = p.Inbox.Slice(0, 0), p.Heard.Slice(0, 0), p.Largest.Slice(0, 0)
		}
		for other, o := range g.members {
			if other != i {
				p.Inboxes[k], p.Hearing[k], p.Largests[k] = o.peers.Inbox, o.peers.Heard, o.peers.Largest
				k++
			}
		}
	}
	return nil
}

// placeOn allocates what a GPU has.
func (g *groupLoop) placeOn(m *member, begins, places []uint32, room int) (err error) {
	memory, n, own := m.memory, g.Vertices(), m.hi-m.lo
	kind, _ := device.KindOfType(g.Algorithm.Value)
	m.near = memory.Graph(m.piece.near)
	m.outRow = memory.Rows("outRow", g.Graph)
	m.values = memory.Alloc("values", kind, n)
	m.forest = forestArg{memory.Alloc("forest.Parents", device.U32, own)}
	m.barrier = memory.Copy("barrier", []uint32{0})
	m.peers = peersArg{GPU: uint32(m.index), Others: uint32(g.group.GPUs() - 1), Begins: memory.Copy("begins", begins), Places: memory.Copy("places", places),
		FarRow: memory.Rows("far.Row", m.piece.far), FarCol: memory.Copy("far.Col", m.piece.far.Col), Bridges: memory.Copy("bridges", m.piece.bridges),
		All: forestArg{memory.Alloc("all.Parents", device.U32, n)}, Largest: memory.Alloc("largest", device.U32, (n+gpu.WarpSize-1)/gpu.WarpSize),
		Inbox: memory.Alloc("inbox", device.U64, room), Heard: memory.Copy("heard", make([]uint32, HeardWords*g.group.GPUs()))}
	if m.counts = memory.Copy("counts", m.counted[:]); memory.Err() != nil {
		return memory.Err() // there is nothing of which the next buffers could be parts
	}
	m.peers.Counts = m.counts.Slice(farAt, memberWords)
	m.wide = wideArg{memory.Alloc("wide.Vertices", device.U32, own), m.counts.Slice(0, Counts)}
	if err := memory.Err(); err != nil {
		return err
	}
	m.instance, err = g.Algorithm.New(memory, n, g.AlgorithmParams)
	return err
}

// run launches the kernel on all GPUs, and then those that combine values if some are not those of roots.
func (g *groupLoop) run(ctx context.Context) error {
	var memories []*scheduler.Memory
	for _, m := range g.members {
		memories = append(memories, m.memory)
	}
	barriers, err := scheduler.NewGroupBarrier(g.group, memories)
	if err != nil {
		return err
	}
	k := g.compiled[g.kernel(entries(g.Algorithm)).Name]
	var b scheduler.Batch
	for i, m := range g.members {
		d, err := g.launch(m, k, barriers[i])
		if err != nil {
			return err
		}
		b.Add(scheduler.Compute, device.Command{GPU: i, Launch: &d})
	}
	for i, m := range g.members {
		b.Add(scheduler.Control, device.Command{GPU: i, Read: &device.HostCopy{Buffer: m.counts, Host: m.counted[:]}})
	}
	var spent scheduler.Spent
	err = b.Run(ctx, g.group, &spent)
	g.total.Compute, g.total.Transfer, g.total.Overlap = spent.Compute, spent.Transfer, spent.Overlap
	g.Record(k, spent.Report(), scheduler.Step{Numbers: g.numbers()})
	if err != nil {
		return err
	}
	for i := range g.total.Pairs {
		p := &g.total.Pairs[i]
		m := g.members[p.From]
		p.Bytes = 8*uint64(m.counted[farAt+SentCount]) + 4*uint64((m.hi-m.lo+gpu.WarpSize-1)/gpu.WarpSize)
	}
	if g.sum(Moved) > 0 {
		return g.combine(ctx)
	}
	return nil
}

// launch returns the launch on a GPU: as many blocks as its vertices need, of those that are resident.
func (g *groupLoop) launch(m *member, k *device.Kernel, barrier scheduler.GroupBarrierArg) (device.Launch, error) {
	args := []any{m.instance.Arg, m.near, m.outRow, scheduler.Problem{Source: g.Source, Vertices: uint32(g.Vertices())}, m.forest, m.values}
	found := largestArg{m.counts.Slice(largestAt, largestAt+1), m.counts.Slice(largestAt+1, farAt)}
	d := device.Launch{Kernel: k, Block: g.block, Cooperative: true}
	if g.skips {
		args = append(args, found, uint32(g.rounds))
	} else {
		_, _, edges := g.edges(kernels{})
		args, d.DynamicShared = append(args, edges, found), g.tile*device.U32.Bytes()
	}
	d.Args = append(args, m.wide, m.barrier, m.peers, barrier)
	return d, g.fit(g.group.GPU(m.index), &d, m.hi-m.lo)
}

// sum returns a count of all GPUs.
func (g *groupLoop) sum(at int) (sum float64) {
	for _, m := range g.members {
		sum += float64(m.counted[at])
	}
	return sum
}

// numbers returns the quantities of the run.
func (g *groupLoop) numbers() (list []scheduler.Number) {
	if g.skips {
		list = append(list, scheduler.Number{Name: share, Value: 100 * g.sum(largestAt+1) / float64(g.block*len(g.members))}, scheduler.Number{Name: visited, Value: g.sum(Visited)})
	}
	for _, q := range []string{forWarps, forBlocks, moved} {
		list = append(list, scheduler.Number{Name: q, Value: g.sum(position[q])})
	}
	for part, q := range partCycles {
		most := uint32(0)
		for _, m := range g.members {
			at := farAt + clockCount + part
			most = max(most, m.counted[at+1]-m.counted[at])
		}
		list = append(list, scheduler.Number{Name: q.Name, Value: float64(most)})
	}
	return list
}

// combine combines the values of all vertices of a component on GPU 0, where the first value of the root is not the one of all of them.
func (g *groupLoop) combine(ctx context.Context) error {
	k, l := entries(g.Algorithm), g.loop
	if err := l.compileOnly(ctx, k.restart, k.flatten, k.spread); err != nil {
		return err
	}
	var b scheduler.Batch
	first, in := g.members[0], scheduler.Problem{Source: g.Source, Vertices: uint32(g.Vertices())}
	add := func(m *member, e scheduler.EntryPoint, after []int, args ...any) (int, error) {
		kernel := l.compiled[e.Name]
		d := device.Launch{Kernel: kernel, Block: min(stepBlock, g.block), Args: args}
		var err error
		d.Grid, err = l.Grid(kernel, d.Block, scheduler.OneThread, g.Vertices())
		return b.Add(scheduler.Compute, device.Command{GPU: m.index, After: after, Launch: &d}), err
	}
	send := func(from, to *member, after int, what func(m *member) device.Buffer) int {
		src, dst := what(from), what(to)
		at := slices.IndexFunc(g.total.Pairs, func(p scheduler.PairUse) bool { return p.From == from.index && p.To == to.index })
		g.total.Pairs[at].Bytes += uint64(src.Bytes())
		return b.Add(scheduler.Transfer, device.Command{GPU: from.index, Stream: 1 + to.index, After: []int{after}, Copy: &device.Copy{Dst: dst, Src: src}})
	}
	var there []int
	for _, m := range g.members {
		last, err := add(m, k.restart, nil, m.instance.Arg, m.outRow, in, m.values, m.peers)
		if err != nil {
			return err
		}
		there = append(there, last)
		if m != first && m.hi > m.lo {
			there = append(there, send(m, first, last, func(o *member) device.Buffer { return o.peers.All.Parents.Slice(m.lo, m.hi) }),
				send(m, first, last, func(o *member) device.Buffer { return o.values.Slice(m.lo, m.hi) }))
		}
	}
	_, err := add(first, k.flatten, there, first.instance.Arg, first.peers.All, first.values, first.counts.Slice(Moved, Moved+1))
	if err != nil {
		return err
	}
	last, err := add(first, k.spread, nil, first.peers.All, first.values)
	if err != nil {
		return err
	}
	for _, m := range g.members[1:] {
		if m.hi > m.lo {
			send(first, m, last, func(o *member) device.Buffer { return o.values.Slice(m.lo, m.hi) })
		}
	}
	var spent scheduler.Spent
	err = b.Run(ctx, g.group, &spent)
	g.total.Compute, g.total.Transfer, g.total.Overlap = g.total.Compute+spent.Compute, g.total.Transfer+spent.Transfer, g.total.Overlap+spent.Overlap
	g.Record(l.compiled[k.spread.Name], spent.Report(), scheduler.Step{})
	return err
}
