package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/sweep"
)

const root = "../../../.."

// TestPage checks that each row of the file is of a point of the study, and that the table of the page is made of them.
func TestPage(t *testing.T) {
	s, err := spec.Load(t.Context(), filepath.Join(root, "experiments", "studies", "gpus-simulated.yaml"), sweep.Check)
	require.NoError(t, err)
	rows, err := read(filepath.Join(root, "results", "multi", "scaling.csv"))
	require.NoError(t, err)
	var keys []key
	for _, p := range s.Points {
		keys = append(keys, keyOf(p))
	}
	for k := range rows {
		require.Contains(t, keys, k)
	}
	page, err := os.ReadFile(filepath.Join(root, "results", "multi", "README.md"))
	require.NoError(t, err)
	again, err := fill(string(page), table(s.Points, rows))
	require.NoError(t, err)
	require.Equal(t, again, string(page), "run: make multi-scaling")
	copied := filepath.Join(t.TempDir(), "scaling.csv")
	require.NoError(t, write(copied, s.Points, rows))
	same, err := read(copied)
	require.NoError(t, err)
	require.Equal(t, rows, same)
}

// TestTable checks a table by hand: two GPUs with half of the time are twice as fast.
func TestTable(t *testing.T) {
	point := func(device string) spec.Point {
		return spec.Point{Settings: []spec.Setting{{Name: "algorithm", Value: "bfs"}, {Name: "graph", Value: "g"}, {Name: "device", Value: device}}}
	}
	points := []spec.Point{point("sim:h200"), point("sim:h200x2")}
	rows := map[key]row{keyOf(points[0]): {gpus: 1, iterations: 5, kernel: 100e-6, seconds: 150e-6}, keyOf(points[1]): {gpus: 2, iterations: 5, kernel: 50e-6, seconds: 300e-6, perArc: 0.5, cut: 50, remote: 1000, barriers: 20, ofGPUs: 30, ofGrid: 10}}
	text := table(points, rows)
	require.Contains(t, text, "| bfs | g | 1 | 5 | 100.0 | 1.00 | 150 | 1.00 | 0% | 0.00 | 0 | 0% | 0% | 0% |\n")
	require.Contains(t, table(append(points, point("sim:h200x4")), rows), "| bfs | g | 4 | not run yet | | | | | | | | | | |\n")
	require.Contains(t, text, "| bfs | g | 2 | 5 | 50.0 | 2.00 | 300 | 0.50 | 50% | 0.50 | 1000 | 2% | 30% | 10% |\n")
	_, err := fill("no page", text)
	require.EqualError(t, err, "the page has no place for the table: <!-- table simulated -->\n<!-- end of table simulated -->\n")
}

// TestPoint checks a point on two small GPUs: its answer is verified, warps wait in both barriers, and what is sent for barriers is a part of all.
func TestPoint(t *testing.T) {
	p := spec.Point{Settings: []spec.Setting{{Name: "algorithm", Value: "bfs"}, {Name: "device", Value: "sim:tinyx2"}, {Name: "graph", Value: "rmat:scale=8,degree=8"},
		{Name: "scheduler", Value: "multi"}, {Name: "param.loop", Value: "device"}}}
	require.Equal(t, key{"bfs", "rmat:scale=8,degree=8", "sim:tinyx2"}, keyOf(p))
	r, err := point(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, []float64{2, 5}, []float64{r.gpus, r.iterations})
	require.Positive(t, r.kernel)
	require.Greater(t, r.seconds, r.kernel)
	for _, share := range []float64{r.ofGPUs, r.ofGrid, r.cut} {
		require.Greater(t, share, 1.0)
		require.Less(t, share, 99.0)
	}
	require.Less(t, r.ofGPUs+r.ofGrid, 100.0)
	require.Positive(t, r.barriers)
	require.Less(t, r.barriers, r.remote)
}
