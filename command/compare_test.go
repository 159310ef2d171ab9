package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/comparison"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim/config"
)

// TestCompareAnswers checks that the output says who verified what, and how
// answers differ.
func TestCompareAnswers(t *testing.T) {
	stdout, stderr, code := command(t, "compare", "bfs", "--device", "sim:tiny", "--with", "func", "--graph", "grid:width=9")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^answer of sim:tiny +verified against the CPU reference$`, stdout)
	assert.Regexp(t, `(?m)^answer of func +verified against the CPU reference$`, stdout)
	assert.Regexp(t, `(?m)^both answers +equal to the last bit$`, stdout)
	assert.Regexp(t, `(?m)^ +sim:tiny +func +difference$`, stdout)
	assert.NotContains(t, stdout, "error", "func is no machine that a simulation errs against")
	assert.Regexp(t, `(?m)^kernel time, ms +[\d.]+ +- +-$`, stdout, "func has no clock")

	stdout, stderr, code = command(t, "compare", "../examples/widest.Widest", "--device", "sim:tiny", "--with", "func", "--graph", "grid:width=9")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^answer of sim:tiny +not verified: there is no CPU reference for this algorithm$`, stdout)
	assert.Regexp(t, `(?m)^both answers +equal to the last bit$`, stdout)
	assert.NotContains(t, stdout, "right")
}

// TestCompareParameters checks that both sides run with the parameters that are given.
func TestCompareParameters(t *testing.T) {
	args := []string{"compare", "pagerank", "--device", "func", "--with", "sim:tiny", "--graph", "grid:width=9", "--param"}
	stdout, stderr, code := command(t, append(args, "damping=0.5,block=64")...)
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^parameters +block=64, damping=0.5$`, stdout)
	assert.Regexp(t, `(?m)^answer of sim:tiny +verified against the CPU reference`, stdout)

	_, stderr, code = command(t, append(args, "max-iterations=1")...)
	require.Equal(t, exitWrong, code)
	assert.Regexp(t, `^weft: kernels.PageRank did not end within 1 iterations: \d+ vertices are still active\n$`, stderr)
}

// TestCompareDiffering checks that answers that are not verified and differ are
// a failure.
func TestCompareDiffering(t *testing.T) {
	args := []string{"compare", "./testdata/user/ticket.Ticket", "--device", "sim:tiny", "--with", "func", "--graph", "grid:width=20,keep=1"}
	stdout, stderr, code := command(t, args...)
	require.Equal(t, exitWrong, code, stdout)
	assert.Regexp(t, `^weft: the answers differ at \d+ of 400 vertices, and not both were verified\n$`, stderr)
	assert.Regexp(t, `(?m)^both answers +differ at \d+ of 400 vertices, first at \d+: \d+ and \d+$`, stdout)

	stdout, _, code = command(t, append(args, "--json")...)
	require.Equal(t, exitWrong, code)
	var c comparison.Comparison
	require.NoError(t, json.Unmarshal([]byte(stdout), &c))
	require.NotNil(t, c.Answers)
	assert.Equal(t, 400, c.Answers.Of)
	assert.Positive(t, c.Answers.Vertices)
	assert.Equal(t, compare.NoReference, c.A.Answer)
	assert.Equal(t, compare.MeasureDifference, c.Measure)
	machine, err := config.Load("tiny")
	require.NoError(t, err)
	assert.Equal(t, machine.Hash(), c.A.MachineHash)
	assert.EqualValues(t, machine.SM.Count, c.A.Machine["sm.count"])
	assert.Empty(t, c.B.Machine, "func is no machine")
}

// TestCompareRecord compares with a record: the output has what the record says
// about its answer, errors where both counters mean the same, and the reason
// for counters that cannot be compared.
func TestCompareRecord(t *testing.T) {
	karate, err := filepath.Abs("../graph/testdata/karate.mtx.gz")
	require.NoError(t, err)
	stdout, stderr, code := command(t, "compare", "bfs", "--graph", karate)
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^answer of record of h200 +verified when it was recorded$`, stdout)
	assert.Regexp(t, `(?m)^both answers +not compared: the record has no values$`, stdout)
	assert.Regexp(t, `(?m)^ +sim:h200 +record of h200 +error$`, stdout)
	assert.Regexp(t, `(?m)^not comparable +sim:h200 +record of h200 +because$`, stdout)
	assert.Regexp(t, `(?m)^dram__bytes_read.sum +[\d,]+ +[\d,]+ +Nsight Compute runs a kernel several times`, stdout)

	stdout, stderr, code = command(t, "compare", "bfs", "--graph", karate, "--json")
	require.Equal(t, exitRight, code, stderr)
	var c comparison.Comparison
	require.NoError(t, json.Unmarshal([]byte(stdout), &c))
	assert.Equal(t, compare.MeasureError, c.Measure)
	machine, err := config.Load("h200")
	require.NoError(t, err)
	for _, s := range []compare.Side{c.A, c.B} {
		assert.InDelta(t, s.Seconds-float64(s.Launches)*machine.Launch.Kernel*1e-6, s.Active, 1e-12)
		assert.Positive(t, s.Active)
	}
	assert.InDelta(t, c.A.Active/c.B.Active-1, float64(c.ActiveError), 1e-9)
	assert.Greater(t, float64(c.ActiveError), float64(c.Error), "what is the same on both sides hides an error")

	stdout, stderr, code = command(t, "compare", "bfs", "--graph", karate, "--device", "sim:tiny", "--gpu", "h200", "--set", "sm.count=1")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^note +the record is of another GPU \(h200\) than device sim:tiny, as --gpu asks$`, stdout)
	assert.Regexp(t, `(?m)^note +the machine of sim:tiny is changed: sm.count=1$`, stdout)

	// Counters from a file; the output says what they are.
	file := filepath.Join(t.TempDir(), "x.csv")
	require.NoError(t, os.WriteFile(file, []byte("\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Value\"\n"+
		`"0","kernels_BFSInit","smsp__inst_executed.sum","1"`+"\n"+`"1","kernels_BFSWarp","smsp__inst_executed.sum","1"`+"\n"), 0o644))
	stdout, stderr, code = command(t, "compare", "bfs", "--graph", karate, "--ncu", file)
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^counters of record of h200 .*x.csv: launches 1 of kernels_BFSInit, 1 of kernels_BFSWarp$`, stdout)
	assert.Regexp(t, `(?m)^smsp__inst_executed.sum +[\d,]+ +2 `, stdout)

	// A graph of the same size under another name.
	raw, err := os.ReadFile(karate)
	require.NoError(t, err)
	other := filepath.Join(t.TempDir(), "club.mtx.gz")
	require.NoError(t, os.WriteFile(other, raw, 0o644))
	stdout, stderr, code = command(t, "compare", "bfs", "--graph", other, "--device", "sim:tiny", "--gpu", "h200")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^note +the record is of karate.mtx.gz, which has as many vertices and arcs as club$`, stdout)
}

// TestCompareAll checks the errors with and without launch overhead, of each
// run and in total.
func TestCompareAll(t *testing.T) {
	karate, err := filepath.Abs("../graph/testdata/karate.mtx.gz")
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, os.Symlink(karate, filepath.Join(folder, "karate.mtx.gz")))
	args := []string{"compare", "--all", "--graphs", folder, "--max-arcs", "1000", "--record", someRecords(t)}
	stdout, stderr, code := command(t, append(args, "--json")...)
	require.Equal(t, exitRight, code, stderr)
	var table comparison.Table
	require.NoError(t, json.Unmarshal([]byte(stdout), &table))
	assert.Len(t, table.Runs, 18, "those of both records")
	require.NotNil(t, table.Active)
	assert.Equal(t, 18, table.Active.N)
	assert.Greater(t, table.Active.Mean, table.Summary.Mean)
	var out strings.Builder
	table.Text(&out)
	assert.Regexp(t, `(?m)^algorithm .* error +without launches: sim:h200 +record of h200 +error$`, out.String())
	assert.Regexp(t, `(?m)^bfs +warp +karate.mtx.gz( +[\d.]+){2} +[+-][\d.]+%( +[\d.]+){2} +[+-][\d.]+%$`, out.String())
	assert.Regexp(t, `(?m)^18 compared: error `, out.String())
	assert.Regexp(t, `(?m)^without launches, the time in which SMs are active: 18 compared: error `, out.String())
	assert.Contains(t, out.String(), "note: records, with the number of rows from each: pairs.json (2), . (16)\n")
}

// someRecords writes what was recorded on karate: all runs of one of our records, and two pairs of another one.
func someRecords(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	put := func(name string, v any) {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), text, 0o644))
	}
	all := results.Builtin().All("h200")
	h, err := all[0].Hardware()
	require.NoError(t, err)
	put("meta.json", h.Meta)
	put("runs.json", slices.DeleteFunc(h.Runs, func(r results.Run) bool { return r.Graph != "karate.mtx.gz" }))
	pairs, err := all[1].Repeats()
	require.NoError(t, err)
	pairs.Rows = slices.DeleteFunc(pairs.Rows, func(r results.Row) bool {
		return r.Graph != "karate" || r.Algorithm != "bfs" || r.Scheduler != "atos" && r.Scheduler != "hierq"
	})
	put("pairs.json", pairs)
	return folder
}
