package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/service/run"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	r := &run.Result{Algorithm: "bfs", Scheduler: "warp", On: run.On{Device: "sim:tiny"}, Answer: run.AnswerWrong, Why: "vertex 7: level 3, want 2",
		Iterations: 1, Work: run.Work{Launches: 2, Cycles: 1234,
			All: []device.Counter{{Name: counter.WarpInstructions, Unit: "inst", Desc: "x", Value: 5}, {Name: "other", Unit: "y", Value: 6}}}}
	Run(&out, r, false)
	assert.Contains(t, out.String(), "answer  wrong: vertex 7: level 3, want 2\n")
	assert.Contains(t, out.String(), "cycles          1,234  (of the SMs' clock, of all launches on the GPU)\n")
	assert.Contains(t, out.String(), "\nmore counters: --counters\n")
	out.Reset()
	Run(&out, r, true)
	assert.Contains(t, out.String(), "\nother                        6  y\n")

	assert.NotContains(t, out.String(), "found")
	r.Found, r.Summary = "8 colours", "0 to 7"
	Run(&out, r, false)
	assert.Contains(t, out.String(), "\nfound   8 colours\nvalues  0 to 7\n")

	out.Reset()
	Run(&out, &run.Result{Answer: run.AnswerIncomplete, Error: &run.Failure{Kind: "fault"}}, false)
	assert.Empty(t, out.String(), "it failed before its first launch")
}
