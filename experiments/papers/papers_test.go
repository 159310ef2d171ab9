package papers_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/experiments/papers"
	"github.com/weft-gpu/weft/experiments/spec"
	"github.com/weft-gpu/weft/experiments/sweep"
)

// TestVerdicts judges every claim by the recorded numbers, without running anything, and compares
// with the recorded verdicts. A claim that differs says why.
func TestVerdicts(t *testing.T) {
	files, err := filepath.Glob("*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var all bytes.Buffer
	for _, file := range files {
		s, err := spec.Load(file, sweep.Check)
		require.NoError(t, err)
		claims, err := papers.Parse(s.Claims)
		require.NoError(t, err)
		require.NotEmpty(t, claims, file)
		require.NotEmpty(t, s.Plots, file)
		numbers, err := os.ReadFile("../../results/papers/numbers/" + s.Name + ".csv")
		require.NoError(t, err)
		rows, err := papers.Read(bytes.NewReader(numbers))
		require.NoError(t, err)
		require.Len(t, rows, len(s.Points), file)
		for _, c := range claims {
			v, err := c.Judge(rows)
			require.NoError(t, err)
			require.True(t, v.Agrees || c.Why != "", "%s: %s differs without a reason", file, c.Figure)
		}
		require.NoError(t, papers.Page(&all, s, claims, rows))
		var again bytes.Buffer
		require.NoError(t, papers.Write(&again, rows))
		require.Equal(t, string(numbers), again.String())
	}
	want, err := os.ReadFile("../../results/papers/verdicts.md")
	require.NoError(t, err)
	require.Equal(t, string(want), all.String())
}

func claim(t *testing.T, check string) (*papers.Claim, error) {
	t.Helper()
	list, err := papers.Parse([]spec.Section{{Place: "a.yaml:1:1", Values: []spec.Setting{
		{Name: "figure", Value: "1"}, {Name: "claim", Value: "faster"}, {Name: "check", Value: check, Place: "a.yaml:2:2"}}}})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

func TestJudge(t *testing.T) {
	run := func(scheduler, graph, status string, cycles float64) papers.Row {
		return papers.Row{Fields: map[string]string{"scheduler": scheduler, "graph": graph, "status": status}, Metrics: map[string]float64{"cycles": cycles}}
	}
	rows := []papers.Row{run("a", "x", "ok", 8), run("b", "x", "ok", 2), run("c", "x", "ok", 4), run("a", "y", "ok", 3), run("b", "y", "ok", 3), run("b", "z", "hang", 1)}
	for _, c := range []struct {
		check, ours, word string
	}{
		{"geomean(cycles, scheduler=a / scheduler=b per graph) = 2", "geomean 2 of 2, 1 to 4", "agrees"},
		{"min(cycles, scheduler=a / scheduler=b per graph) > 1", "min 1 of 2, 1 to 4", "differs"},
		{"max(cycles, worst scheduler=b|c / scheduler=a per graph) <= 1", "max 1 of 2, 0.5 to 1", "agrees"},
		{"mean(cycles, graph=x scheduler!=a) = 3", "mean 3 of 2, 2 to 4", "agrees"},
		{"count(status=hang graph~z) = 1", "1 runs", "agrees"},
		{"count(status=wrong) > 0", "0 runs", "differs"},
	} {
		p, err := claim(t, c.check)
		require.NoError(t, err)
		v, err := p.Judge(rows)
		require.NoError(t, err)
		require.Equal(t, []string{c.ours, c.word}, []string{v.Ours(), v.Word()}, c.check)
	}
	for check, text := range map[string]string{
		"min(cycles, scheduler=a / scheduler=b|c per graph) > 1": "1: 2 runs with different values at x; say best or worst, or add conditions",
		"min(cycles, scheduler=d) > 1":                           "1: no runs for min(cycles, scheduler=d) > 1",
	} {
		p, err := claim(t, check)
		require.NoError(t, err)
		_, err = p.Judge(rows)
		require.EqualError(t, err, text)
	}
}

func TestMistakes(t *testing.T) {
	for check, text := range map[string]string{
		"faster":                     "a.yaml:2:2: claims: check \"faster\" is not REDUCTION(METRIC, RUNS) RELATION NUMBER; reductions are geomean, mean, median, min, max and count, relations < <= > >= =",
		"min(cycles) > 1":            "a.yaml:2:2: claims: check \"min(cycles) > 1\": min needs a metric and runs, such as min(cycles, scheduler=warp)",
		"min(cycles, warp) > 1":      "a.yaml:2:2: claims: check \"min(cycles, warp) > 1\": \"warp\" is not NAME=VALUE",
		"min(cycles, a=1 / a=2) > 1": "a.yaml:2:2: claims: check \"min(cycles, a=1 / a=2) > 1\": runs are CONDITIONS, or A / B per NAMES",
		"":                           "a.yaml:1:1: claims: check is missing",
	} {
		_, err := claim(t, check)
		require.EqualError(t, err, text)
	}
}
