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
	add := func(graph, scheduler string, launches int, beside, kernel float64) {
		f.Rows = append(f.Rows, Row{Key: Key{Graph: graph, Algorithm: "bfs", Scheduler: scheduler, Params: fmt.Sprint(len(f.Rows))}, Launches: launches, Arcs: HostCache,
			Seconds: []float64{(beside + float64(launches)*kernel) * 1e-6}, KernelSeconds: []float64{float64(launches) * kernel * 1e-6}})
	}
	kernels := func(r *Row) int { return map[string]int{"two": 2, "three": 3, "four": 4}[r.Scheduler] }
	for i := range 120 {
		launches, k := 1+i%40, 2+i%3
		beside := 4 + 30 + 9*float64(launches) + 14*float64(k)
		if i%10 == 3 {
			beside += 5000 // the host did something else
		}
		add(fmt.Sprint("g", i%4), []string{"two", "three", "four"}[i%3], launches, beside, 20)
	}
	for range 200 { // rows that say something else, each for a reason to leave it out
		add("compared", "two", 10, 1, 20)
		add("g0", "unknown", 20, 1, 20)
		add("g0", "two", 10, 1, 2000)
		add("g0", "two", 300, 1, 20)
	}
	f.Sessions = append(f.Sessions, Meta{GPU: "X", Commit: "of a later day, on another host"})
	for i := range 100 {
		add("g1", "two", 10+i%3, 5000, 20)
		f.Rows[len(f.Rows)-1].Session = 1
	}
	compared := func(r *Row) bool { return r.Graph == "compared" }
	h, err := f.Host(4, 16, kernels, compared)
	require.NoError(t, err)
	assert.InDelta(t, 9, h.Each, 0.1)
	assert.InDelta(t, 14, h.First, 0.3)
	assert.InDelta(t, 30, h.Cold, 1)
	assert.Equal(t, "120 rows of the record on 4 graphs, none of which is compared", h.From)

	_, err = f.Host(4, 16, kernels, func(*Row) bool { return true })
	require.ErrorContains(t, err, "only 0 rows of runs that are not compared (100 are needed), and no host rows")
	half := *f // graphs that take half of the caches
	half.Rows = slices.Clone(f.Rows)
	for i := range half.Rows {
		half.Rows[i].Arcs = HostCache / 8
	}
	h, err = half.Host(4, 16, kernels, compared)
	require.NoError(t, err)
	assert.InDelta(t, 60, h.Cold, 2)

	for i := range f.Rows {
		f.Rows[i].Launches = 5
	}
	_, err = f.Host(4, 16, func(*Row) int { return 2 }, compared)
	require.ErrorContains(t, err, "do not tell the time of a launch")

	f.Sessions = []Meta{{Host: []Micro{{Name: HostEach, Median: 8}, {Name: HostStart, Median: 40}}}, {Host: []Micro{{Name: HostEach, Median: 10}, {Name: HostStart, Median: 60}}}}
	h, err = f.Host(4, 16, func(*Row) int { return 2 }, compared)
	require.NoError(t, err)
	assert.Equal(t, &Host{Each: 9, Cold: 30, From: "host rows of the record's 2 sessions"}, h)
	f.Sessions[1].Host = nil // a session without: its host may be another one
	_, err = f.Host(4, 16, func(*Row) int { return 2 }, compared)
	require.Error(t, err)
}

// TestHostOfEqualRuns has runs of two kernels on graphs that no cache holds, and a few of three that took 90 us more for another reason: with the first launch of a kernel at 90 us, that of a run would be
// below 0. What is known of the former is kept, and the latter is what is left.
func TestHostOfEqualRuns(t *testing.T) {
	f := &Repeated{Sessions: []Meta{{GPU: "X"}}}
	for i := range 120 {
		launches, scheduler, beside := 1+i%40, "two", 4+50.0
		if i%8 == 0 {
			scheduler, beside = "three", beside+90
		}
		beside += 9 * float64(launches)
		f.Rows = append(f.Rows, Row{Key: Key{Graph: "g", Algorithm: "bfs", Scheduler: scheduler, Params: fmt.Sprint(i)}, Launches: launches, Arcs: HostCache,
			Seconds: []float64{(beside + float64(launches)*20) * 1e-6}, KernelSeconds: []float64{float64(launches) * 20e-6}})
	}
	h, err := f.Host(4, 16, func(r *Row) int { return map[string]int{"two": 2, "three": 3}[r.Scheduler] }, func(*Row) bool { return false })
	require.NoError(t, err)
	assert.Zero(t, h.First)
	assert.InDelta(t, 9, h.Each, 0.1)
	assert.InDelta(t, 50-16, h.Cold, 1)
}
