package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/comparison"
)

// timesRecord is the record of one GPU, and groupRecord that of a group of two.
const (
	timesRecord = `{"sessions": [{"gpu": "X"}], "rows": [
{"graph": "karate", "algorithm": "bfs", "scheduler": "warp", "params": "block=64", "session": 0, "vertices": 34, "arcs": 156, "iterations": 4,
 "solve_seconds": [0.00003, 0.00001, 0.00002], "kernel_seconds": [0.000015, 0.000005, 0.00001]},
{"graph": "karate", "algorithm": "bfs", "scheduler": "thread", "params": "block=64", "session": 0, "vertices": 34, "arcs": 156,
 "solve_seconds": [0.00004], "kernel_seconds": [0.00002]},
{"graph": "karate", "algorithm": "cc", "scheduler": "warp", "params": "block=64", "session": 0, "error": "no memory"},
{"graph": "wiki-Vote", "algorithm": "bfs", "scheduler": "warp", "params": "block=64", "session": 0, "vertices": 7115, "arcs": 103689, "solve_seconds": [1]},
{"graph": "gone", "algorithm": "bfs", "scheduler": "warp", "params": "block=64", "session": 0, "vertices": 5, "arcs": 4, "solve_seconds": [1]}]}`
	groupRecord = `{"sessions": [{"gpu": "2 x X"}], "rows": [
{"graph": "karate", "algorithm": "bfs", "scheduler": "multi", "params": "exchange=all, transfer=peer", "session": 0, "vertices": 34, "arcs": 156,
 "solve_seconds": [0.0003], "kernel_seconds": [0.0001], "communication": {"pairs": [{"from": 0, "to": 1, "bytes": 8}, {"from": 1, "to": 0, "bytes": 8}]}}]}`
)

// TestCompareTimes runs the rows of a record on another device.
func TestCompareTimes(t *testing.T) {
	karate, err := filepath.Abs("../graph/testdata/karate.mtx.gz")
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, os.Symlink(karate, filepath.Join(folder, "karate.mtx.gz")))
	one, two := filepath.Join(folder, "one.json"), filepath.Join(folder, "two.json")
	require.NoError(t, os.WriteFile(one, []byte(timesRecord), 0o600))
	require.NoError(t, os.WriteFile(two, []byte(groupRecord), 0o600))
	args := []string{"compare", "--times", one, "--device", "sim:tiny", "--graphs", folder, "--max-arcs", "1000"}
	stdout, stderr, code := command(t, args...)
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "note: left out: 1 rows of graphs with more than 1,000 arcs\nnote: left out: 1 rows whose graph is not there\n"+
		"note: left out: 1 rows without a recorded time\n"+
		"note: the host is the machine's: the record has only 0 rows of runs that are not compared (100 are needed), and no host rows\n"+
		"\nall rows with block=64\n\n")
	assert.Regexp(t, `(?m)^karate +bfs +warp +[\d.]+ +0.02 +[+-][\d.]+% +[\d.]+ +0.01 +[+-][\d.]+%$`, stdout, "the median")
	assert.Regexp(t, `(?m)^2 compared: error [\d.]+% in the mean`, stdout)
	assert.Regexp(t, `(?m)^kernels alone: 2 compared: error `, stdout)
	assert.Regexp(t, `(?m)^scheduler +warp +1 .*\n +thread +1 `, stdout)

	table := func(args ...string) (x comparison.TimeTable) {
		stdout, stderr, code := command(t, append(args, "--json")...)
		require.Equal(t, exitRight, code, stderr)
		require.NoError(t, json.Unmarshal([]byte(stdout), &x))
		x.Command = ""
		return x
	}
	assert.Equal(t, table(append(args, "-j", "1")...), table(append(args, "-j", "2")...))
	x := table("compare", "--times", two, "--device", "sim:tinyx2", "--graphs", folder)
	require.Len(t, x.Rows, 1)
	assert.Equal(t, map[string]string{"exchange": "all", "transfer": "peer"}, x.Rows[0].Params)
	assert.InDelta(t, x.Rows[0].A/0.0003-1, float64(x.Rows[0].Error), 1e-12)
	assert.Len(t, x.Machine, 16)

	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--times", two}, two + " has times of 2 GPUs, device sim:h200 has 1\n  choose a group, such as --device sim:h200x2\n"},
		{[]string{"--times", one, "--device", "sim:h200x2"}, one + " has times of 1 GPUs, device sim:h200x2 has 2\n  choose a single device\n"},
		{[]string{"--times", one, "--only", "cc .*block=128"}, "--only: no row matches \"cc .*block=128\"\n" +
			"  a row is \"GRAPH ALGORITHM SCHEDULER PARAMETERS\", such as: karate bfs warp block=64\n"},
		{[]string{"--times", one, "--only", "("}, "--only: error parsing regexp: missing closing ): `(`\n"},
		{[]string{"--times", one, "--only", "karate"}, one + ": no row is left: left out: 3 rows whose graph is not there\n  --graphs names a folder, --max-arcs the size of the largest graph to use\n"},
		{[]string{"--times", karate}, "--times: " + karate + " is no record of repeated runs\n"},
		{[]string{"--times", one, "--device", "func"}, "compare --times: device func has no clock\n  name a simulated machine by --device, such as sim:h200\n"},
		{[]string{"--times", one, "--gpu", "h200"}, "--gpu goes with a record of a GPU only\n"},
		{[]string{"--times", one, "--all"}, "weft compare takes one of ALGORITHM, --all, --micro, --counters and --times\n  such as \"weft compare bfs\"\n"},
		{[]string{"--times", one, "-j", "0"}, "-j: 0 is not from 1 to 1024\n"},
		{[]string{"bfs", "--only", "x"}, "--only goes with --times only\n"},
	} {
		_, stderr, code := command(t, append([]string{"compare"}, c.args...)...)
		assert.Equal(t, exitUsage, code, c.args)
		assert.Equal(t, "weft: "+c.want, stderr)
	}
	require.NoError(t, os.WriteFile(two, []byte(`{"sessions": [{}], "rows": [{"graph": "karate", "algorithm": "bfs", "scheduler": "warp", "params": "", "vertices": 34, "arcs": 100, "solve_seconds": [1]}]}`), 0o600))
	_, stderr, code = command(t, "compare", "--times", two, "--device", "sim:tiny", "--graphs", folder)
	assert.Equal(t, exitWrong, code)
	assert.Equal(t, "weft: karate bfs warp: graph karate has 34 vertices and 156 arcs; it must have 34 vertices and 100 arcs\n", stderr)
	require.NoError(t, os.WriteFile(two, []byte(`{"sessions": [{}], "rows": [{"graph": "karate", "algorithm": "bfs", "scheduler": "wrap", "params": "", "vertices": 34, "arcs": 156, "solve_seconds": [1]}]}`), 0o600))
	_, stderr, code = command(t, "compare", "--times", two, "--device", "sim:tiny", "--graphs", folder)
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, "weft: karate bfs wrap: unknown scheduler \"wrap\"\n")
}
