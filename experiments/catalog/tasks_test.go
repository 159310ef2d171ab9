package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/experiments/catalog"
)

// TestThroughputOverTime checks that the history of atos has all visits, and that it is normalised by the overwork.
func TestThroughputOverTime(t *testing.T) {
	g := graphOf(t, "rmat:scale=6,degree=8,seed=3")
	for _, algorithm := range []string{"pagerank", "colouring"} {
		res, err := catalog.Run(t.Context(), openDevice(t, "sim:tiny"), catalog.Request{
			Algorithm: algorithm, Scheduler: "atos", Graph: g, Params: map[string]string{"history": "1000"}, Verify: true})
		require.NoError(t, err)
		require.True(t, res.Verified)
		last := res.Steps[len(res.Steps)-1]
		visited, _ := last.Number("visited")
		least, _ := last.Number("least")
		require.InDelta(t, g.Vertices(), least, 0)
		require.Len(t, res.Series, 2)
		for i, want := range []float64{visited, least} {
			sum := 0.0
			for _, x := range res.Series[i].Values {
				sum += x * res.Series[i].Interval
			}
			require.InEpsilon(t, want, sum, 1e-9, res.Series[i].Name)
		}
		require.Less(t, float64(len(res.Series[0].Values))*res.Series[0].Interval, res.KernelSeconds()+2e-6)
	}
	_, err := catalog.Run(t.Context(), openDevice(t, "sim:tiny"), catalog.Request{
		Algorithm: "pagerank", Scheduler: "atos", Graph: g, Params: map[string]string{"history": "1"}})
	require.EqualError(t, err, "parameter history of scheduler atos: the run is longer than 4095 intervals; choose longer ones")
}
