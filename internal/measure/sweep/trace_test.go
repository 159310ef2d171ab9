package sweep_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/series"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
)

// TestTrace keeps runs over time: what they measure is the same as without, and so is what identifies those without.
func TestTrace(t *testing.T) {
	const study = "set: {algorithm: bfs, device: sim:tiny, graph: 'rmat:scale=5,degree=4,seed=1'%s}\nvary: {scheduler: [warp, simdx]}\n"
	plain, traced := planOf(t, fmt.Sprintf(study, "")), planOf(t, fmt.Sprintf(study, ", trace: 50"))
	require.Equal(t, planOf(t, fmt.Sprintf(study, ", trace: 0")).Tasks[0].Key, plain.Tasks[0].Key)
	require.NotEqual(t, plain.Tasks[0].Key, traced.Tasks[0].Key)
	st := storeOf(t)
	for _, p := range []*sweep.Plan{plain, traced} {
		sum, err := p.Run(t.Context(), st, p.Tasks, sweep.Running{Jobs: 1})
		require.NoError(t, err)
		require.Equal(t, map[store.Status]int{store.OK: 2}, sum.ByStatus)
	}
	measured := map[string][]store.Metric{}
	require.NoError(t, st.Runs(t.Context(), nil, func(id int64, r *store.Run) error {
		text, err := st.Attachment(t.Context(), id, series.Attachment)
		require.NoError(t, err)
		if _, asked := r.Settings["trace"]; !asked {
			require.Nil(t, text)
		} else {
			tr, err := series.Read(bytes.NewReader(text))
			require.NoError(t, err)
			require.Equal(t, r.Command, tr.About["command"])
			require.NotEmpty(t, tr.Launches)
			require.LessOrEqual(t, len(tr.Counters[0].Values), 50)
			require.Greater(t, slices.Max(tr.Counters[0].Values), 0.0)
		}
		metrics := slices.DeleteFunc(r.Metrics, func(m store.Metric) bool { return m.Name == "launch_wall_seconds" })
		if other, ok := measured[r.Scheduler]; ok {
			require.Equal(t, other, metrics)
		}
		measured[r.Scheduler] = metrics
		return nil
	}))
	s, err := spec.Parse("study.yaml", []byte("set: {algorithm: bfs, device: func, trace: 50}\n"), sweep.Check)
	require.NoError(t, err)
	_, err = sweep.NewPlan(t.Context(), s)
	require.EqualError(t, err, "study.yaml:1:44: trace: device func does not show what happens over time")
	_, err = spec.Parse("study.yaml", []byte("set: {algorithm: bfs, trace: 5}\n"), sweep.Check)
	require.EqualError(t, err, "study.yaml:1:30: trace: \"5\" is neither 0 nor a number of samples from 10 to 10000")
}
