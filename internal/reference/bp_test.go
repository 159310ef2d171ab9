package reference

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
)

// agreeing returns belief propagation with priors from -1 to 1.
func agreeing(coupling, epsilon float64) BP {
	return BP{Coupling: coupling, Epsilon: epsilon, Prior: func(v uint32) float64 { return math.Mod(float64(v)*0.7368, 2) - 1 }}
}

// inTree returns a random tree of n vertices whose arcs lead to vertex 0, with weights.
func inTree(n int, r *rand.Rand) *graph.CSR {
	g := &graph.CSR{Name: "in-tree", Row: []uint64{0, 0}}
	for v := 1; v < n; v++ {
		g.Col = append(g.Col, r.Uint32N(uint32(v)))
		g.Weight = append(g.Weight, 1+r.Uint32N(64))
		g.Row = append(g.Row, uint64(v))
	}
	return g
}

// logOdds returns the log-odds of vertex 0 by summing over all states: the sum-product of a
// model in which each vertex has its prior, and the ends of an arc agree with a correlation.
func logOdds(g *graph.CSR, b BP) float64 {
	total := make([]float64, g.Vertices())
	for e, v := range g.Col {
		total[v] += float64(g.Weight[e])
	}
	var sum [2]float64
	for state := range 1 << g.Vertices() {
		p := 1.0
		sign := func(v int) float64 { return float64(state>>v&1)*2 - 1 }
		for v := range g.Vertices() {
			p *= math.Exp(sign(v) * b.Prior(uint32(v)) / 2)
			for i, u := range g.Neighbors(uint32(v)) {
				t := b.Coupling * float64(g.Weights(uint32(v))[i]) / total[u]
				p *= 1 + t*sign(v)*sign(int(u)) // exp(J s s') for t = tanh J, but for a factor
			}
		}
		sum[state&1] += p
	}
	return math.Log(sum[1] / sum[0])
}

// TestBeliefsAreExactAtTheRoot compares with the sum over all states.
func TestBeliefsAreExactAtTheRoot(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		g, b := inTree(1+r.IntN(11), r), agreeing(0.05+0.9*r.Float64(), 1e-3)
		x, err := b.Beliefs(t.Context(), g)
		require.NoError(t, err)
		require.InDelta(t, logOdds(g, b), x[0], 1e-9)
	}
}

// TestBeliefsAreAFixedPoint evaluates the equation at each vertex, also where there are
// cycles, self loops and arcs that weigh nothing.
func TestBeliefsAreAFixedPoint(t *testing.T) {
	for _, g := range []*graph.CSR{load(t, "rmat:scale=7,degree=6,directed=true"), load(t, "grid:width=9,keep=0.8"),
		{Name: "loops", Row: []uint64{0, 2, 3, 4}, Col: []uint32{0, 1, 2, 0}, Weight: []uint32{3, 0, 0, 5}}} {
		b := agreeing(0.9, 1e-3)
		x, err := b.Beliefs(t.Context(), g)
		require.NoError(t, err)
		want, total := make([]float64, len(x)), make([]float64, len(x))
		for e, v := range g.Col {
			total[v] += float64(g.Weight[e])
		}
		for u := range x {
			want[u] += b.Prior(uint32(u))
			for i, v := range g.Neighbors(uint32(u)) {
				if total[v] > 0 {
					want[v] += 2 * math.Atanh(0.9*float64(g.Weights(uint32(u))[i])/total[v]*math.Tanh(x[u]/2))
				}
			}
		}
		require.InDeltaSlice(t, want, x, 1e-11, g.Name)
	}
}

// believing is a run in float32.
func believing(g *graph.CSR, b BP) []float32 {
	n := g.Vertices()
	total, now := make([]float32, n), make([]float32, n)
	for e, v := range g.Col {
		total[v] += float32(g.Weight[e])
	}
	for v := range now {
		now[v] = float32(b.Prior(uint32(v)))
	}
	for moved := true; moved; {
		moved = false
		next := make([]float32, n)
		for u, x := range now {
			for i, v := range g.Neighbors(uint32(u)) {
				if total[v] > 0 {
					t := float32(b.Coupling) / total[v] * float32(g.Weights(uint32(u))[i])
					next[v] += float32(2 * math.Atanh(float64(t)*math.Tanh(float64(x)/2)))
				}
			}
		}
		for v := range next {
			next[v] += float32(b.Prior(uint32(v)))
			moved = moved || math.Abs(float64(next[v]-now[v])) > b.Epsilon
		}
		now = next
	}
	return now
}

func TestCheckBP(t *testing.T) {
	for _, spec := range append(specs, "../../graph/testdata/wiki-Vote.txt.gz") {
		g := load(t, spec)
		for _, b := range []BP{agreeing(0.1, 1e-2), agreeing(0.5, 1e-3), agreeing(0.9, 1e-5)} {
			prior := b.Prior
			b.Prior = func(v uint32) float64 { return float64(float32(prior(v))) } // as a device has it
			got := believing(g, b)
			tolerance, err := CheckBP(t.Context(), g, b, got)
			require.NoError(t, err, spec)
			require.LessOrEqual(t, tolerance.Seen, tolerance.Allowed)
			require.Less(t, tolerance.Allowed, 1.01*b.Epsilon*b.Coupling/(1-b.Coupling)+1e-3, "little more than epsilon leaves")
			v := g.Vertices() / 2
			got[v] += 2*float32(tolerance.Allowed) + 1e-6
			_, err = CheckBP(t.Context(), g, b, got)
			var m *Mismatch
			require.ErrorAs(t, err, &m, spec)
			require.Equal(t, 1, m.Wrong)
			require.Equal(t, g.FileID(uint32(v)), m.Vertex)
			got[v] = float32(math.NaN())
			_, err = CheckBP(t.Context(), g, b, got)
			require.ErrorContains(t, err, "has belief NaN, the reference belief ")
		}
	}
}

func TestCheckBPRefuses(t *testing.T) {
	g := load(t, "grid:width=3,keep=1")
	_, err := CheckBP(t.Context(), g, agreeing(0.5, 1e-3), make([]float32, 8))
	require.EqualError(t, err, "bp: the answer has 8 values, the graph 9 vertices")
	_, err = CheckBP(t.Context(), g, agreeing(1, 1e-3), make([]float32, 9))
	require.EqualError(t, err, "coupling is 1; expected a number between 0 and 1")
	_, err = CheckBP(t.Context(), g, agreeing(0.9, 0.1), make([]float32, 9))
	require.ErrorContains(t, err, "so a comparison is meaningless")
	g.Weight = nil
	_, err = CheckBP(t.Context(), g, agreeing(0.5, 1e-3), make([]float32, 9))
	require.ErrorIs(t, err, ErrNoWeights)
}
