package slurm

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
)

// TestPlan checks that a worker plans its points alone, and all if the specification changed.
func TestPlan(t *testing.T) {
	parse := func(text string) *spec.Spec {
		s, err := spec.Parse("study.yaml", []byte(text), sweep.Check)
		require.NoError(t, err)
		return s
	}
	study := parse("set: {algorithm: bfs, device: func}\nvary: {source: '1:9:1'}\n")
	whole, err := sweep.NewPlan(t.Context(), study)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "7")
	text, err := json.Marshal(todo{Share: 7, Keys: []store.Key{whole.Tasks[2].Key, whole.Tasks[5].Key}, Points: []int{whole.Tasks[2].Index, whole.Tasks[5].Index}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text, 0o600))
	plan, err := Plan(t.Context(), study, file)
	require.NoError(t, err)
	require.Len(t, plan.Tasks, 2)
	require.Equal(t, whole.Tasks[2].Key, plan.Tasks[0].Key)
	require.Equal(t, whole.Tasks[5].Key, plan.Tasks[1].Key)
	plan, err = Plan(t.Context(), parse("set: {algorithm: bfs, device: func}\nvary: {source: '0:9:1'}\n"), file)
	require.NoError(t, err)
	require.Len(t, plan.Tasks, 10)
	plan, err = Plan(t.Context(), parse("set: {algorithm: bfs, device: func, source: 3}\n"), file)
	require.NoError(t, err)
	require.Len(t, plan.Tasks, 1)
}
