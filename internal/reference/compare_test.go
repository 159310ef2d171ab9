package reference_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
)

func TestCompare(t *testing.T) {
	g := &graph.CSR{Name: "three", Row: []uint64{0, 0, 0, 0}, ID: []uint32{10, 20, 30}}
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		want, got any
		rel       float64
		by        string
		err       string
	}{
		{want: []uint32{1, 2, 3}, got: []uint32{1, 2, 3}},
		{want: []uint32{1, 2, 3}, got: []uint32{1, 4, 5}, err: "a: vertex 20 has hop 4, the reference hop 2; 2 of 3 vertices are wrong"},
		{want: []int64{1, 2, 3}, got: []int64{-1, 2, 3}, rel: 0.5, by: "x.txt", err: "a: vertex 10 has hop -1, x.txt hop 1; 1 of 3 vertices is wrong"},
		{want: []uint64{1 << 63, 1<<63 + 1, 3}, got: []uint64{1 << 63, 1 << 63, 3}, err: "a: vertex 20 has hop 9223372036854775808, the reference hop 9223372036854775809; 1 of 3 vertices is wrong"},
		{want: []float64{nan, inf, 0}, got: []float64{nan, inf, 0}},
		{want: []float32{1, 2, 3}, got: []float32{1, 2, 3.0001}, rel: 1e-4},
		{want: []float32{1, 2, 3}, got: []float32{1, 2, 3.001}, rel: 1e-4, err: "a: vertex 30 has hop 3.001, the reference hop 3 (allowed difference 0.0001 of the value); 1 of 3 vertices is wrong"},
		{want: []float64{1, inf, 0}, got: []float64{nan, 1, 1e-300}, rel: 0.5, err: "a: vertex 10 has hop NaN, the reference hop 1 (allowed difference 0.5 of the value); 3 of 3 vertices are wrong"},
		{want: []float64{1, 2, 3}, got: []float32{1, 2, 3}, err: "a: the answer is []float32, the reference []float64"},
		{want: []float64{1, 2}, got: []float64{1, 2, 3}, by: "x.txt", err: "a: x.txt has 2 values, the graph 3 vertices"},
		{want: []float64{1, 2, 3}, got: []float64{1, 2}, err: "a: the answer has 2 values, the graph 3 vertices"},
		{want: nil, got: []string{"1"}, err: "a: the answer is []string; it must be a slice of uint32, int32, uint64, int64, float32 or float64"},
	} {
		tolerance, err := reference.Compare(reference.Expected{Algorithm: "a", Value: "hop", By: c.by, Graph: g, Values: c.want, Tolerance: c.rel}, c.got)
		if c.err == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, c.err)
		}
		_, f32 := c.got.([]float32)
		require.Equal(t, c.rel > 0 && f32 || c.rel == 0.5 && c.by == "", tolerance != nil)
		if tolerance != nil && err == nil {
			require.InEpsilon(t, 0.0001/3, tolerance.Seen, 0.01)
		}
	}
}
