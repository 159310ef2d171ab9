package graph

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/internal/base/memory"
)

// Facts describe a graph. Degrees count outgoing arcs.
type Facts struct {
	Name      string `json:"name"`
	Vertices  uint64 `json:"vertices"`
	Arcs      uint64 `json:"arcs"`
	Symmetric bool   `json:"symmetric"`
	Weighted  bool   `json:"weighted"`
	MinWeight uint32 `json:"min_weight,omitempty"`
	MaxWeight uint32 `json:"max_weight,omitempty"`

	MinDegree    uint32  `json:"min_degree"`
	MedianDegree uint32  `json:"median_degree"` // the lower one of the two middle degrees
	MeanDegree   float64 `json:"mean_degree"`
	P99Degree    uint32  `json:"p99_degree"` // at least 99% of the vertices have at most this degree
	MaxDegree    uint32  `json:"max_degree"`
	// MaxDegreeVertex is the id of the vertex of largest degree in the graph's file
	// (CSR.FileID).
	MaxDegreeVertex uint64 `json:"max_degree_vertex"`
	MaxInDegree     uint32 `json:"max_in_degree"`
	// DegreeHistogram counts vertices by degree: element 0 counts degree 0, element i
	// counts degrees from 2^(i-1) to 2^i - 1.
	DegreeHistogram []uint64 `json:"degree_histogram"`

	Isolated  uint64 `json:"isolated"`   // vertices without incoming and outgoing arcs
	Sinks     uint64 `json:"sinks"`      // vertices without outgoing arcs, including isolated ones
	SelfLoops uint64 `json:"self_loops"` // arcs from a vertex to itself
	// Duplicates counts arcs that repeat another arc with the same ends.
	Duplicates uint64 `json:"duplicates"`

	// Connectivity is nil if it was left out; its fields are then not in JSON.
	*Connectivity
}

// Connectivity has the facts of a graph that searches find. They take far longer than all others:
// minutes for 100 million arcs.
type Connectivity struct {
	Components       uint64 `json:"components"`        // weakly connected, including isolated vertices
	EdgeComponents   uint64 `json:"edge_components"`   // components with at least one edge
	LargestComponent uint64 `json:"largest_component"` // number of vertices
	// Diameter is a lower bound of the diameter of the largest component, in edges and
	// ignoring directions: the largest distance that several breadth-first searches found.
	Diameter uint32 `json:"diameter_at_least"`
}

// Facts computes the facts of g: LocalFacts and its Connectivity. The error reports that there
// is not enough memory, or is ctx's error.
func (g *CSR) Facts(ctx context.Context) (Facts, error) {
	f, err := g.LocalFacts(ctx)
	if err != nil {
		return f, err
	}
	f.Connectivity = &Connectivity{}
	if g.Vertices() == 0 {
		return f, nil
	}
	return f, f.components(ctx, g)
}

// LocalFacts computes the facts of g without its Connectivity, in a few passes over its arcs. The
// error is that of Facts.
func (g *CSR) LocalFacts(ctx context.Context) (Facts, error) {
	n := g.Vertices()
	f := Facts{Name: g.Name, Vertices: uint64(n), Arcs: uint64(g.Arcs()), Symmetric: g.Symmetric, Weighted: g.Weight != nil}
	if err := memory.Need(memory.Bytes[[4]uint32](uint64(n)), "describing the %d vertices of graph %q", n, g.Name); err != nil {
		return f, err
	}
	if len(g.Weight) > 0 {
		f.MinWeight = g.Weight[0]
		if err := chunks(ctx, g.Weight, func(_ int, w []uint32) {
			f.MinWeight, f.MaxWeight = min(f.MinWeight, slices.Min(w)), max(f.MaxWeight, slices.Max(w))
		}); err != nil {
			return f, err
		}
	}
	if n == 0 {
		return f, ctx.Err()
	}
	in := make([]uint32, n)
	look := poller{ctx: ctx}
	for u := range n {
		row := g.Neighbors(uint32(u))
		if err := look.after(1 + len(row)); err != nil {
			return f, err
		}
		for i, v := range row {
			in[v]++
			if v == uint32(u) {
				f.SelfLoops++
			}
			if i > 0 && row[i-1] == v {
				f.Duplicates++
			}
		}
	}
	f.MaxInDegree = slices.Max(in)
	for u := range n {
		if err := look.after(1); err != nil {
			return f, err
		}
		if g.Degree(uint32(u)) == 0 {
			f.Sinks++
			if in[u] == 0 {
				f.Isolated++
			}
		}
	}
	return f, f.degrees(ctx, g, in[:0])
}

// degrees computes the distribution of out-degrees. It overwrites counts.
func (f *Facts) degrees(ctx context.Context, g *CSR, counts []uint32) error {
	n := g.Vertices()
	hub, _ := g.MaxDegreeVertex()
	f.MaxDegreeVertex, f.MaxDegree = g.FileID(hub), uint32(g.Degree(hub))
	f.MeanDegree = float64(g.Arcs()) / float64(n)
	f.DegreeHistogram = make([]uint64, bits.Len32(f.MaxDegree)+1)
	if int(f.MaxDegree) < cap(counts) {
		counts = counts[:f.MaxDegree+1]
		clear(counts)
	} else { // only if rows contain duplicate targets
		if err := memory.Need(memory.Bytes[uint32](uint64(f.MaxDegree)+1), "counting the degrees of graph %q", g.Name); err != nil {
			return err
		}
		counts = make([]uint32, uint64(f.MaxDegree)+1)
	}
	look := poller{ctx: ctx}
	for v := range n {
		if err := look.after(1); err != nil {
			return err
		}
		d := g.Degree(uint32(v))
		f.DegreeHistogram[bits.Len(uint(d))]++
		counts[d]++
	}
	below := 0 // vertices of smaller degree
	for d, count := range counts {
		if err := look.after(1); err != nil {
			return err
		}
		for _, quantile := range []struct {
			vertex int // in ascending order of degrees
			degree *uint32
		}{{0, &f.MinDegree}, {(n - 1) / 2, &f.MedianDegree}, {(99*n+99)/100 - 1, &f.P99Degree}} {
			if quantile.vertex >= below && quantile.vertex < below+int(count) {
				*quantile.degree = uint32(d)
			}
		}
		below += int(count)
	}
	return nil
}

// components traverses the weakly connected components and finds the largest.
func (f *Connectivity) components(ctx context.Context, g *CSR) error {
	u, err := g.Symmetrize(ctx)
	if err != nil {
		return err
	}
	s := &sweep{look: poller{ctx: ctx}, mark: make([]uint32, u.Vertices()), queue: make([]uint32, 0, u.Vertices())}
	var start uint32
	for v := range u.Vertices() {
		if s.mark[v] != 0 {
			continue
		}
		reached, _, _, err := s.from(u, uint32(v), 1)
		if err != nil {
			return err
		}
		f.Components++
		if u.Degree(uint32(v)) > 0 {
			f.EdgeComponents++
		}
		if uint64(reached) > f.LargestComponent {
			f.LargestComponent, start = uint64(reached), uint32(v)
		}
	}
	f.Diameter, err = s.diameter(u, start, f.LargestComponent)
	return err
}

// diameter returns a lower bound of the diameter of start's component. A search from any
// vertex ends at a remote vertex, and a search from there reaches further (double sweep).
// That is repeated while it improves the bound, from a few starting points that depend only
// on the graph.
func (s *sweep) diameter(g *CSR, start uint32, vertices uint64) (most uint32, err error) {
	const beginnings = 8
	mark := uint32(2) // components used mark 1
	_, far, _, err := s.from(g, start, mark)
	if err != nil {
		return 0, err
	}
	order := slices.Clone(s.queue)
	hub := slices.MaxFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(g.Degree(a), g.Degree(b)), cmp.Compare(b, a))
	})
	for i := range uint64(beginnings) {
		switch i {
		case 0: // far, found by the first sweep
		case 1:
			far = hub
		default:
			far = order[i*(vertices-1)/(beginnings-1)]
		}
		for deepest := uint32(0); ; {
			mark++
			var depth uint32
			if _, far, depth, err = s.from(g, far, mark); err != nil {
				return 0, err
			}
			if depth <= deepest {
				break
			}
			deepest = depth
			most = max(most, depth)
		}
	}
	return most, nil
}

// sweep is a breadth-first search that can be repeated without clearing: mark holds the
// number of the last sweep that reached each vertex.
type sweep struct {
	look  poller
	mark  []uint32
	queue []uint32
	// bounded ends a search when left arcs have been followed; left is then negative.
	bounded bool
	left    int
}

// from returns the number of vertices that can be reached from v, the one of smallest
// degree among the farthest of them, and its distance; of a search that is cut, those that it
// has reached. mark must not have been used before for these vertices.
func (s *sweep) from(g *CSR, v, mark uint32) (reached int, far, depth uint32, err error) {
	q := append(s.queue[:0], v)
	s.mark[v] = mark
	level := 0 // start of the current level in q
	for {
		end := len(q)
		for i := level; i < end; i++ {
			if err := s.look.after(1 + g.Degree(q[i])); err != nil {
				return 0, 0, 0, err
			}
			if s.bounded {
				if s.left -= g.Degree(q[i]); s.left < 0 {
					break
				}
			}
			for _, w := range g.Neighbors(q[i]) {
				if s.mark[w] != mark {
					s.mark[w] = mark
					q = append(q, w)
				}
			}
		}
		if len(q) == end {
			break
		}
		level = end
		depth++
		if s.bounded && s.left < 0 {
			break
		}
	}
	far = q[level]
	for _, w := range q[level:] {
		if g.Degree(w) < g.Degree(far) {
			far = w
		}
	}
	s.queue = q
	return len(q), far, depth, nil
}
