package compare_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/compare"
	"github.com/weft-gpu/weft/internal/measure/store"
)

// storeOf returns a store with runs: device, scheduler, graph, and the cycles of each run.
func storeOf(t *testing.T, runs ...[]any) *store.Store {
	s, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "r.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	for i, r := range runs {
		for n, v := range r[3:] {
			_, err := s.Add(t.Context(), &store.Run{Point: fmt.Sprint(i), Repeat: n, Status: store.OK, Algorithm: "bfs", Device: r[0].(string), Scheduler: r[1].(string), Graph: r[2].(string),
				Kernel: r[1].(string), Date: time.Now(), Settings: map[string]string{"scheduler": r[1].(string), "graph": r[2].(string)}, Metrics: []store.Metric{{Name: "cycles", Unit: "cycle", Value: v.(float64)}}})
			require.NoError(t, err)
		}
	}
	return s
}

func TestExact(t *testing.T) {
	s := storeOf(t, []any{"sim:tiny", "warp", "g1", 100.0}, []any{"sim:tiny", "warp", "g2", 100.0}, []any{"sim:tiny", "thread", "g1", 150.0}, []any{"sim:tiny", "thread", "g2", 100.0}, []any{"sim:tiny", "thread", "g3", 7.0})
	r, err := compare.Runs(t.Context(), compare.Side{Name: "warp", Store: s, Where: []string{"scheduler=warp"}}, compare.Side{Name: "thread", Store: s, Where: []string{"scheduler=thread"}}, []string{"cycles"}, nil)
	require.NoError(t, err)
	require.Len(t, r.Differences, 2)
	require.Equal(t, compare.Difference{What: "graph=g1", Metric: "cycles", Unit: "cycle", A: compare.Center{1, 100, 100, 100}, B: compare.Center{1, 150, 150, 150}, Ratio: 1.5, Real: true}, r.Differences[0])
	require.False(t, r.Differences[1].Real)
	require.InDelta(t, 1.2247, r.Means[0].Ratio, 1e-4)
	require.Equal(t, []int{0, 1}, []int{r.OnlyA, r.OnlyB})
	var b strings.Builder
	r.Text(&b)
	require.Equal(t, `A  warp
B  thread

point     metric    A    B    B/A
graph=g1  cycles  100  150  1.500  +50.0%
graph=g2  cycles  100  100  1.000    same
geometric mean of B/A, cycles, 2 points: 1.225
without a counterpart: 0 points of A, 1 of B
`, b.String())
}

// TestNothing says why no runs belong together.
func TestNothing(t *testing.T) {
	s := storeOf(t, []any{"sim:tiny", "warp", "g1", 100.0}, []any{"sim:tiny", "thread", "g2", 150.0})
	_, err := s.Add(t.Context(), &store.Run{Point: "other", Status: store.OK, Graph: "g9", Date: time.Now(), Metrics: []store.Metric{{Name: "other"}}})
	require.NoError(t, err)
	side := func(where string) compare.Side { return compare.Side{Name: where, Store: s, Where: []string{where}} }
	for _, c := range []struct{ a, b, metric, want string }{
		{"scheduler=warp", "scheduler=thread", "cycles", "no points belong together: those of A and B also differ in graph; --except graph ignores that\nwithout a counterpart: 1 points of A, 1 of B\n"},
		{"scheduler=warp", "scheduler=block", "cycles", "no run with status ok: scheduler=block\nwithout a counterpart: 1 points of A, 0 of B\n"},
		{"graph=g1", "graph=g1", "other", "no runs that belong together have a value of the metric\n"},
	} {
		r, err := compare.Runs(t.Context(), side(c.a), side(c.b), []string{c.metric}, nil)
		require.NoError(t, err)
		var b strings.Builder
		r.Text(&b)
		require.True(t, strings.HasSuffix(b.String(), c.want), b.String())
	}
	_, err = compare.Runs(t.Context(), side("scheduler=warp"), side("scheduler=thread"), []string{"cycles"}, []string{"grahp"})
	require.EqualError(t, err, `there is no column, setting or metric "grahp"`)
	r, err := compare.Runs(t.Context(), side("scheduler=warp"), side("scheduler=thread"), []string{"cycles"}, []string{"graph", "kernel"})
	require.NoError(t, err)
	require.Len(t, r.Differences, 1)
}

// TestOverview compares all metrics at once.
func TestOverview(t *testing.T) {
	s := storeOf(t, []any{"sim:tiny", "warp", "g1", 100.0}, []any{"sim:tiny", "thread", "g1", 150.0}, []any{"sim:tiny", "warp", "g2", 100.0}, []any{"sim:tiny", "thread", "g2", 250.0})
	for i, scheduler := range []string{"warp", "thread"} {
		_, err := s.Add(t.Context(), &store.Run{Point: "g3" + scheduler, Status: store.OK, Algorithm: "bfs", Device: "sim:tiny", Scheduler: scheduler, Graph: "g3", Date: time.Now(), Settings: map[string]string{"scheduler": scheduler, "graph": "g3"},
			Metrics: []store.Metric{{Name: "conflicts", Unit: "pass", Meaning: "of banks", Value: float64(7 * i)}, {Name: "loads", Value: 3}, {Name: "launch_wall_seconds", Value: float64(i)}}})
		require.NoError(t, err)
	}
	side := func(where string) compare.Side { return compare.Side{Name: where, Store: s, Where: []string{where}} }
	r, err := compare.Runs(t.Context(), side("scheduler=warp"), side("scheduler=thread"), []string{"*"}, nil)
	require.NoError(t, err)
	var b strings.Builder
	r.Text(&b)
	require.Equal(t, `A  scheduler=warp
B  scheduler=thread

means over 3 points; 2 of 3 metrics differ
metric       A    B    B/A  unit   meaning
conflicts    0    7      -  pass   of banks
cycles     100  200  2.000  cycle
`, b.String())
	r, err = compare.Runs(t.Context(), side("scheduler=warp"), side("scheduler=thread"), []string{"c*s"}, nil)
	require.NoError(t, err)
	require.Equal(t, []compare.Overview{{"conflicts", "pass", "of banks", 1, 0, 7}, {"cycles", "cycle", "", 2, 100, 200}}, r.Overview)
	for pattern, want := range map[string]string{"x*": `there is no column, setting or metric "x*"`, "[": `condition "[" is not a pattern with * and ?`} {
		_, err := compare.Runs(t.Context(), side("scheduler=warp"), side("scheduler=thread"), []string{pattern}, nil)
		require.EqualError(t, err, want)
	}
}

// TestChance compares samples of times on a real GPU.
func TestChance(t *testing.T) {
	noisy := []any{"hw:0", "warp", "g1", 10.0, 11.0, 10.5, 10.2, 10.8, 10.4}
	a := storeOf(t, noisy)
	for name, c := range map[string]struct {
		runs []any
		real bool
		note string
	}{
		"slower": {[]any{"hw:0", "warp", "g1", 12.0, 12.5, 12.2, 12.1, 12.9, 12.3}, true, ""},
		"same":   {[]any{"hw:0", "warp", "g1", 10.1, 11.1, 10.45, 10.3, 10.7, 10.41}, false, ""},
		"few":    {[]any{"hw:0", "warp", "g1", 12.0, 12.1}, false, "need >= 4 samples to detect a difference at alpha level 0.05"},
	} {
		a := a
		if name == "few" {
			a = storeOf(t, noisy[:5])
		}
		r, err := compare.Runs(t.Context(), compare.Side{Name: "A", Store: a}, compare.Side{Name: "B", Store: storeOf(t, c.runs)}, []string{"cycles"}, nil)
		require.NoError(t, err)
		require.Len(t, r.Differences, 1)
		d := r.Differences[0]
		require.Equal(t, c.real, d.Real, name)
		require.Equal(t, c.note, d.Note, name)
		require.Equal(t, "all", d.What)
		require.LessOrEqual(t, d.A.Lo, d.A.Median)
	}
}

// TestSeeds puts simulations of several seeds together: their medians are compared, with the chance
// that five values of each side differ so.
func TestSeeds(t *testing.T) {
	s := storeOf(t, []any{"sim:tiny", "warp", "g1", 100.0, 104.0, 101.0, 103.0, 102.0}, []any{"sim:tiny", "thread", "g1", 150.0, 153.0, 151.0, 152.0, 154.0}, []any{"sim:tiny", "block", "g1", 100.5, 103.5, 101.5, 102.5, 98.0})
	for other, want := range map[string]compare.Difference{
		"thread": {B: compare.Center{5, 152, 152, 152}, Ratio: 152.0 / 102, P: 2.0 / 252, Real: true}, // the least of 10!/(5! 5!) orders, on both sides
		"block":  {B: compare.Center{5, 101.5, 101.5, 101.5}, Ratio: 101.5 / 102, P: 0.6905},
	} {
		r, err := compare.Runs(t.Context(), compare.Side{Name: "warp", Store: s, Where: []string{"scheduler=warp"}}, compare.Side{Name: other, Store: s, Where: []string{"scheduler=" + other}}, []string{"cycles"}, nil)
		require.NoError(t, err)
		require.Len(t, r.Differences, 1)
		d := r.Differences[0]
		require.InDelta(t, 102, d.A.Median, 0, "not the least")
		require.InDelta(t, want.B.Median, d.B.Median, 0)
		require.InDelta(t, want.Ratio, d.Ratio, 1e-9)
		require.InDelta(t, want.P, d.P, 1e-3, other)
		require.Equal(t, want.Real, d.Real)
	}
}

func TestRefuses(t *testing.T) {
	s := storeOf(t, []any{"sim:tiny", "warp", "g1", 100.0})
	_, err := compare.Runs(t.Context(), compare.Side{Name: "left", Store: s}, compare.Side{Name: "right", Store: s}, []string{"cycels"}, nil)
	require.EqualError(t, err, `left: there is no column, setting or metric "cycels"`)
	_, err = compare.Runs(t.Context(), compare.Side{Name: "left", Store: s, Where: []string{"x"}}, compare.Side{Name: "right", Store: s}, []string{"cycles"}, nil)
	require.EqualError(t, err, `condition "x" is not NAME=VALUE; the operators are = != < <= > >= ~`)
}

// TestVersions checks that runs of several versions are no repetitions of each other.
func TestVersions(t *testing.T) {
	s := storeOf(t, []any{"sim:tiny", "warp", "g1", 100.0}, []any{"sim:tiny", "warp", "g2", 100.0})
	newer := func(graph, version, kernel string, cycles float64) {
		_, err := s.Add(t.Context(), &store.Run{Point: version + kernel + graph, Status: store.OK, Algorithm: "bfs", Device: "sim:tiny", Scheduler: "warp", Kernel: "warp", Graph: graph, Version: version, KernelHash: kernel,
			Date: time.Now().Add(time.Hour), Settings: map[string]string{"scheduler": "warp", "graph": graph}, Metrics: []store.Metric{{Name: "cycles", Unit: "cycle", Value: cycles}}})
		require.NoError(t, err)
	}
	newer("g1", "v2", "", 120)
	all := compare.Side{Name: "all", Store: s}
	old := compare.Side{Name: "old", Store: s, Where: []string{"version!=v2"}}
	r, err := compare.Runs(t.Context(), old, all, []string{"cycles"}, nil)
	require.NoError(t, err)
	require.Equal(t, []compare.Older{{Side: "B", Runs: 1, Points: 1, Differ: []string{"version"}, Versions: []string{""}}}, r.Older)
	require.Equal(t, []float64{1.2, 1}, []float64{r.Differences[0].Ratio, r.Differences[1].Ratio})
	require.Equal(t, 1, r.Differences[0].B.Runs)
	newer("g2", "v2", "k2", 130)
	newer("g2", "v2", "k3", 140)
	newer("g1", "v3", "", 150)
	r, err = compare.Runs(t.Context(), all, old, []string{"cycles"}, nil)
	require.NoError(t, err)
	require.Equal(t, []compare.Older{{Side: "A", Runs: 4, Points: 2, Differ: []string{"kernel_hash", "version"}, Versions: []string{"", "v2"}},
		{Side: "B", Runs: 1, Points: 1, Differ: []string{"version"}, Versions: []string{""}}}, r.Older)
	var b strings.Builder
	r.Text(&b)
	require.Contains(t, b.String(), "\nA: 4 runs of 2 points left out, which differ from newer ones in kernel_hash, version; --a version=v2 compares those\n")
	r, err = compare.Runs(t.Context(), compare.Side{Name: "a", Store: s, Where: []string{"version=v2"}}, compare.Side{Name: "b", Store: s, Where: []string{"version=v3"}}, []string{"cycles"}, []string{"kernel", "graph"})
	require.NoError(t, err)
	require.Empty(t, r.Older, "who lets kernels and graphs differ gets them as one sample")
	require.Equal(t, 3, r.Differences[0].A.Runs)
}

// TestDefaults checks that a default that one file writes out is the same as one that the other leaves out.
func TestDefaults(t *testing.T) {
	side := func(settings, defaults map[string]string, cycles float64) compare.Side {
		s, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "r.db"))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		_, err = s.Add(t.Context(), &store.Run{Point: "1", Status: store.OK, Device: "sim:tiny", Date: time.Now(), Settings: settings, Defaults: defaults, Metrics: []store.Metric{{Name: "cycles", Value: cycles}}})
		require.NoError(t, err)
		return compare.Side{Name: "r", Store: s}
	}
	left := side(map[string]string{"l2.latency": "9"}, map[string]string{"param.block": "128"}, 5)
	for value, pairs := range map[string]int{"128": 1, "64": 0} {
		r, err := compare.Runs(t.Context(), left, side(map[string]string{"l2.latency": "9", "param.block": value}, nil, 6), []string{"cycles"}, nil)
		require.NoError(t, err)
		require.Len(t, r.Differences, pairs, value)
	}
}
