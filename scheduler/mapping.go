package scheduler

import "github.com/weft-gpu/weft/gpu"

// Mapping determines which threads share the arcs of a vertex; together they are a team.
// The block size must be a multiple of the warp size.
type Mapping interface {
	// Team returns the size of a team. It must return a constant.
	Team() Team
	// Vertices calls body for each i < n, in all threads of one team together.
	Vertices(t gpu.Thread, n uint32, body func(i uint32))
	// Arcs distributes the arcs from begin to end (exclusive) over the threads of the team.
	Arcs(t gpu.Thread, begin, end uint32, body func(e uint32))
	// ArcsUntil is Arcs with early exit: soon after body returns true in one thread, the
	// loop ends for the whole team.
	ArcsUntil(t gpu.Thread, begin, end uint32, body func(e uint32) (stop bool))
}

// Team is the number of threads in a team: a power of 2 up to a warp, or OneBlock. The lanes
// of a team of less than a warp are neighbors, and the first one is a multiple of the size.
type Team uint32

// The team sizes of the mappings. OneBlock is all threads of a block, however many it has.
const (
	OneThread Team = 1
	OneWarp   Team = gpu.WarpSize
	OneBlock  Team = gpu.MaxBlock
)

// ThreadPerVertex assigns each vertex to one thread. No lane idles if all vertices have the
// same degree; but a warp takes as long as its vertex of largest degree, and its lanes
// access up to 32 different rows at the same time.
type ThreadPerVertex struct{}

// Team returns OneThread.
func (ThreadPerVertex) Team() Team { return OneThread }

// Vertices is a grid-stride loop over threads.
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

// WarpPerVertex assigns each vertex to one warp. Its lanes read 32 neighboring arcs with
// one access; but most lanes idle if the vertex has few arcs.
type WarpPerVertex struct{}

// Team returns OneWarp.
func (WarpPerVertex) Team() Team { return OneWarp }

// Vertices is a grid-stride loop over warps.
func (WarpPerVertex) Vertices(t gpu.Thread, n uint32, body func(i uint32)) {
	for i := t.Global() / gpu.WarpSize; i < n; i += t.Stride() / gpu.WarpSize {
		body(i)
	}
}

// Arcs strides over the lanes of the warp.
func (WarpPerVertex) Arcs(t gpu.Thread, begin, end uint32, body func(e uint32)) {
	for e := begin + t.Lane(); e < end; e += gpu.WarpSize {
		body(e)
	}
}

// ArcsUntil makes the lanes vote after each 32 arcs.
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

// BlockPerVertex assigns each vertex to one block, which suits the few vertices with very
// many arcs. The next vertex depends only on the block, so all of its threads reach the
// same barriers.
type BlockPerVertex struct{}

// Team returns OneBlock.
func (BlockPerVertex) Team() Team { return OneBlock }

// Vertices is a grid-stride loop over blocks.
func (BlockPerVertex) Vertices(t gpu.Thread, n uint32, body func(i uint32)) {
	for i := t.Block(); i < n; i += t.GridDim() {
		body(i)
	}
}

// Arcs strides over the threads of the block.
func (BlockPerVertex) Arcs(t gpu.Thread, begin, end uint32, body func(e uint32)) {
	for e := begin + t.Idx(); e < end; e += t.BlockDim() {
		body(e)
	}
}

// ArcsUntil makes the threads vote after each strip of arcs.
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
