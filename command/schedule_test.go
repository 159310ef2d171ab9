package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestScheduleFlag checks that a schedule comes from a file or from the command line, and what is said about a bad one.
func TestScheduleFlag(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"pauses":[{"block":0,"step":0}]}`), 0o600))
	free := runJSON(t, exitRight, "bfs", "--device", "sim:tiny", "--graph", "grid:width=10")
	paused := runJSON(t, exitRight, "bfs", "--device", "sim:tiny", "--graph", "grid:width=10", "--schedule", file)
	assert.NotEqual(t, free.Cycles, paused.Cycles)
	inline := runJSON(t, exitRight, "bfs", "--device", "sim:tiny", "--graph", "grid:width=10", "--schedule", ` {"pauses":[{"block":0,"step":0}]}`)
	assert.Equal(t, inline.Cycles, paused.Cycles)

	for schedule, want := range map[string]string{
		`{"pauses":[{"block":0}`: "weft: --schedule: the JSON object: the JSON object is not complete\n  docs/schedules.md describes its form\n",
		`none.json`:              "weft: --schedule: none.json: no such file or directory\n  write a file's name, or a JSON object such as '{\"dispatch\":[1,0]}'\n",
	} {
		_, stderr, code := command(t, "run", "bfs", "--device", "sim:tiny", "--schedule", schedule)
		assert.Equal(t, exitUsage, code)
		assert.Equal(t, want, stderr)
	}
	_, stderr, code := command(t, "run", "bfs", "--device", "func", "--schedule", "{}")
	assert.Equal(t, exitUsage, code)
	assert.Equal(t, "weft: --schedule: device func runs its threads in an order of its own\n  name a simulated machine by --device, such as sim:h200\n", stderr)
	for args, want := range map[string]string{
		"--device func --progress-model obe":                   "weft: --progress-model: device func runs its threads in an order of its own\n  name a simulated machine by --device, such as sim:h200\n",
		"--device sim:tiny --progress-model fair":              "weft: --progress-model: unknown progress model \"fair\"; there are obe, hsa, hsa_obe, lobe, weak_fair\n",
		"--device sim:tiny --progress-model obe --schedule {}": "weft: --progress-model draws a schedule, and --schedule gives one\n  leave one out\n",
	} {
		_, stderr, code := command(t, append([]string{"run", "bfs"}, strings.Fields(args)...)...)
		assert.Equal(t, exitUsage, code)
		assert.Equal(t, want, stderr)
	}
	_, stderr, code = command(t, "run", "bfs", "--device", "sim:tiny", "--graph", "grid:width=10", "--progress-model", "obe", "--seed", "3")
	assert.Equal(t, exitRight, code, stderr)
	_, stderr, code = command(t, "run", "bfs", "--device", "sim:tiny", "--graph", "grid:width=10", "--schedule", `{"steps":[{"block":99}]}`)
	assert.Equal(t, exitWrong, code)
	assert.Contains(t, stderr, "schedule: there is no block 99, warp 0: the grid has ")
}
