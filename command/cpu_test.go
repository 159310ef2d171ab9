package command

import (
	"encoding/json"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCPU: with --cpu the JSON of a run also has the times of this machine's processor, and without there are none.
func TestCPU(t *testing.T) {
	for _, c := range []struct {
		algorithm string
		parallel  bool
	}{{"bfs", true}, {"pagerank", true}, {"scc", false}} {
		stdout, stderr, code := command(t, "run", c.algorithm, "--device", "func", "--graph", "rmat:scale=7,degree=8,seed=1", "--cpu", "--json")
		require.Zero(t, code, stderr)
		var r struct {
			CPU *struct {
				Cores                int
				Sequential, Parallel *struct {
					Code    string
					Seconds float64 `json:"wall_seconds"`
					Runs    int
				}
			}
		}
		require.NoError(t, json.Unmarshal([]byte(stdout), &r))
		require.NotNil(t, r.CPU)
		assert.Equal(t, runtime.GOMAXPROCS(0), r.CPU.Cores)
		assert.Positive(t, r.CPU.Sequential.Seconds)
		assert.GreaterOrEqual(t, r.CPU.Sequential.Runs, 3)
		assert.Equal(t, c.parallel, r.CPU.Parallel != nil, c.algorithm)
	}
	stdout, _, _ := command(t, "run", "bfs", "--device", "func", "--graph", "rmat:scale=7,degree=8,seed=1", "--json")
	assert.NotContains(t, stdout, `"cpu"`)

	stdout, stderr, code := command(t, "annotate", "bfs", "--device", "sim:tiny", "--graph", "rmat:scale=5,degree=8,seed=1", "--cpu")
	require.Zero(t, code, stderr)
	assert.Regexp(t, `(?m)^CPU +wall time  code\none core .*(direction-optimising|queue) .* times the algorithm time$`, stdout)
	_, stderr, code = command(t, "annotate", "bfs", "--device", "sim:tiny", "--against", "thread", "--cpu")
	require.Equal(t, 2, code)
	assert.Equal(t, "weft: --against compares two schedulers, and --cpu measures none\n  leave one out\n", stderr)
}
