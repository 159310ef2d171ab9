package command

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/bench"
	"github.com/weft-gpu/weft/internal/measure/comparison"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/choice"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/results"
)

// TestAutoJSON checks that the JSON of a run has the scheme that ran, and why it was chosen.
func TestAutoJSON(t *testing.T) {
	r := runJSON(t, exitRight, "bfs", "--device", "sim:tiny", "--graph", "grid:width=16,keep=0.8,seed=2", "--scheduler", "auto", "--param", "one-block=32")
	assert.Equal(t, "simdx", r.Scheduler)
	require.NotNil(t, r.Chosen)
	assert.Equal(t, catalog.Auto, r.Chosen.By)
	assert.Equal(t, "simdx", r.Chosen.Scheme)
	rule := choice.Rules()[r.Chosen.Rule-1]
	assert.Equal(t, rule.If, r.Chosen.Condition)
	assert.Equal(t, rule.Evidence, r.Chosen.Evidence)
	assert.Equal(t, rule.Params, r.Chosen.Params)
	assert.Equal(t, r.Graph.Vertices, r.Chosen.Facts.Vertices)
	assert.Equal(t, "32", r.SchedulerParams["one-block"])
	assert.Equal(t, "64", r.SchedulerParams["blocks"])
	assert.Nil(t, runJSON(t, exitRight, "bfs", "--device", "func", "--graph", "grid:width=16", "--scheduler", "simdx").Chosen)

	own := runJSON(t, exitRight, "../examples/widest.Widest", "--device", "func", "--graph", "grid:width=16", "--scheduler", "auto")
	assert.Equal(t, "simdx", own.Scheduler)
}

// TestAutoEverywhere checks the other commands that take a scheduler and a graph.
func TestAutoEverywhere(t *testing.T) {
	const graph = "grid:width=9"
	stdout, stderr, code := command(t, "compare", "bfs", "--device", "sim:tiny", "--with", "func", "--graph", graph, "--scheduler", "auto", "--json")
	require.Equal(t, exitRight, code, stderr)
	var c comparison.Comparison
	require.NoError(t, json.Unmarshal([]byte(stdout), &c))
	assert.Equal(t, "simdx", c.Scheduler)
	require.NotNil(t, c.Chosen)
	assert.Equal(t, "64", c.Params["simdx.blocks"])

	stdout, stderr, code = command(t, "compare", "bfs", "--device", "sim:tiny", "--with", "func", "--scheduler", "auto", "--graph", "rmat:scale=7,degree=6,a=0.8,b=0.08,c=0.08,seed=3")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^compare +bfs by bitmap on rmat.*\nchosen +by auto, rule 2: a search \(it starts from one vertex and pushes\) in which the first iteration that reaches a vertex gives it its value \(Reaches\), unless levels are small and degrees are less than 4 on average \(128 vertices, `, stdout)

	stdout, stderr, code = command(t, "bench", "sim", "--device", "sim:tiny", "--algorithm", "bfs", "--scheduler", "auto,thread", "--graph", graph, "--json")
	require.Equal(t, exitRight, code, stderr)
	var b bench.SimReport
	require.NoError(t, json.Unmarshal([]byte(stdout), &b))
	require.Len(t, b.Runs, 2)
	assert.Equal(t, "simdx", b.Runs[0].Scheduler)
	require.NotNil(t, b.Runs[0].Chosen)
	assert.Nil(t, b.Runs[1].Chosen)
	stdout, _, _ = command(t, "bench", "sim", "--device", "sim:tiny", "--algorithm", "bfs", "--scheduler", "auto", "--graph", graph)
	assert.Regexp(t, `(?m)^bfs simdx \(auto\) +grid:width=9 `, stdout)

	stdout, stderr, code = command(t, "annotate", "bfs", "--device", "sim:tiny", "--graph", graph, "--scheduler", "auto", "--against", "simdx", "--json")
	require.Equal(t, exitRight, code, stderr)
	var both struct{ Runs []run.Result }
	require.NoError(t, json.Unmarshal([]byte(stdout), &both))
	require.Len(t, both.Runs, 2, "simdx with other parameters is another scheduler")
	assert.Equal(t, "simdx", both.Runs[0].Scheduler)
	assert.NotNil(t, both.Runs[0].Chosen)
	assert.Nil(t, both.Runs[1].Chosen)
}

// TestListAuto checks that the list has each rule and each recorded choice.
func TestListAuto(t *testing.T) {
	stdout, stderr, code := command(t, "list", "auto", "--json")
	require.Equal(t, exitRight, code, stderr)
	var list autoJSON
	require.NoError(t, json.Unmarshal([]byte(stdout), &list))
	text, _, code := command(t, "list", "auto")
	require.Equal(t, exitRight, code)
	rules := choice.Rules()
	require.Len(t, list.Rules, len(rules))
	for i, r := range rules {
		assert.Equal(t, ruleJSON{i + 1, r.If, r.Scheme, r.Params, r.Evidence}, list.Rules[i])
		assert.Contains(t, text, r.If)
		assert.Contains(t, text, r.Evidence)
	}
	for _, gpu := range results.GPUs() {
		c := list.Records[gpu]
		require.NotNil(t, c)
		assert.Len(t, c.Cells, c.Recorded+c.Unrecorded)
		assert.Contains(t, text, c.String())
	}
	schedulers, _, _ := command(t, "list", "schedulers")
	assert.Regexp(t, `(?m)^  auto +chooses scheduler and parameters by the algorithm and the graph; "weft list auto" has the rule$`, schedulers)
}
