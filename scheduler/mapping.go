package scheduler

import "github.com/weft-gpu/weft/gpu"

// Mapping says which threads share the arcs of a vertex: a team. Blocks are a
// whole number of warps.
type Mapping interface {
	// Team is the size of a team. A constant.
	Team() Team
	// Vertices calls body for each i below n, in all threads of one team,
	// which stay together.
	Vertices(t gpu.Thread, n uint32, body func(i uint32))
	// Arcs deals the arcs from begin to end (exclusive) to the team's threads.
	Arcs(t gpu.Thread, begin, end uint32, body func(e uint32))
	// ArcsUntil is Arcs that ends for the whole team soon after body returned
	// true in one of its threads.
	ArcsUntil(t gpu.Thread, begin, end uint32, body func(e uint32) (stop bool))
}

// Team is the size of a team.
type Team uint32

// The sizes.
const (
	OneThread Team = iota
	OneWarp
	OneBlock
)

// ThreadPerVertex gives each vertex to one thread: no lane idles on vertices of
// equal degree, but a warp takes as long as its largest vertex, and its lanes
// read 32 rows at once.
type ThreadPerVertex struct{}

// Team is OneThread.
func (ThreadPerVertex) Team() Team { return OneThread }

// Vertices strides over the grid's threads.
func (ThreadPerVertex) Vertices(t gpu.Thread, n uint32, body func(i uint32)) {
	for i := t.Global(); i < n; i += t.Stride() {
		body(i)
	}
}

// Arcs is a plain loop.
func (ThreadPerVertex) Arcs(t gpu.Thread, begin, end uint32, body func(e uint32)) {
	for e := begin; e < end; e++ {
		body(e)
	}
}

// ArcsUntil is a plain loop with a break.
func (ThreadPerVertex) ArcsUntil(t gpu.Thread, begin, end uint32, body func(e uint32) bool) {
	for e := begin; e < end; e++ {
		if body(e) {
			return
		}
	}
}

// WarpPerVertex gives each vertex to a warp: its lanes read 32 neighbouring
// arcs at once, but most of them idle on a vertex of few.
type WarpPerVertex struct{}

// Team is OneWarp.
func (WarpPerVertex) Team() Team { return OneWarp }

// Vertices strides over the grid's warps.
func (WarpPerVertex) Vertices(t gpu.Thread, n uint32, body func(i uint32)) {
	for i := t.Global() / gpu.WarpSize; i < n; i += t.Stride() / gpu.WarpSize {
		body(i)
	}
}

// Arcs strides over the lanes.
func (WarpPerVertex) Arcs(t gpu.Thread, begin, end uint32, body func(e uint32)) {
	for e := begin + t.Lane(); e < end; e += gpu.WarpSize {
		body(e)
	}
}

// ArcsUntil lets the lanes vote after each 32 arcs.
func (WarpPerVertex) ArcsUntil(t gpu.Thread, begin, end uint32, body func(e uint32) bool) {
	for strip := begin; strip < end; strip += gpu.WarpSize {
		stop := false
		if e := strip + t.Lane(); e < end {
			stop = body(e)
		}
		if t.Any(gpu.FullMask, stop) {
			return
		}
	}
}

// BlockPerVertex gives each vertex to a block: for the few vertices of very
// many arcs. Which vertex comes next depends on the block alone, so all of its
// threads reach the same barriers.
type BlockPerVertex struct{}

// Team is OneBlock.
func (BlockPerVertex) Team() Team { return OneBlock }

// Vertices strides over the grid's blocks.
func (BlockPerVertex) Vertices(t gpu.Thread, n uint32, body func(i uint32)) {
	for i := t.Block(); i < n; i += t.GridDim() {
		body(i)
	}
}

// Arcs strides over the block's threads.
func (BlockPerVertex) Arcs(t gpu.Thread, begin, end uint32, body func(e uint32)) {
	for e := begin + t.Idx(); e < end; e += t.BlockDim() {
		body(e)
	}
}

// ArcsUntil lets the threads vote after each strip of arcs.
func (BlockPerVertex) ArcsUntil(t gpu.Thread, begin, end uint32, body func(e uint32) bool) {
	for strip := begin; strip < end; strip += t.BlockDim() {
		stop := false
		if e := strip + t.Idx(); e < end {
			stop = body(e)
		}
		if t.SyncOr(stop) {
			return
		}
	}
}
