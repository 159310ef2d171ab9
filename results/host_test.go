package results

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHost checks the host of a record: by the line through rows that are not compared, whatever a few of them say, and by host rows of its
// sessions before that.
func TestHost(t *testing.T) {
	f := &Repeated{Sessions: []Meta{{GPU: "X"}}}
	add := func(graph string, launches, iterations int, beside, kernel float64) {
		f.Rows = append(f.Rows, Row{Key: Key{Graph: graph, Algorithm: "bfs", Params: fmt.Sprint(len(f.Rows))}, Launches: launches, Iterations: iterations, Arcs: HostCache,
			Seconds: []float64{(beside + float64(launches)*kernel) * 1e-6}, KernelSeconds: []float64{float64(launches) * kernel * 1e-6}})
	}
	for i := range 120 {
		launches := 1 + i%40
		beside := 50 + 9*float64(launches)
		if i%10 == 3 {
			beside += 5000 // the host did something else
		}
		add(fmt.Sprint("g", i%4), launches, launches, beside, 20)
	}
	for range 200 { // rows that say something else, each for a reason to leave it out
		add("compared", 10, 10, 1, 20)
		add("g0", 20, 10, 1, 20)
		add("g0", 10, 10, 1, 2000)
		add("g0", 300, 300, 1, 20)
	}
	compared := func(r *Row) bool { return r.Graph == "compared" }
	h, err := f.Host(20, compared)
	require.NoError(t, err)
	assert.InDelta(t, 9, h.Each, 1e-6)
	assert.InDelta(t, 30, h.Cold, 1e-6)
	assert.Equal(t, "120 rows of the record on 4 graphs, none of which is compared", h.From)

	_, err = f.Host(20, func(*Row) bool { return true })
	require.ErrorContains(t, err, "only 0 rows of host loops that are not compared (100 are needed), and no host rows")
	half := *f // graphs that take half of the caches, and tiny ones, which tell nothing of them
	half.Rows = slices.Clone(f.Rows)
	for i := range half.Rows {
		half.Rows[i].Arcs = HostCache / 8 * (i % 2)
	}
	h, err = half.Host(20, compared)
	require.NoError(t, err)
	assert.InDelta(t, 60, h.Cold, 1e-6)

	for i := range f.Rows {
		f.Rows[i].Launches, f.Rows[i].Iterations = 5, 5
	}
	_, err = f.Host(20, compared)
	require.ErrorContains(t, err, "do not tell the time of a launch")

	f.Sessions = []Meta{{Host: []Micro{{Name: HostEach, Median: 8}, {Name: HostStart, Median: 40}}}, {Host: []Micro{{Name: HostEach, Median: 10}, {Name: HostStart, Median: 60}}}}
	h, err = f.Host(20, compared)
	require.NoError(t, err)
	assert.Equal(t, &Host{9, 30, "host rows of the record's 2 sessions"}, h)
	f.Sessions[1].Host = nil // a session without: its host may be another one
	_, err = f.Host(20, compared)
	require.Error(t, err)
}
