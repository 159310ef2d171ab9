package sweep

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/spec"
)

// TestMove moves points of two machines: what is left are those that differ in more than the machine.
func TestMove(t *testing.T) {
	s, err := spec.Parse("study.yaml", []byte(`
set: {algorithm: bfs, param.block: 64}
runs:
  - vary: {device: [sim:k40, sim:v100], sm.count: [1, 2], scheduler: [warp, thread]}
  - set: {device: func, scheduler: atos}
  - set: {scheduler: block}
`), Check)
	require.NoError(t, err)
	require.Len(t, s.Points, 10)
	m, err := Move(s, "sim:h200", "--on")
	require.NoError(t, err)
	assert.Equal(t, &Moved{Device: "sim:h200", Func: 1, Same: 6}, m)
	var got []map[string]string
	for _, p := range s.Points {
		got = append(got, p.Map())
	}
	assert.Equal(t, []map[string]string{
		{"algorithm": "bfs", "param.block": "64", "device": "sim:h200", "scheduler": "warp"},
		{"algorithm": "bfs", "param.block": "64", "device": "sim:h200", "scheduler": "thread"},
		{"algorithm": "bfs", "param.block": "64", "device": "sim:h200", "scheduler": "block"},
	}, got)
}

func TestMoveRefuses(t *testing.T) {
	s, err := spec.Parse("study.yaml", []byte("set: {algorithm: bfs, device: func}\n"), Check)
	require.NoError(t, err)
	_, err = Move(s, "sim:h200", "--on")
	assert.EqualError(t, err, "all points of study are on func, where nothing is timed")
}
