package reference

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/weft-gpu/weft/graph"
)

// heat returns the relaxation of half the difference to the mean.
func heat(rounds int) Relaxation {
	return Relaxation{Algorithm: "heat", Value: "temperature", Old: 0.5, Mean: 0.5, Rounds: rounds, Epsilon: 0.01,
		Next: func(old, mean float64) float64 { return old + 0.5*(mean-old) }}
}

// circuit returns the relaxation of mean/1.1, with the source at 1.
func circuit(rounds int) Relaxation {
	return Relaxation{Algorithm: "circuit", Value: "voltage", Fixed: true, Mean: 1 / 1.1, Rounds: rounds, Epsilon: 1e-8,
		Next: func(_, mean float64) float64 { return mean / 1.1 }}
}

// TestCircuitAgainstGonum compares the iteration with the solution of the linear equations.
func TestCircuitAgainstGonum(t *testing.T) {
	for _, spec := range []string{"../../graph/testdata/karate.mtx.gz", "grid:width=6,keep=0.6,seed=3", "rmat:scale=6,degree=4,directed=true"} {
		g := load(t, spec)
		src, _ := g.MaxDegreeVertex()
		n := g.Vertices()
		in, err := g.Transpose(t.Context())
		require.NoError(t, err)
		a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
		b.SetVec(int(src), 1)
		for v := range n {
			a.Set(v, v, 1)
			total := 0.0
			for _, w := range in.Weights(uint32(v)) {
				total += float64(w)
			}
			if uint32(v) == src {
				continue
			}
			for i, u := range in.Neighbors(uint32(v)) {
				a.Set(v, int(u), a.At(v, int(u))-float64(in.Weights(uint32(v))[i])/total/1.1)
			}
		}
		var x mat.VecDense
		require.NoError(t, x.SolveVec(a, b))
		got := make([]float32, n)
		for v := range got {
			got[v] = float32(x.AtVec(v))
		}
		tolerance, err := CheckRelaxation(t.Context(), g, src, circuit(250), got)
		require.NoError(t, err, spec)
		require.Less(t, tolerance.Allowed, 1e-4)
		got[n/2] += 1e-3
		_, err = CheckRelaxation(t.Context(), g, src, circuit(250), got)
		var m *Mismatch
		require.ErrorAs(t, err, &m)
		require.Equal(t, 1, m.Wrong)
	}
}

// TestHeatByHand follows two neighbors of the source.
func TestHeatByHand(t *testing.T) {
	// 1 - 0 - 2 with the weights 1 and 3.
	g := &graph.CSR{Name: "hand", Row: []uint64{0, 2, 3, 4}, Col: []uint32{1, 2, 0, 0}, Weight: []uint32{1, 3, 1, 3}, Symmetric: true}
	r := heat(2)
	r.Epsilon = 1
	// After one round 1/2, 1/2, 1/2; it is an equilibrium.
	tolerance, err := CheckRelaxation(t.Context(), g, 0, r, []float32{0.5, 0.5, 0.5})
	require.NoError(t, err)
	require.Zero(t, tolerance.Seen)
	require.Less(t, tolerance.Allowed, 1e-5)
	_, err = CheckRelaxation(t.Context(), g, 0, r, []float32{0.5, 0.25, 0.5})
	require.ErrorContains(t, err, "heat: vertex 1 has temperature 0.25, the reference temperature 0.5 (allowed difference ")
	require.ErrorContains(t, err, "1 of 3 vertices is wrong")

	_, err = CheckRelaxation(t.Context(), g, 0, heat(1), []float32{0.5, 0.5, 0.5})
	require.EqualError(t, err, "heat: the run ended although a value changed by 0.5, which is more than 0.01")
	_, err = CheckRelaxation(t.Context(), g, 0, heat(0), []float32{1, 0, 0})
	require.NoError(t, err, "no iteration")
}

func TestRelaxationRefuses(t *testing.T) {
	g := &graph.CSR{Name: "bare", Row: []uint64{0, 1, 1}, Col: []uint32{1}}
	_, err := CheckRelaxation(t.Context(), g, 2, heat(1), make([]float32, 2))
	require.EqualError(t, err, "source 2 is out of range: graph bare has 2 vertices")
	_, err = CheckRelaxation(t.Context(), g, 0, heat(1), make([]float32, 3))
	require.EqualError(t, err, "heat: the answer has 3 values, the graph 2 vertices")
	_, err = CheckRelaxation(t.Context(), g, 0, heat(1), make([]float32, 2))
	require.EqualError(t, err, "graph bare: the graph has no weights; load it with graph.WeightsAlways, or use CSR.WithWeights")
	g.Weight = []uint32{1}
	r := Relaxation{Algorithm: "heat", Old: 1, Mean: 1, Rounds: 30, Epsilon: 1e30, Next: func(old, mean float64) float64 { return 2 * (old + mean) }}
	_, err = CheckRelaxation(t.Context(), g, 0, r, make([]float32, 2))
	var none *NoBoundError
	require.ErrorAs(t, err, &none)
}
