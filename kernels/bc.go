package kernels

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// BC is the part of one source in betweenness centrality: the value of a vertex is, in the end, its dependency, the sum over all
// vertices t of the share of the shortest paths from the source to t, by arcs, that pass the vertex on their way. The sum of the
// dependencies over all sources is the betweenness of the vertex. The source, and vertices that it does not reach, have 0.
//
// A level of the search is a phase. Forward, in phase l, the vertices of level l send their number of shortest paths to their
// neighbors without a level, which add up what they get, and are the next level. When no vertex gets anything, the deepest level
// begins with the way back: a vertex w sends (1+dependency)/paths along its incoming arcs to the vertices of the level before it, and a
// vertex that has all of these has as dependency their sum times its own paths. Phase back-d is that of the vertices of depth d on
// the way back, so that no vertex has to know how many levels there are.
//
// Numbers of paths are float64: on a grid they grow by a power of two with each level. Atomic additions of float64 need compute
// capability 6.0.
//
// Sources: Brandes, A Faster Algorithm for Betweenness Centrality, Journal of Mathematical Sociology 2001; Beamer, Asanović and
// Patterson, The GAP Benchmark Suite, arXiv:1508.03619, for float64; Sarıyüce et al., Betweenness Centrality on GPUs and
// Heterogeneous Architectures, GPGPU-6 2013, for level-synchronous sums in both directions.
type BC struct {
	scheduler.Add[float64]
	Depth []uint32  // the level of a vertex plus 1; 0 if it has none yet
	Paths []float64 // the number of shortest paths to a vertex that has a level
}

// back is larger than all depths: phase back-d belongs to depth d on the way back.
const back = uint32(1) << 31

// Init returns one path for the source, and none for all other vertices.
func (a BC) Init(v scheduler.Vertex, in scheduler.Problem) float64 {
	a.Depth[v.ID], a.Paths[v.ID] = 0, 0
	if v.ID == in.Source {
		a.Depth[v.ID], a.Paths[v.ID] = 1, 1
	}
	return 0
}

// Start reports whether v is the source.
func (BC) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Phases returns true.
func (BC) Phases() bool { return true }

// Reverse reports whether it is the way back.
func (BC) Reverse(phase uint32) bool { return phase > back/2 }

// Take returns what v sends: its paths, or what each of them adds to the dependency of the vertex before v.
func (a BC) Take(v scheduler.Vertex, p *float64) float64 {
	if a.Reverse(v.Phase) {
		return (1 + gpu.Load(p)) / a.Paths[v.ID]
	}
	return a.Paths[v.ID]
}

// Compute sends to vertices that have no level yet, and on the way back to those of the level before.
func (a BC) Compute(e scheduler.Edge, x float64) (float64, bool) {
	if a.Reverse(e.Phase) {
		return x, a.Depth[e.Dst]+1 == a.Depth[e.Src]
	}
	return x, a.Depth[e.Dst] == 0
}

// Joins returns false: what gets an update is visited in a later phase.
func (BC) Joins(v, now uint32, x float64) bool { return false }

// Phase returns the next phase for a vertex without a level that has paths, and otherwise that of the way back. The source needs
// none.
func (a BC) Phase(v, now uint32, x float64) uint32 {
	depth := a.Depth[v]
	if depth == 0 && x > 0 {
		return now + 1
	}
	if depth > 1 && back-depth > now {
		return back - depth
	}
	return scheduler.NoPhase
}

// Enter gives v its level, or, on the way back, its dependency. The neighbors of the source need not send theirs.
func (a BC) Enter(v scheduler.Vertex, p *float64) bool {
	if a.Reverse(v.Phase) {
		*p *= a.Paths[v.ID]
		return v.Degree > 0 && a.Depth[v.ID] > 2
	}
	a.Depth[v.ID], a.Paths[v.ID] = v.Phase+1, *p
	*p = 0
	return v.Degree > 0
}
