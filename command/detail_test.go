package command

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/run"
)

func TestDetail(t *testing.T) {
	args := []string{"bfs", "--graph", "grid:width=20", "--device", "sim:tiny"}
	whole := runJSON(t, 0, args...)
	part := runJSON(t, 0, append(args, "--detail", "launches=5-9")...)
	assert.Nil(t, whole.Detail)
	require.NotNil(t, part.Detail)
	assert.Equal(t, devices.Detail{First: 5, Last: 9, Detailed: 5, Functionally: whole.Launches - 5}, *part.Detail)
	assert.Equal(t, whole.Launches, part.Launches)
	assert.Equal(t, run.AnswerVerified, part.Answer)
	assert.Positive(t, part.Cycles)
	assert.Less(t, part.Cycles, whole.Cycles/2)
	for i, it := range part.PerIteration {
		assert.Equal(t, whole.PerIteration[i].Numbers, it.Numbers, "the frontiers are the same")
	}

	all := runJSON(t, 0, append(args, "--detail", "launches=1-1000")...)
	assert.Equal(t, whole.Cycles, all.Cycles)
	assert.Equal(t, whole.Counters, all.Counters)
	assert.Zero(t, all.Detail.Functionally)

	none := runJSON(t, 0, append(args, "--detail", "launches=1000")...)
	assert.Zero(t, none.Cycles)
	assert.Zero(t, none.Detail.Detailed)
	assert.Equal(t, run.AnswerVerified, none.Answer)
}

func TestDetailRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"launches=0-3": `--detail: "launches=0-3" is not a range of launches`,
		"launches=5-4": "is not a range",
		"launches":     "is not a range",
		"cycles=1-2":   "is not a range",
	} {
		_, stderr, code := command(t, "run", "bfs", "--detail", text)
		assert.Equal(t, 2, code)
		assert.Contains(t, stderr, want)
	}
	_, stderr, code := command(t, "run", "bfs", "--device", "func", "--detail", "launches=1")
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "--detail: device func is not simulated")
}
