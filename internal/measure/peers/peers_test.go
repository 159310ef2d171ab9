package peers_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/measure/peers"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/sweep"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/results"
)

const small = `
name: small
doc: A study
graphs:
  grid: {graph: "grid:width=8", symmetrize: true}
  ring: {graph: "smallworld:n=40,degree=4,seed=1", symmetrize: true}
set: {algorithm: bfs}
vary: {graph: [grid, ring]}
problems:
  - {name: BFS, algorithms: [bfs], against: Other}
  - {name: Paths, algorithms: [sssp], per-iteration: true}
others:
  - source: measured by nobody
  - {problem: BFS, graph: grid, system: Other, ms: 4}
  - {problem: BFS, graph: grid, system: Slow, ms: 400}
  - {problem: BFS, graph: ring, system: Other, ms: 2}
  - {problem: BFS, graph: ring, ms: 0.5, to: 0.75, earlier: true}
  - {problem: Paths, graph: ring, ms: 0.4, iterations: 2}
  - {problem: Paths, graph: grid, ms: 0.5, each: true}
`

func parse(t *testing.T, text string) (*peers.Comparison, error) {
	s, err := spec.Parse("study.yaml", []byte(text), sweep.Check)
	require.NoError(t, err)
	return peers.Parse(s)
}

// recorded is a record with times that a reader can compute with.
func recorded() *results.Repeated {
	ms := func(times ...float64) []float64 {
		for i := range times {
			times[i] /= 1000
		}
		return times
	}
	row := func(graph, algorithm, scheduler, params string, checked results.Checked, iterations int, times ...float64) results.Row {
		return results.Row{Key: results.Key{Graph: graph, Algorithm: algorithm, Scheduler: scheduler, Params: params}, Checked: checked, Iterations: iterations,
			Launches: iterations + 1, Seconds: ms(times...), WithCopy: ms(4, 4), KernelSeconds: ms(0.25, 0.25)}
	}
	f := &results.Repeated{
		Sessions: []results.Meta{{GPU: "NVIDIA H200", Driver: "580", SMs: 132, ClockMHz: 1980, Date: "2026-11-22", Commit: "0123456789"}, {GPU: "sim:tiny", Date: "2026-11-23"}},
		Rows: []results.Row{
			row("grid", "bfs", "warp", "block=64", results.ByReference, 14, 3, 1, 2),
			row("grid", "bfs", "warp", "block=128", results.Unchecked, 14, 0.5, 0.5, 0.5), // the fastest, but nobody checked it
			{Key: results.Key{Graph: "grid", Algorithm: "bfs", Scheduler: "thread"}, Error: "wrong answer"},
			row("ring", "bfs", "thread", "", results.ByValues, 5, 1, 1, 1),
			row("ring", "sssp", "warp", "", results.ByReference, 4, 1.2, 1.2, 1.2),
		},
	}
	f.Rows[4].Settings = map[string]string{"delta": "3"}
	return f
}

func TestMarkdown(t *testing.T) {
	c, err := parse(t, small)
	require.NoError(t, err)
	var b bytes.Buffer
	c.Markdown(&b, recorded())
	golden.Check(t, filepath.Join("testdata", "comparison.md"), b.String())
}

func TestParse(t *testing.T) {
	_, err := parse(t, strings.NewReplacer("name: Paths", "name: BFS", "source: measured by nobody", "source: ''", "graph: grid, system: Slow", "graph: gird, system: Slow",
		"ms: 2}", "ms: x, per: 3}", "to: 0.75", "to: 0.25").Replace(small))
	require.EqualError(t, err, `study.yaml:11:5: problems: two are called BFS
study.yaml:13:5: others: there is no graph ""
study.yaml:15:5: others: there is no graph "gird"
study.yaml:16:52: others: ms: "x" is no such value
study.yaml:16:60: others: unknown key "per"
study.yaml:16:5: others: ring, BFS: 0 to 0 ms is no time
study.yaml:17:5: others: ring, BFS: 0.5 to 0.25 ms is no time
study.yaml:18:5: others: there is no problem "Paths"
study.yaml:19:5: others: there is no problem "Paths"
study.yaml:13:5: others: who measured them is missing; write - source: TEXT before them`)
	_, err = parse(t, "set: {algorithm: bfs}\n")
	require.EqualError(t, err, "study.yaml: has no problems:, and so nothing to compare")
}

// own reads a specification of the project and the record that was made of it.
func own(t *testing.T, name, record string) (*spec.Spec, *results.Repeated) {
	root := filepath.Join("..", "..", "..")
	s, err := spec.Load(t.Context(), filepath.Join(root, "experiments", "studies", name), sweep.Check)
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "results", record))
	require.NoError(t, err)
	f, err := results.ReadRepeated(text)
	require.NoError(t, err)
	return s, f
}

// planned returns the rows that a specification asks for.
func planned(s *spec.Spec) map[results.Key]bool {
	keys := map[results.Key]bool{}
	for _, p := range s.Points {
		k := results.Key{}
		k.Graph, _ = p.Get("graph")
		k.Algorithm, _ = p.Get("algorithm")
		k.Scheduler, _ = p.Get("scheduler")
		params := map[string]string{}
		for name, value := range p.Map() {
			if name, ok := strings.CutPrefix(name, "param."); ok {
				params[name] = value
			}
		}
		k.Params = format.Assignments(params)
		keys[k] = true
	}
	return keys
}

// TestPeers checks that the page of the project's own comparison is what the record says, and that the specification still asks
// for all of its rows.
func TestPeers(t *testing.T) {
	s, f := own(t, "peers.yaml", "peers/h200.json")
	c, err := peers.Parse(s)
	require.NoError(t, err)
	var b bytes.Buffer
	c.Markdown(&b, f)
	golden.Check(t, filepath.Join("..", "..", "..", "results", "peers", "README.md"), b.String())
	asked := planned(s)
	for _, r := range f.Rows {
		assert.True(t, asked[r.Key], r.Key)
	}
}

// TestPairs checks that the record of all pairs is the one that its README.md describes.
func TestPairs(t *testing.T) {
	s, f := own(t, "pairs.yaml", "pairs/h200.json")
	asked, recorded := planned(s), map[results.Key]bool{}
	counted := map[results.Checked]int{}
	pairs := map[string]bool{}
	for _, r := range f.Rows {
		require.True(t, asked[r.Key], r.Key)
		require.Empty(t, r.Error, r.Key)
		counted[r.Checked]++
		pairs[r.Algorithm+"/"+r.Scheduler] = true
		recorded[r.Key] = true
	}
	for k := range asked {
		require.True(t, recorded[k], k)
	}
	require.Len(t, pairs, 127)
	require.Equal(t, map[results.Checked]int{results.ByReference: 2694}, counted)
	readme, err := os.ReadFile(filepath.Join("..", "..", "..", "results", "pairs", "README.md"))
	require.NoError(t, err)
	require.Contains(t, string(readme), "2,694 rows")
}

// TestGroups checks that the specification of all answers of several GPUs has every pair of an algorithm and a scheme for them, and
// that every point of the specifications for several GPUs is one.
func TestGroups(t *testing.T) {
	has := map[string]bool{}
	for _, name := range []string{"gpus-times.yaml", "gpus-answers.yaml", "gpus-scaling.yaml"} {
		s, err := spec.Load(t.Context(), filepath.Join("..", "..", "..", "experiments", "studies", name), sweep.Check)
		require.NoError(t, err)
		for k := range planned(s) {
			e, err := catalog.Named(k.Algorithm, k.Scheduler)
			require.NoError(t, err)
			_, err = e.Parameters(k.Values())
			require.NoError(t, err, k)
			has[name+" "+k.Algorithm+" "+k.Scheduler] = true
		}
	}
	for _, e := range catalog.Entries() {
		if e.TakesGroup() == nil {
			assert.True(t, has["gpus-answers.yaml "+e.Algorithm.Name+" "+e.Scheduler.Name], "%s by %s is missing in gpus-answers.yaml", e.Algorithm.Name, e.Scheduler.Name)
		}
	}
}
