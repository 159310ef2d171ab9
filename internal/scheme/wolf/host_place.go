//go:build !kernel

package wolf

import (
	"context"
	"fmt"
	"math"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
)

// place copies the edge list to the device and allocates the other buffers.
func (l *loop) place(ctx context.Context) error {
	m := l.Memory
	source, g, err := l.list(ctx)
	if err != nil {
		return err
	}
	l.graph = m.Graph(g)
	l.edges = edgesArg{Source: m.Copy("edges.Source", source), Count: uint32(g.Arcs())}
	l.Values = l.AllocValues()
	l.taken, l.edges.Slot = l.Values, l.edges.Source // placeholders for what the run does not need
	if l.take != nil {
		l.taken = m.Alloc("taken", l.Values.Elem, l.Vertices())
	}
	for i := range l.stamps {
		l.stamps[i] = m.Alloc("stamps", device.U32, l.Vertices())
	}
	l.count = m.Copy("count", l.lastCount[:])
	if err := l.placeBlocks(ctx, source, g); err != nil {
		return err
	}
	return l.Place()
}

// list returns the sources of the edge list, and the graph with its arcs in the order of the list;
// its rows remain those of the vertices.
func (l *loop) list(ctx context.Context) (source []uint32, g *graph.CSR, err error) {
	source = sources(l.Graph)
	if l.Params.Word("order") == bySource {
		return source, l.Graph, nil
	}
	order, err := l.Graph.FileOrder(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("order=file: %w", err)
	}
	ordered := *l.Graph
	pick := func(from []uint32) []uint32 {
		list := make([]uint32, len(from))
		for i, e := range order[:len(from)] { // a graph without weights has none
			list[i] = from[e]
		}
		return list
	}
	ordered.Col, ordered.Weight = pick(l.Graph.Col), pick(l.Graph.Weight)
	return pick(source), &ordered, nil
}

// placeBlocks splits the edge list into edge blocks.
func (l *loop) placeBlocks(ctx context.Context, source []uint32, g *graph.CSR) error {
	size, err := l.blockSize()
	if err != nil {
		return err
	}
	destinations := l.Params.Int("destinations-per-block")
	s := evenly(g.Arcs(), size)
	if l.gather != nil {
		if s, err = newSplit(ctx, g, size, destinations); err != nil {
			return err
		}
	}
	m := l.Memory
	l.grid, l.slots = s.blocks(), size
	if destinations > 0 {
		l.slots = min(size, destinations)
	}
	asleep := make([]uint32, l.grid)
	for i := range l.awake {
		l.awake[i] = m.Copy("blocks.awake", asleep)
	}
	first, vertex := l.awake[0], l.awake[0] // placeholders, as above
	if l.gather != nil {
		l.dynamic = l.slots * l.Values.Elem.Bytes()
		l.edges.Slot = m.Copy("edges.Slot", s.slot)
		first, vertex = m.Copy("blocks.First", s.first), m.Copy("blocks.Vertex", s.vertex)
		l.local = m.Alloc("local", l.Values.Elem, len(s.vertex))
	}
	if l.conflicts != nil {
		l.conflict = m.Alloc("conflict", device.U32, 1+Degrees)
	}
	switch planOf(l.Params) {
	case listed:
		row, home := s.homes(source, g.Vertices())
		l.blocks = listedArg{Begin: m.Copy("blocks.Begin", s.begin), First: first, Vertex: vertex, HomeRow: m.Copy("blocks.HomeRow", row), Home: m.Copy("blocks.Home", home)}
	case all:
		l.blocks = everyArg{Begin: m.Copy("blocks.Begin", s.begin), First: first, Vertex: vertex}
	default:
		l.blocks = blocksArg{Size: uint32(size), First: first, Vertex: vertex}
	}
	return m.Err()
}

// blockSize returns the number of edges per edge block.
func (l *loop) blockSize() (int, error) {
	if n := l.Params.Int("edges-per-block"); n > 0 {
		return n, nil
	}
	k := l.gather
	if k == nil {
		k = l.direct
	}
	occ, err := l.Device.Occupancy(k, l.block)
	if err != nil {
		return 0, err
	}
	if l.Params.Int("destinations-per-block") > 0 {
		occ.SharedFree = math.MaxInt // they bound the local values
	}
	kind, _ := device.KindOfType(l.Algorithm.Value)
	return edgesPerBlock(occ, l.block, kind.Bytes(), l.Graph.Arcs()), nil
}

// edgesPerBlock is the rule for the size of an edge block: as many edges as local values fit
// into the shared memory that occupancy leaves to each block, but no more than give every SM
// its number of blocks. It is a multiple of the number of threads, and at least that.
func edgesPerBlock(occ device.Occupancy, threads, valueBytes, arcs int) int {
	fits := occ.SharedFree / valueBytes / threads
	resident := max(occ.BlocksPerSM*occ.SMs, 1)
	fills := (arcs/resident + threads - 1) / threads
	return threads * max(min(fits, fills), 1)
}

// activity returns the argument of an iteration. The two arrays of each kind take turns.
func (l *loop) activity(i int) activityArg {
	return activityArg{Iteration: uint32(i), Now: l.stamps[i%2], Next: l.stamps[(i+1)%2], Awake: l.awake[i%2], Wake: l.awake[(i+1)%2],
		Processed: l.count.Slice(0, 1), Changed: l.count.Slice(1, 2)}
}
