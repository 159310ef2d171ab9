package command

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/comparison"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/results"
)

// ownRecord writes a record of a GPU of which the program has none, with runs of bfs on karate that have the iterations of a scheme that
// counts none, and returns its folder and the graph.
func ownRecord(t *testing.T) (folder, karate string) {
	t.Helper()
	karate, err := filepath.Abs("../graph/testdata/karate.mtx.gz")
	require.NoError(t, err)
	folder = t.TempDir()
	run := func(algorithm, scheduler, more string) string {
		return `{"algorithm": "` + algorithm + `", "scheduler": "` + scheduler + `", "graph": "karate.mtx.gz", "vertices": 34, "arcs": 156, "source": 33, "verified": true, "kernels": {"runs": 3, "median": 0.00001}` + more + `}`
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "meta.json"), []byte(`{"gpu": "Tesla P100-PCIE-16GB", "date": "2026-01-02T03:04:05Z"}`), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "runs.json"), []byte("["+run("bfs", "warp", "")+","+run("bfs", "atos", `, "parameters": {"blocks": "7"}`)+"]"), 0o644))
	return folder, karate
}

// TestCompareOwnRecord compares with a record in a folder, which the flag names before the environment does.
func TestCompareOwnRecord(t *testing.T) {
	folder, karate := ownRecord(t)
	base := []string{"compare", "bfs", "--device", "sim:tiny", "--graph", karate}
	stdout, stderr, code := command(t, append(base, "--gpu", "p100", "--record", folder)...)
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^record +\.: karate.mtx.gz, 3 timed runs, kernels 0.01 ms$`, stdout)
	assert.Contains(t, stdout, "the records are those of the folder "+folder)

	other := t.TempDir()
	t.Setenv(results.Variable, other)
	stdout, stderr, code = command(t, append(base, "--gpu", "p100", "--record", folder)...)
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "record of p100", "the flag is stronger than the environment")

	for _, x := range []struct{ env, args, want string }{
		{other, "--gpu p100", "$WEFT_RECORDS: " + other + " has no records: neither a meta.json of weft record nor a file of weft results --record\n"},
		{karate, "--gpu p100", "$WEFT_RECORDS: " + karate + " is not a folder\n"},
		{"", "--gpu p100 --record " + karate, "--record: " + karate + " is not a folder\n"},
		{"", "--gpu p100 --record " + filepath.Join(other, "none"), "--record: there is no folder " + filepath.Join(other, "none") + "\n"},
		{"", "--record " + other, "--record: " + other + " has no records: neither a meta.json of weft record nor a file of weft results --record\n"},
		{folder, "", "there is no record of the GPU of device sim:tiny in the folder " + folder + "\n  recorded are: p100; choose one of them by --gpu, or a device by --with\n"},
		{folder, "--gpu h200", "--gpu: there is no record of GPU \"h200\" in the folder " + folder + "\n  recorded are: p100\n"},
		{"", "--gpu k40", "--gpu: there is no record of GPU \"k40\"\n  recorded are: h100, h200\n"},
		{folder, "--gpu p100 --scheduler thread", "the p100 has no record of bfs by thread on any graph\n  bfs is recorded by atos, warp; or choose a device by --with, such as --with func\n"},
		{folder, "--gpu p100 --scheduler atos", "the p100 has no record of bfs by atos with the defaults on karate\n  recorded there with: blocks=7 (.); or choose a device by --with, such as --with func\n"},
		{folder, "--gpu p100 --graph grid:width=4", "no record of bfs by warp on grid:width=4 from vertex 5\n  recorded on the p100: bfs by warp on karate (.), from the source of largest degree\n"},
		{folder, "--record " + folder + " --with func", "--record names a record, but --with func is not a record\n"},
	} {
		t.Setenv(results.Variable, x.env)
		_, stderr, code := command(t, append(base, strings.Fields(x.args)...)...)
		assert.Equal(t, exitUsage, code, x.args)
		assert.Equal(t, "weft: "+x.want, stderr)
	}

	t.Setenv(results.Variable, folder)
	stdout, stderr, code = command(t, append(base, "--gpu", "p100", "--scheduler", "atos", "--param", "blocks=7")...)
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^record +\.: karate.mtx.gz with blocks=7, 3 timed runs`, stdout)
	assert.Regexp(t, `(?m)^launches +1 +- +-$`, stdout, "the record does not say how many")
	assert.Regexp(t, `(?m)^  without launches +[\d.]+ +- +-$`, stdout)

	stdout, stderr, code = command(t, "list", "auto")
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "next to the best scheduler on record (p100)")
	_, stderr, code = command(t, "list", "devices", "--record", folder)
	assert.Equal(t, exitUsage, code)
	assert.Equal(t, "weft: --record goes with weft list auto only\n  such as \"weft list auto --record recorded\"\n", stderr)
}

// TestCompareWithoutRecord compares an algorithm that no GPU has run: the message names it and says what to compare with.
func TestCompareWithoutRecord(t *testing.T) {
	t.Setenv(results.Variable, "")
	_, stderr, code := command(t, "compare", "tc", "--graph", "grid:width=4")
	assert.Equal(t, exitUsage, code)
	assert.Equal(t, "weft: the h200 has no record of tc by warp on any graph\n  choose a device by --with, such as --with func\n", stderr)
	stdout, stderr, code := command(t, "compare", "tc", "--graph", "grid:width=4", "--device", "sim:tiny", "--with", "func")
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "tc")
}

// TestCompareAllRecords finds a pair that the first record lacks, and names the record; parameters choose among its rows.
func TestCompareAllRecords(t *testing.T) {
	_, karate := ownRecord(t)
	stdout, stderr, code := command(t, "compare", "sssp", "--scheduler", "simdx", "--device", "sim:tiny", "--gpu", "h200", "--graph", karate, "--json")
	require.Equal(t, exitRight, code, stderr)
	var c comparison.Comparison
	require.NoError(t, json.Unmarshal([]byte(stdout), &c))
	require.NotNil(t, c.Record)
	assert.Equal(t, "pairs/own-host/h200.json", c.Record.Record, "the one with the most timed runs")
	assert.Positive(t, c.B.Launches)
	stdout, stderr, code = command(t, "compare", "bfs", "--device", "sim:tiny", "--gpu", "h200", "--graph", karate)
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^record +hw/h200: karate.mtx.gz, 9 timed runs, kernels 0.02654 ms$`, stdout)
	assert.Regexp(t, `(?m)^also recorded +pairs/h200.json: karate, 1 timed run, kernels 0.02627 ms, algorithm 0.114 ms$`, stdout)
}

// TestCompareAllWithoutLaunches says of a record without launches that there is no error without them.
func TestCompareAllWithoutLaunches(t *testing.T) {
	folder, karate := ownRecord(t)
	graphs := t.TempDir()
	require.NoError(t, os.Symlink(karate, filepath.Join(graphs, "karate.mtx.gz")))
	stdout, stderr, code := command(t, "compare", "--all", "--device", "sim:tiny", "--gpu", "p100", "--record", folder, "--graphs", graphs, "--max-arcs", "1000")
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "\n1 compared: error ")
	assert.Contains(t, stdout, "\nwithout launches, the time in which SMs are active: not compared, the record does not say how many launches there were\n")
	assert.NotContains(t, stdout, "error 0.0%")
	assert.NotContains(t, stdout, "partial")
}

// TestPartialTable checks that a table that ended early says so, and that the limit is no failure.
func TestPartialTable(t *testing.T) {
	var out, errs strings.Builder
	a := &app{stdout: &out, stderr: &errs}
	rows := []compare.Row{{Algorithm: "bfs", Scheduler: "warp", Graph: "karate", A: 2, B: 1, Error: 1}}
	table := &comparison.Table{Device: "sim:tiny", With: "record of x", Partial: "the comparison ended after 1 row (the time limit is over); the summary is of these", Runs: rows, Summary: compare.Summary{N: 1, Mean: 1, Median: 1, Worst: 2}}
	require.NoError(t, a.printed(table, true, false, comparison.ErrLimit))
	assert.Contains(t, out.String(), "\npartial: the comparison ended after 1 row (the time limit is over); the summary is of these\n\n1 compared: error 100.0% in the mean")
	fails := errors.New("fails")
	require.ErrorIs(t, a.printed(table, true, false, fails), fails)

	_, stderr, code := command(t, "compare", "--all", "--device", "sim:tiny", "--gpu", "h200", "--limit", "1ns")
	assert.Equal(t, exitWrong, code)
	assert.Equal(t, "weft: the time limit is over\n", stderr, "there is no row to print")
	_, stderr, code = command(t, "compare", "bfs", "--limit", "1s")
	assert.Equal(t, exitUsage, code)
	assert.Equal(t, "weft: --limit goes with --all, --micro, --counters and --times only\n", stderr)
	_, stderr, code = command(t, "compare", "--all", "--limit", "-1s")
	assert.Equal(t, exitUsage, code)
	assert.Equal(t, "weft: --limit: -1s is negative\n  such as --limit 8m\n", stderr)
}
