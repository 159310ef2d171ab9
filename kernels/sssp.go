package kernels

import "github.com/weft-gpu/weft/scheduler"

// SSSP is single-source shortest paths: the value of a vertex is its distance, the smallest
// sum of arc weights on a path from the source.
//
// It is the relaxation of Bellman and Ford with a frontier: a vertex whose distance
// decreased relaxes its arcs in the next iteration. A distance can decrease several times,
// so a vertex can return to the frontier.
//
// With Delta other than 0 it is delta-stepping, which saves most of these returns. Phase i
// visits the vertices with distances from i*Delta to below (i+1)*Delta, until none of them
// changes; vertices farther away wait. As in all delta-stepping on GPUs that followed
// Davidson et al., an arc is relaxed whenever its source is visited: Meyer and Sanders keep
// arcs longer than Delta for the end of a phase, which takes two passes over the rows.
//
// A pull in a phase reads the distances of all in-neighbors and takes those of the phase.
//
// Under schemes without phases Delta has no effect. Since weights are not negative, a phase
// has at most as many iterations as it has vertices.
//
// Sources: Liu and Huang, SIMD-X, USENIX ATC 2019, section 3.3 and figure 3; Meyer and
// Sanders, Delta-stepping: a parallelizable shortest path algorithm, 2003; Davidson, Baxter,
// Garland and Owens, Work-efficient parallel GPU methods for single-source shortest paths,
// IPDPS 2014.
type SSSP struct {
	scheduler.Min[uint32]
	Delta uint32 // width of a phase, as a distance; 0: one phase for all distances
}

// Init returns distance 0 for the source and Unreached for all other vertices.
func (SSSP) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	if v.ID == in.Source {
		return 0
	}
	return Unreached
}

// Start reports whether v is the source.
func (SSSP) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Compute returns the distance of the target by way of e. If the sum does not fit into 32
// bits, the arc carries no update.
func (SSSP) Compute(e scheduler.Edge, src uint32) (uint32, bool) {
	d := src + e.Weight()
	return d, d >= src
}

// Phases returns true.
func (SSSP) Phases() bool { return true }

// Unordered returns true: visits in another order find the same distances.
func (SSSP) Unordered() bool { return true }

// Phase returns the phase of a vertex that was not visited with its distance.
func (a SSSP) Phase(v, now uint32, distance uint32) uint32 {
	if a.Delta > 0 && distance != Unreached {
		if phase := distance / a.Delta; phase > now {
			return phase
		}
	}
	return scheduler.NoPhase
}

// Joins reports whether the distance belongs to phase now. None is below those of the phase.
func (a SSSP) Joins(v, now uint32, distance uint32) bool {
	return a.Delta == 0 || distance-now*a.Delta < a.Delta
}

// Gives reports whether the distance belongs to phase now: in a pull, the arcs of other
// vertices were relaxed in an earlier phase or will be in a later one.
func (a SSSP) Gives(v, now uint32, distance uint32) bool { return a.Joins(v, now, distance) }

// Closed reports whether the distance is below those of phase now.
func (a SSSP) Closed(now uint32, distance uint32) bool { return distance < now*a.Delta }
