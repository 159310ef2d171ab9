package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
)

func TestForecast(t *testing.T) {
	for _, spec := range []string{"demo", "rmat:scale=10,degree=8", "uniform:n=1000,degree=4", "grid:width=20,keep=0.7", "grid:width=20,height=5", "smallworld:n=300", "testdata/luxembourg_osm.mtx.gz"} {
		g, _, err := graph.Open(t.Context(), spec, graph.LoadOptions{})
		require.NoError(t, err)
		n, arcs := graph.Forecast(spec)
		require.InEpsilon(t, 2*g.Vertices(), n+uint64(g.Vertices()), 0.8, "%s: %d vertices, %d expected", spec, g.Vertices(), n)
		require.InEpsilon(t, 2*g.Arcs(), arcs+uint64(g.Arcs()), 0.8, "%s: %d arcs, %d expected", spec, g.Arcs(), arcs)
	}
	for _, spec := range []string{"", "none.mtx", "rmat:scale=x", "rmat"} {
		n, arcs := graph.Forecast(spec)
		require.Zero(t, n+arcs, spec)
	}
}

func TestIsFile(t *testing.T) {
	for spec, want := range map[string]bool{"demo": false, "rmat:scale=4": false, "forecast.go": true} {
		file, err := graph.IsFile(spec)
		require.NoError(t, err)
		require.Equal(t, want, file)
	}
	for spec, want := range map[string]string{
		"rmat": "generator rmat needs values, such as rmat:scale=20,degree=16,seed=1", "none.mtx": "stat none.mtx: no such file or directory",
		"grid:width=0": "generator grid: width=0: expected a whole number from 1 to 4294967295 (vertices per row)",
	} {
		_, err := graph.IsFile(spec)
		require.EqualError(t, err, want)
	}
}
