package compare

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTimeParts summarizes rows by what differs between them.
func TestTimeParts(t *testing.T) {
	row := func(graph, transfer string, a, b, ka, kb float64) TimeRow {
		return TimeRow{Graph: graph, Algorithm: "bfs", Scheduler: "multi", Params: map[string]string{"base": "warp", "transfer": transfer}, A: a, B: b, KernelsA: ka, KernelsB: kb}
	}
	rows := []TimeRow{row("x", "peer", 11, 10, 1, 1), row("y", "host", 15, 10, 1, 2), row("x", "host", 8, 10, 2, 1)}
	all, kernels := SummarizeTimes(rows)
	assert.Equal(t, 3, all.N)
	assert.InDelta(t, 0.8/3, all.Mean, 1e-12)
	assert.InDelta(t, 0.5, kernels.Mean, 1e-12)
	parts := TimeParts(rows)
	require.Len(t, parts, 4)
	for i, want := range []struct {
		what, value   string
		n             int
		mean, kernels float64
	}{{"graph", "x", 2, 0.15, 0.5}, {"graph", "y", 1, 0.5, 0.5}, {"transfer", "peer", 1, 0.1, 0}, {"transfer", "host", 2, 0.35, 0.75}} {
		p := parts[i]
		assert.Equal(t, [3]any{want.what, want.value, want.n}, [3]any{p.What, p.Value, p.N})
		assert.InDelta(t, want.mean, p.Mean, 1e-12)
		assert.InDelta(t, want.kernels, p.Kernels, 1e-12)
	}
	same, differ := SharedParams(rows)
	assert.Equal(t, map[string]string{"base": "warp"}, same)
	assert.Equal(t, map[string]string{"transfer": "host"}, differ[1])
	assert.Empty(t, TimeParts(rows[:1]))
	same, differ = SharedParams(nil)
	assert.Empty(t, same)
	assert.Empty(t, differ)
}
