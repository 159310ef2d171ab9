//go:build !kernel

package wolf

import (
	"context"

	"github.com/weft-gpu/weft/device"
)

// place copies the edge list to the device and allocates the other buffers.
func (l *loop) place(ctx context.Context) error {
	m := l.Memory
	l.graph = m.Graph(l.Graph)
	l.edges = edgesArg{Source: m.Copy("edges.Source", sources(l.Graph)), Count: uint32(l.Graph.Arcs())}
	l.Values = l.AllocValues()
	l.taken, l.edges.Slot = l.Values, l.edges.Source // placeholders for what the run does not need
	if l.take != nil {
		l.taken = m.Alloc("taken", l.Values.Elem, l.Vertices())
	}
	for i := range l.stamps {
		l.stamps[i] = m.Alloc("stamps", device.U32, l.Vertices())
	}
	l.count = m.Copy("count", l.lastCount[:])
	if err := l.placeBlocks(ctx); err != nil {
		return err
	}
	return l.Place()
}

// placeBlocks splits the edge list into edge blocks.
func (l *loop) placeBlocks(ctx context.Context) error {
	size, err := l.blockSize()
	if err != nil {
		return err
	}
	m := l.Memory
	l.grid = blocksOf(l.Graph.Arcs(), size)
	asleep := make([]uint32, l.grid)
	for i := range l.awake {
		l.awake[i] = m.Copy("blocks.awake", asleep)
	}
	l.blocks = blocksArg{Size: uint32(size), First: l.awake[0], Vertex: l.awake[0]} // placeholders, as above
	if l.gather == nil {
		return m.Err()
	}
	s, err := newSplit(ctx, l.Graph, size)
	if err != nil {
		return err
	}
	l.dynamic = size * l.Values.Elem.Bytes()
	l.edges.Slot = m.Copy("edges.Slot", s.slot)
	l.blocks.First, l.blocks.Vertex = m.Copy("blocks.First", s.first), m.Copy("blocks.Vertex", s.vertex)
	l.local = m.Alloc("local", l.Values.Elem, len(s.vertex))
	if l.conflicts != nil {
		l.conflict = m.Alloc("conflict", device.U32, 1+Degrees)
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
