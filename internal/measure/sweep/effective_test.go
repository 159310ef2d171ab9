package sweep_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
)

// TestEffective checks that a point is found by the values of its settings, whether a specification
// wrote them or left them at their defaults.
func TestEffective(t *testing.T) {
	st := storeOf(t)
	const left = "set: {algorithm: bfs, device: sim:tiny, scheduler: thread, graph: 'grid:width=4'}\n"
	runAll(t.Context(), t, planOf(t, left), st, sweep.Running{Jobs: 1})
	where := func(conditions ...string) int {
		got, err := st.Query(t.Context(), store.Query{Where: conditions, Columns: []string{"id"}})
		require.NoError(t, err)
		return len(got.Rows)
	}
	require.Equal(t, 1, where("param.block=128", "verify=true", "gpus=1", "source=max-degree"))
	settings, _, err := st.Names(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"algorithm", "device", "graph", "scheduler"}, settings)

	const out = left + "vary: {param.block: [128, 64], l2.latency: [LATENCY, 99], seed: [1, 01]}\n"
	r, err := st.Run(t.Context(), 1)
	require.NoError(t, err)
	machine, err := st.Query(t.Context(), store.Query{Columns: []string{"l2.latency"}})
	require.NoError(t, err)
	latency := machine.Rows[0][0].(string)
	p := planOf(t, strings.ReplaceAll(out, "LATENCY", latency))
	require.Len(t, p.Tasks, 8)
	require.NoError(t, st.Spell(t.Context(), p.Spelled()))
	require.Equal(t, 3, runAll(t.Context(), t, p, st, sweep.Running{Jobs: 2}).Ran, "one point is there, and a seed changes nothing")
	require.Equal(t, 2, where("param.block=128"))
	require.Equal(t, 2, where("param.block=64"))
	require.Equal(t, 2, where("l2.latency="+latency))
	again, err := st.Run(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, "128", again.Settings["param.block"], "a name that another specification writes is a setting of all runs")
	require.Equal(t, "128", r.Defaults["param.block"])
	spelled, err := st.Spellings(t.Context())
	require.NoError(t, err)
	require.Len(t, spelled[1], 3, "the first specification, and two seeds of the second")
	require.Len(t, spelled[2], 2)
}
