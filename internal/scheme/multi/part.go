package multi

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Part is a range of vertices that a kernel processes, and the arcs of these vertices. The GPU
// that has the part is their owner. An arc leads from or to any vertex of the graph.
type Part struct {
	// Graph has a row for each vertex of the range: its incoming arcs in a pull, its outgoing
	// arcs in a push.
	Graph  scheduler.Graph
	First  uint32   // the vertex of row 0
	OutRow []uint32 // row offsets of the outgoing arcs of all vertices, for their degrees
	// Need says for each vertex of the range which other GPUs read its value: bit i is that of
	// GPU i. A vertex is marked if a bit is set. It is a boundary vertex: an arc leads from it
	// to a vertex of another GPU. The host marks them once (offline vertex refinement, slide
	// 22).
	Need []uint32
}

// Way is how a warp gathers the updates of 32 vertices.
type Way uint32

// The ways of gathering.
const (
	BySegment Way = iota // the warp shares the arcs of all 32: Warp Segmentation
	ByLane               // each lane takes the arcs of its own vertex
	ByWarp               // the warp takes the arcs of one vertex after another
)

// Base is a type for each way, so that the way is a constant of the kernel.
type Base interface{ Way() Way }

// Segments, Lanes and Warps are the bases.
type (
	Segments struct{}
	Lanes    struct{}
	Warps    struct{}
)

// Way returns BySegment.
func (Segments) Way() Way { return BySegment }

// Way returns ByLane.
func (Lanes) Way() Way { return ByLane }

// Way returns ByWarp.
func (Warps) Way() Way { return ByWarp }

// Tally is what a GPU tells the host after an iteration. Its words only ever grow, from 0, so
// that nobody has to clear them: the host subtracts what it read before.
type Tally struct {
	Changed *uint32 // vertices whose value changed so that another iteration is needed
	// Useful has a word for each GPU: values that changed and that this GPU reads. It is empty
	// if they are not to be counted.
	Useful []uint32
}

// useful adds the changed values of a warp's vertices to the counts of those GPUs that read
// them. Lane i of the warp counts for GPU i; it returns what it has so far.
func useful(t gpu.Thread, tally Tally, need uint32, changed bool, count uint32) uint32 {
	if len(tally.Useful) == 0 || !t.Any(gpu.FullMask, changed && need != 0) {
		return count
	}
	for i := uint32(0); i < gpu.Len(tally.Useful); i++ {
		votes := t.Ballot(gpu.FullMask, changed && need>>i&1 != 0)
		if t.Lane() == i {
			count += gpu.PopCount(votes)
		}
	}
	return count
}

// flush adds what the lanes have counted to the tally.
func flush(t gpu.Thread, tally Tally, count uint32) {
	if count > 0 {
		gpu.AtomicAdd(&tally.Useful[t.Lane()], count)
	}
}
