package papers

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInside checks the metric of what happens in the middle of a run alone.
func TestInside(t *testing.T) {
	const metric = "series.inside.ballots"
	for values, want := range map[string]float64{"[0, 1, 1, 0]": 2, "[0, 0, 0]": 0, "[1, 1, 0]": 0, "[0, 1, 1]": 0, "[0]": 0, "[1]": 0} {
		got := map[string]float64{}
		require.NoError(t, inside(got, []byte(`{"series": [{"name": "frontier", "values": [0, 5, 0]}, {"name": "ballots", "values": `+values+`}]}`), []string{metric}))
		require.Equal(t, map[string]float64{metric: want}, got, values)
	}
	got := map[string]float64{}
	require.NoError(t, inside(got, []byte(`{"series": [{"name": "ballots", "values": []}]}`), []string{metric}))
	require.Empty(t, got, "a run without the series has no such metric")
	require.NoError(t, inside(got, []byte(`{}`), []string{metric}))
	require.Empty(t, got)
	require.Error(t, inside(got, []byte(`{`), []string{metric}))
}
