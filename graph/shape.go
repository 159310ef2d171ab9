package graph

import (
	"context"
	"math"

	"github.com/weft-gpu/weft/internal/base/memory"
)

// Shape has the facts of a graph on which the best scheme for an algorithm depends most:
// how many arcs there are, how differently they are spread over the vertices, and how many
// levels a breadth-first search has. Degrees count outgoing arcs.
type Shape struct {
	Vertices   uint64  `json:"vertices"`
	Arcs       uint64  `json:"arcs"`
	MeanDegree float64 `json:"mean_degree"`
	MaxDegree  uint32  `json:"max_degree"`
	// DegreeVariation is the standard deviation of the degrees divided by their mean; 0 if
	// there are no arcs.
	DegreeVariation float64 `json:"degree_variation"`
	// Levels is the larger number of levels of two breadth-first searches along the arcs: one
	// from the vertex of largest degree, and one from the farthest vertex that it reaches
	// (double sweep). In a connected symmetric graph, Levels-1 is a lower bound of the
	// diameter.
	Levels uint32 `json:"levels"`
	// LevelSize is the mean number of vertices per level of the first search.
	LevelSize float64 `json:"level_size"`
	// Cut reports that the searches were ended after ShapeArcs arcs. Levels and LevelSize
	// are then those of the part that was searched.
	Cut bool `json:"cut,omitempty"`
}

// ShapeArcs is the number of arcs after which the searches of Shape end. It bounds their
// time: to a second or two if each arc costs a cache miss. It is a number of arcs and not a
// time, so that the shape of a graph is the same on every machine.
const ShapeArcs = 1 << 24

// Shape computes the shape of g, in one pass over the vertices and two searches that follow
// at most ShapeArcs arcs together. The error reports that there is not enough memory, or is
// ctx's error.
func (g *CSR) Shape(ctx context.Context) (Shape, error) { return g.shape(ctx, ShapeArcs) }

func (g *CSR) shape(ctx context.Context, arcs int) (Shape, error) {
	n := g.Vertices()
	sh := Shape{Vertices: uint64(n), Arcs: uint64(g.Arcs())}
	if n == 0 {
		return sh, ctx.Err()
	}
	if err := memory.Need(memory.Bytes[[2]uint32](uint64(n)), "searching the %d vertices of graph %q", n, g.Name); err != nil {
		return sh, err
	}
	sh.MeanDegree = float64(g.Arcs()) / float64(n)
	look := poller{ctx: ctx}
	var squares float64
	for v := range n {
		if err := look.after(1); err != nil {
			return sh, err
		}
		d := float64(g.Degree(uint32(v))) - sh.MeanDegree
		squares += d * d
	}
	if sh.MeanDegree > 0 {
		sh.DegreeVariation = math.Sqrt(squares/float64(n)) / sh.MeanDegree
	}
	hub, _ := g.MaxDegreeVertex()
	sh.MaxDegree = uint32(g.Degree(hub))
	s := &sweep{look: look, mark: make([]uint32, n), queue: make([]uint32, 0, n), bounded: true, left: arcs}
	reached, far, depth, err := s.from(g, hub, 1)
	if err != nil {
		return sh, err
	}
	sh.Levels, sh.LevelSize = depth+1, float64(reached)/float64(depth+1)
	if s.left >= 0 {
		if _, _, depth, err = s.from(g, far, 2); err != nil {
			return sh, err
		}
		sh.Levels = max(sh.Levels, depth+1)
	}
	sh.Cut = s.left < 0
	return sh, nil
}
