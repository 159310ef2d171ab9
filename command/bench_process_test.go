//go:build unix

package command

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/bench"
)

// The tests of this file have processes of their own: before and after each run "bench sim" collects all garbage, and in the process of the tests it would
// look through what they all have compiled, a hundred times.

// TestBenchSimStandard checks which runs there are if the user chooses none, and that choosing an algorithm, a scheduler
// or a group leaves the standard ones out.
func TestBenchSimStandard(t *testing.T) {
	list := func(args ...string) (runs []string) {
		stdout, stderr, code := separate(t, append([]string{"bench", "sim", "--instructions", "1000", "--graph", "grid:width=20", "--json"}, args...)...)
		require.Equal(t, exitRight, code, stderr)
		var r bench.SimReport
		require.NoError(t, json.Unmarshal([]byte(stdout), &r))
		for _, s := range r.Runs {
			assert.GreaterOrEqual(t, s.Instructions, 1000.0)
			assert.Positive(t, s.Cycles)
			assert.Positive(t, s.Threads)
			assert.Equal(t, s.Kernel != "", s.Vertices == 0)
			if s.Kernel != "" {
				assert.Equal(t, "512 rows", s.Graph)
			}
			runs = append(runs, strings.TrimSpace(s.Algorithm+" "+s.Scheduler+s.Kernel+" "+s.Device))
		}
		return runs
	}
	assert.Equal(t, []string{"bfs warp", "bfs thread", "pagerank warp", "pagerank thread", "pagerank-pull warp", "pagerank-pull thread",
		"bfs simdx", "bfs atos", "bfs hierq", "bfs multi sim:tinyx2", "bfs bitmap sim:tinyx2", "internal/kernels/micro.TiledProduct"}, list("--device", "sim:tiny"))
	assert.Equal(t, []string{"bfs warp", "bfs thread"}, list("--device", "sim:tiny", "--algorithm", "bfs"))
	assert.Equal(t, []string{"bfs thread", "pagerank thread", "pagerank-pull thread"}, list("--device", "sim:tiny", "--scheduler", "thread"))
	assert.Equal(t, []string{"bfs multi"}, list("--device", "sim:tinyx2", "--algorithm", "bfs", "--scheduler", "multi"))

	stdout, stderr, code := separate(t, "bench", "sim", "--device", "sim:tiny", "--set", "sm.count=1", "--graph", "grid:width=20", "--instructions", "1000,1e4")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^bfs multi on sim:tinyx2 +grid:width=20 `, stdout)
	assert.Regexp(t, `(?m)^bfs bitmap on sim:tinyx2 +grid:width=20 `, stdout)
	assert.Regexp(t, `(?m)^micro.TiledProduct +512 rows `, stdout)
}

// TestBenchSimAgainst checks that other threads give the same, that the comparison is told, and what is refused.
func TestBenchSimAgainst(t *testing.T) {
	args := []string{"bench", "sim", "--device", "sim:tiny", "--algorithm", "bfs", "--scheduler", "warp", "--graph", "grid:width=20", "--instructions", "1000", "--against-threads", "2", "--repeat", "2"}
	stdout, stderr, code := separate(t, append(args, "--json")...)
	require.Equal(t, exitRight, code, stderr)
	var r bench.SimReport
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.Len(t, r.Runs, 1)
	a := r.Runs[0].Against
	require.NotNil(t, a)
	assert.Equal(t, 2, a.Threads)
	assert.True(t, a.Equal)
	assert.Positive(t, a.Wall)
	assert.Positive(t, a.Faster)
	stdout, stderr, code = separate(t, args...)
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^run +graph +instr +wall +on 2 threads +faster +cycles and counters$`, stdout)
	assert.Regexp(t, `(?m)^bfs warp +grid:width=20 .* equal$`, stdout)
	assert.Regexp(t, `(?m)^median of 1: [0-9.]+ times as fast on 2 threads$`, stdout)
	stdout, stderr, code = separate(t, "bench", "sim", "--device", "sim:tinyx2", "--algorithm", "bfs", "--scheduler", "bitmap", "--graph", "grid:width=20", "--instructions", "1000", "--against-threads", "2")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^bfs bitmap +grid:width=20 .* equal$`, stdout)
	for extra, want := range map[string]string{
		"--against-threads 1":             "weft: --against-threads: the runs have 1 threads already\n  name another number\n",
		"--threads 2 --against-threads 2": "weft: --against-threads: the runs have 2 threads already\n  name another number\n",
		"--against-threads -1":            "weft: --against-threads: -1 is not from 0 to 1024\n",
	} {
		stdout, stderr, code := command(t, append([]string{"bench", "sim", "--algorithm", "bfs"}, shellWords(extra)...)...)
		assert.Equal(t, exitUsage, code, extra)
		assert.Empty(t, stdout)
		assert.Equal(t, want, stderr, extra)
	}
}
