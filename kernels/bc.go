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
// neighbors without a level, which add up what they get, and are the next level. When no vertex gets anything, all keep their
// numbers of paths, and begin with a sum of 0 (phase turn). Then the deepest level begins with the way back: a vertex w sends
// (1+dependency)/paths to the vertices of the level before it, where the dependency is the sum of what it got times its own paths.
// Phase back-d is that of the vertices of depth d on the way back, so that no vertex has to know how many levels there are. The last
// phase, back, makes the sums dependencies.
//
// Numbers of paths are float64: on a grid they grow by a power of two with each level. Atomic additions of float64 need compute
// capability 6.0.
//
// Sources: Brandes, A Faster Algorithm for Betweenness Centrality, Journal of Mathematical Sociology 2001; Beamer, Asanović and
// Patterson, The GAP Benchmark Suite, arXiv:1508.03619, for float64; Sarıyüce et al., Betweenness Centrality on GPUs and
// Heterogeneous Architectures, GPGPU-6 2013, for level-synchronous sums in both directions; Jia et al., Edge v. Node Parallelism for
// Graph Centrality Metrics, GPU Computing Gems 2011, for lists of the levels.
type BC struct {
	scheduler.Add[float64]
	Depth []uint32  // the level of a vertex plus 1; 0 if it has none yet
	Paths []float64 // the number of shortest paths to a vertex, from phase turn on
}

// The phases after those of the levels. back is larger than all depths: phase back-d belongs to depth d on the way back.
const (
	turn = back / 2
	back = uint32(1) << 31
)

// Init returns one path for the source, and none for all other vertices.
func (a BC) Init(v scheduler.Vertex, in scheduler.Problem) float64 {
	a.Depth[v.ID], a.Paths[v.ID] = 0, 0
	if v.ID == in.Source {
		a.Depth[v.ID] = 1
		return 1
	}
	return 0
}

// Start reports whether v is the source.
func (BC) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Phases returns true.
func (BC) Phases() bool { return true }

// Levels returns true: a scheme may keep a list of each level.
func (BC) Levels() bool { return true }

// Return returns the phase of a level on the way back. The neighbors of the source need not send theirs.
func (BC) Return(level uint32) uint32 {
	if level < 2 {
		return scheduler.NoPhase
	}
	return back - 1 - level
}

// Reverse reports whether it is the way back.
func (BC) Reverse(phase uint32) bool { return phase > turn }

// Take returns what v sends: its paths, or what each of them adds to the dependency of the vertex before v. That is
// (1+dependency)/paths.
func (a BC) Take(v scheduler.Vertex, p *float64) float64 {
	x := gpu.Load(p)
	if a.Reverse(v.Phase) {
		x += 1 / a.Paths[v.ID]
	}
	return x
}

// Compute sends to the next level, and on the way back to that before. A vertex of the next level may have entered that already.
func (a BC) Compute(e scheduler.Edge, x float64) (float64, bool) {
	if a.Reverse(e.Phase) {
		return x, a.level(e.Dst)+1 == a.level(e.Src)
	}
	depth := gpu.Load(&a.Depth[e.Dst])
	return x, depth == 0 || depth == e.Phase+2
}

// level returns the level of a vertex plus 1, where no thread gives it one at the same time: the L1 may answer.
func (a BC) level(v uint32) uint32 { return gpu.Load(&a.Depth[v], gpu.BlockScope) }

// Gives reports whether v belongs to the level that sends in a phase of the way back.
func (a BC) Gives(v, now uint32, x float64) bool { return a.level(v) == back-now }

// Active reports whether the update is the first one that v gets. Each is at least one path.
func (BC) Active(v uint32, old, new float64) bool { return old == 0 }

// Joins returns false: what gets an update is visited in a later phase.
func (BC) Joins(v, now uint32, x float64) bool { return false }

// Phase returns the next phase for a vertex without a level that has paths, and otherwise that of the way back, and those before and
// after it.
func (a BC) Phase(v, now uint32, x float64) uint32 {
	depth := a.level(v)
	switch {
	case depth == 0 && x > 0:
		return now + 1
	case depth > 0 && now < turn:
		return turn
	case depth > 2 && back-depth > now:
		return back - depth
	case depth > 1 && back > now:
		return back
	}
	return scheduler.NoPhase
}

// Enter gives v its level; before the way back, an empty sum; and after it, its dependency.
func (a BC) Enter(v scheduler.Vertex, p *float64) bool {
	switch {
	case v.Phase < turn:
		gpu.Store(&a.Depth[v.ID], v.Phase+1) // Compute may load it at the same time
	case v.Phase == turn:
		a.Paths[v.ID], *p = *p, 0
		return false
	case v.Phase == back:
		*p *= a.Paths[v.ID]
		return false
	}
	return v.Degree > 0
}
