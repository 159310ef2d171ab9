package reference

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"github.com/weft-gpu/weft/graph"
)

// random returns a directed graph with self loops and few or many arcs per vertex.
func random(seed uint64) *graph.CSR {
	r := rand.New(rand.NewPCG(seed, 11))
	n := 1 + r.IntN(40)
	g := &graph.CSR{Name: fmt.Sprintf("random %d", seed), Row: []uint64{0}}
	density := r.Float64() * r.Float64()
	for range n {
		for v := range n {
			if r.Float64() < density {
				g.Col = append(g.Col, uint32(v))
			}
		}
		g.Row = append(g.Row, uint64(len(g.Col)))
	}
	return g
}

// graphs returns the graphs of specs and random ones.
func graphs(t *testing.T) []*graph.CSR {
	gs := []*graph.CSR{{Name: "empty", Row: []uint64{0}}}
	for _, spec := range specs {
		gs = append(gs, load(t, spec))
	}
	for seed := range uint64(60) {
		gs = append(gs, random(seed))
	}
	return gs
}

func TestSCCAgainstGonum(t *testing.T) {
	for _, g := range graphs(t) {
		o := simple.NewDirectedGraph() // without self loops, which change no component
		for u := range uint32(g.Vertices()) {
			o.AddNode(simple.Node(u))
		}
		for u := range uint32(g.Vertices()) {
			for _, v := range g.Neighbors(u) {
				if u != v {
					o.SetEdge(o.NewEdge(simple.Node(u), simple.Node(v)))
				}
			}
		}
		want := make([]uint32, g.Vertices())
		for _, component := range topo.TarjanSCC(o) {
			least := component[0].ID()
			for _, v := range component {
				least = min(least, v.ID())
			}
			for _, v := range component {
				want[v.ID()] = uint32(least)
			}
		}
		got, err := SCC(t.Context(), g)
		require.NoError(t, err)
		require.Equal(t, want, got, g.Name)
	}
}

// TestSCCOfADeepGraph checks that the depth of a graph is no limit.
func TestSCCOfADeepGraph(t *testing.T) {
	const n = 1 << 20
	g := &graph.CSR{Name: "cycle", Row: make([]uint64, n+1), Col: make([]uint32, n)}
	for v := range n {
		g.Row[v+1], g.Col[v] = uint64(v+1), uint32((v+1)%n)
	}
	got, err := SCC(t.Context(), g)
	require.NoError(t, err)
	require.Equal(t, make([]uint32, n), got)
}

func TestCorenessAgainstGonum(t *testing.T) {
	for _, spec := range specs {
		g, err := load(t, spec).Symmetrize(t.Context())
		require.NoError(t, err)
		o := simple.NewUndirectedGraph()
		for u := range uint32(g.Vertices()) {
			o.AddNode(simple.Node(u))
		}
		for u := range uint32(g.Vertices()) {
			for _, v := range g.Neighbors(u) {
				o.SetEdge(o.NewEdge(simple.Node(u), simple.Node(v)))
			}
		}
		want := make([]uint32, g.Vertices())
		for k := 1; ; k++ {
			core := topo.KCore(k, o)
			if len(core) == 0 {
				break
			}
			for _, v := range core {
				want[v.ID()] = uint32(k)
			}
		}
		got, err := Coreness(t.Context(), g)
		require.NoError(t, err)
		require.Equal(t, want, got, spec)
	}
}

// TestCoreByRemoval compares with the definition: vertices with fewer than k neighbors are
// removed until there are none.
func TestCoreByRemoval(t *testing.T) {
	for _, g := range graphs(t) {
		if g.Vertices() > 100 {
			continue
		}
		g, err := g.Symmetrize(t.Context())
		require.NoError(t, err)
		coreness, err := Coreness(t.Context(), g)
		require.NoError(t, err)
		for k := uint32(1); ; k++ {
			inside := remaining(g, k)
			got, err := Core(t.Context(), g, coreness, k)
			require.NoError(t, err)
			core := 0
			for v := range inside {
				require.Equal(t, inside[v], coreness[v] >= k, "%s: vertex %d, k %d", g.Name, v, k)
				if inside[v] {
					core++
					require.Equal(t, neighborsIn(g, v, inside), got[v], "%s: vertex %d, k %d", g.Name, v, k)
				} else {
					require.Equal(t, min(uint32(g.Degree(uint32(v))), k-1), got[v], "%s: vertex %d, k %d", g.Name, v, k)
				}
			}
			if core == 0 {
				break
			}
		}
	}
}

// remaining returns the vertices of the k-core.
func remaining(g *graph.CSR, k uint32) []bool {
	inside := make([]bool, g.Vertices())
	for v := range inside {
		inside[v] = true
	}
	for again := true; again; {
		again = false
		for v := range inside {
			if inside[v] && neighborsIn(g, v, inside) < k {
				inside[v], again = false, true
			}
		}
	}
	return inside
}

func neighborsIn(g *graph.CSR, v int, inside []bool) (n uint32) {
	for _, u := range g.Neighbors(uint32(v)) {
		if inside[u] {
			n++
		}
	}
	return n
}
