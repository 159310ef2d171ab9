package weft_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/scheme/bsp"
	"github.com/weft-gpu/weft/internal/service/catalog/testdata/linked"
	"github.com/weft-gpu/weft/scheduler"
)

// path is a user's own graph: 0, 1, 2 and 3 in a row.
func path(t *testing.T) *graph.CSR {
	t.Helper()
	g, _, err := graph.FromEdges(t.Context(), "path", 4, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}}, graph.LoadOptions{})
	require.NoError(t, err)
	return g
}

func TestRun(t *testing.T) {
	d := open(t, "sim:tiny", weft.Options{Profile: true})
	res, err := weft.Run(t.Context(), d, weft.Request{Algorithm: "bfs", Scheduler: "warp", Graph: path(t), Source: 1, Verify: true})
	require.NoError(t, err)
	assert.True(t, res.Verified)
	assert.Equal(t, []uint32{^uint32(0), 0, 1, 2}, res.Values)
	assert.Positive(t, res.Report.Cycles)
	require.NoError(t, d.Annotate(t.Output()), "it was noted, too")
	_, err = weft.Run(t.Context(), d, weft.Request{Algorithm: "dfs", Scheduler: "warp", Graph: path(t)})
	assert.ErrorContains(t, err, `unknown algorithm "dfs"; there are: bc, bfs, `)
}

// TestRunAuto checks that a host program can leave the choice of a scheme to Weft, and that it learns which one ran and why.
func TestRunAuto(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "grid:width=12,keep=1", graph.LoadOptions{})
	require.NoError(t, err)
	res, err := weft.Run(t.Context(), open(t, "func", weft.Options{}), weft.Request{Algorithm: "bfs", Scheduler: "auto", Graph: g, Verify: true, Params: map[string]string{"one-block": "32"}})
	require.NoError(t, err)
	assert.True(t, res.Verified)
	require.NotNil(t, res.Chosen)
	assert.Equal(t, res.Chosen.Scheme, res.Scheduler)
	assert.Contains(t, res.Kernel, "simdx.Push[")
	assert.EqualValues(t, 144, res.Chosen.Facts.Vertices)
	assert.EqualError(t, weft.Extend(weft.Extensions{Schemes: []func() scheduler.Scheme{func() scheduler.Scheme { s := mine(); s.Name = "auto"; return s }}}),
		`scheduler "auto": the name stands for a choice among schedulers`)
}

// mine is a scheme under another name.
func mine() scheduler.Scheme {
	s := bsp.Warp()
	s.Name = "mine"
	return s
}

var (
	x        = weft.Extensions{Algorithms: []func() scheduler.Host{linked.New}, Schemes: []func() scheduler.Scheme{mine}}
	extended = weft.Extend(x) // once in the program
)

func TestExtend(t *testing.T) {
	require.NoError(t, extended)
	res, err := weft.Run(t.Context(), open(t, "func", weft.Options{}), weft.Request{Algorithm: "near", Scheduler: "mine", Graph: path(t), Verify: true, Params: map[string]string{"step": "3"}})
	require.NoError(t, err)
	assert.True(t, res.Verified)
	assert.Equal(t, []uint32{0, 1, 1, 0}, res.Values)
	assert.EqualError(t, weft.Extend(x), `algorithm "near": there is a scheduler or another algorithm of that name`)
	assert.EqualError(t, weft.Extend(weft.Extensions{Schemes: x.Schemes}), `scheduler "mine": there is an algorithm or another scheduler of that name`)
}
