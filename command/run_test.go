package command

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/run"
)

// runJSON runs a command line with --json and decodes what it prints.
func runJSON(t *testing.T, wantCode int, args ...string) run.Result {
	t.Helper()
	stdout, stderr, code := command(t, append([]string{"run", "--json"}, args...)...)
	require.Equal(t, wantCode, code, stderr)
	var r run.Result
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&r))
	require.False(t, d.More(), "one object")
	return r
}

func TestJSON(t *testing.T) {
	r := runJSON(t, exitRight, "bfs", "--device", "sim:tiny", "--graph", "grid:width=16,keep=0.8,seed=2", "--set", "l2.latency=90")
	assert.Equal(t, "weft run --json bfs --device sim:tiny --graph grid:width=16,keep=0.8,seed=2 --set l2.latency=90", r.Command)
	assert.Equal(t, run.AnswerVerified, r.Answer)
	require.NotNil(t, r.Verified)
	assert.True(t, *r.Verified)
	assert.Equal(t, "sim:tiny", r.Device)
	assert.Equal(t, map[string]string{"l2.latency": "90"}, r.Parameters)
	assert.Equal(t, "bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]", r.Kernel)
	assert.EqualValues(t, 256, r.Graph.Vertices)
	assert.NotEmpty(t, r.Graph.Notes)
	require.NotNil(t, r.Source)
	assert.Equal(t, r.Graph.MaxDegreeVertex, *r.Source)
	assert.Len(t, r.PerIteration, r.Iterations)
	assert.Equal(t, r.Iterations+1, r.Launches, "a launch for the first values")
	assert.NotZero(t, r.Cycles)
	assert.InDelta(t, float64(r.Cycles)/1e9, r.SimulatedSeconds, r.SimulatedSeconds, "tiny runs at 1 GHz; copies come on top")
	assert.Greater(t, r.WallSeconds, r.LaunchWallSeconds)
	assert.Equal(t, r.Counters[run.WarpInstructions], r.WarpInstructions)
	assert.InEpsilon(t, r.WarpInstructions/r.LaunchWallSeconds, r.Rate, 1e-6)
	assert.NotZero(t, r.Calibration.Rate)
	assert.Nil(t, r.Error)
	assert.Nil(t, r.Tolerance, "levels are equal")
	assert.Greater(t, len(r.Counters), 40)
}

func TestJSONTolerance(t *testing.T) {
	r := runJSON(t, exitRight, "pagerank", "--device", "func", "--graph", "grid:width=16", "--param", "epsilon=1e-5")
	require.NotNil(t, r.Tolerance)
	assert.Less(t, r.Tolerance.Allowed, 1.2e-5/0.15)
	assert.LessOrEqual(t, r.Tolerance.MeanAllowed, r.Tolerance.Allowed)
	assert.LessOrEqual(t, r.Tolerance.Seen, r.Tolerance.Allowed)
	assert.Contains(t, r.Tolerance.Rule, "float32")
}

// TestSame checks that equal runs give equal counts, and that a parameter
// matters.
func TestSame(t *testing.T) {
	args := []string{"sssp", "--device", "sim:tiny", "--graph", "rmat:scale=7,degree=8,seed=1"}
	a, b := runJSON(t, exitRight, args...), runJSON(t, exitRight, args...)
	assert.Equal(t, a.Counters, b.Counters)
	assert.Equal(t, a.PerIteration, b.PerIteration)
	slow := runJSON(t, exitRight, append(args, "--set", "l2.latency=1000")...)
	assert.Greater(t, slow.Cycles, a.Cycles)
	assert.Equal(t, a.Graph, slow.Graph)
}

func TestJSONUnverified(t *testing.T) {
	r := runJSON(t, exitRight, "bfs", "--device", "func", "--no-verify")
	assert.Equal(t, run.AnswerUnchecked, r.Answer)
	assert.Nil(t, r.Verified)
	assert.Zero(t, r.Cycles, "func has no clock")
}

func TestJSONErrors(t *testing.T) {
	for _, c := range []struct {
		algorithm, kind string
		code            int
	}{
		{"./testdata/user/stuck.Hang", "hang", exitHang},
		{"./testdata/user/stuck.Endless", "undecided", exitUndecided},
		{"./testdata/user/stuck.Outside", "fault", exitWrong},
		{"./testdata/user/rejected.Broken", "failure", exitWrong},
	} {
		r := runJSON(t, c.code, c.algorithm, "--device", "func", "--graph", "testdata/triangle.mtx", "--symmetrize", "--budget", "1000000")
		assert.Equal(t, run.AnswerIncomplete, r.Answer, c.algorithm)
		assert.Nil(t, r.Verified, c.algorithm)
		require.NotNil(t, r.Error, c.algorithm)
		assert.Equal(t, c.kind, r.Error.Kind)
		assert.Contains(t, r.Error.Message, ".go:", "says where")
	}
}

// oneOfEach returns entries in which each algorithm and each scheme occurs. What
// a command does with a run depends on one of them; whether the answer of each
// pair is right, the tests of package catalog find.
func oneOfEach() (some []catalog.Entry) {
	seen := map[string]bool{}
	for _, e := range catalog.Entries() {
		a, s := "algorithm "+e.Algorithm.Name, "scheme "+e.Scheduler.Name
		if !seen[a] || !seen[s] {
			seen[a], seen[s] = true, true
			some = append(some, e)
		}
	}
	return some
}

func TestEveryAlgorithmAndScheme(t *testing.T) {
	for _, e := range oneOfEach() {
		t.Run(e.Name(), func(t *testing.T) {
			for _, d := range []string{"func", "sim:tiny"} {
				r := runJSON(t, exitRight, e.Algorithm.Name, "--scheduler", e.Scheduler.Name, "--device", d, "--graph", "smallworld:n=200,degree=4,seed=5")
				assert.Equal(t, run.AnswerVerified, r.Answer, d)
			}
		})
	}
}

// counting is a device that calls after in the middle of its second launch:
// when the launch has checked several times whether it must end.
type counting struct {
	device.Device
	launches int
	after    func()
}

func (c *counting) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	if c.launches++; c.launches == 2 {
		ctx = &polled{Context: ctx, left: 5, after: c.after}
	}
	return c.Device.Launch(ctx, l)
}

// polled is a context that calls after when it has been checked left times.
type polled struct {
	context.Context
	left  int
	after func()
}

func (p *polled) Err() error {
	if p.left--; p.left == 0 {
		p.after()
	}
	return p.Context.Err()
}

// whenLaunched calls do in the middle of the second launch of each device that
// is opened during the test, however fast this machine is.
func whenLaunched(t *testing.T, do func()) {
	made := devices.Opener
	t.Cleanup(func() { devices.Opener = made })
	devices.Opener = func(ctx context.Context, d *devices.Spec, w devices.Watch) (device.Device, error) {
		dev, err := made(ctx, d, w)
		return &counting{Device: dev, after: do}, err
	}
}

// TestInterrupt interrupts a run that would not end by itself.
func TestInterrupt(t *testing.T) {
	for _, d := range []string{"func", "sim:tiny"} {
		ctx, cancel := context.WithCancel(t.Context())
		whenLaunched(t, cancel)
		stdout, stderr, code := commandContext(ctx, "run", "./testdata/user/stuck.Endless", "--device", d, "--graph", "testdata/triangle.mtx", "--json")
		assert.Equal(t, exitInterrupt, code)
		assert.Equal(t, "weft: interrupted\n", stderr)
		var r run.Result
		require.NoError(t, json.Unmarshal([]byte(stdout), &r))
		assert.Equal(t, run.AnswerIncomplete, r.Answer)
		assert.Equal(t, "interrupted", r.Error.Kind)
		assert.Greater(t, r.WarpInstructions, 100.0, "what is known so far")
	}
}

// TestInterruptEarly interrupts a command before it has started to run
// anything.
func TestInterruptEarly(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, line := range []string{"run bfs", "graph demo", "bench func"} {
		_, stderr, code := commandContext(ctx, strings.Fields(line)...)
		assert.Equal(t, exitInterrupt, code, line)
		assert.Equal(t, "weft: interrupted\n", stderr, line)
	}
}

// TestAnswer compares the --answer files of a user's algorithm on both devices.
func TestAnswer(t *testing.T) {
	dir := t.TempDir()
	var got []string
	for i, d := range []string{"func", "sim:tiny"} {
		file := filepath.Join(dir, d[:3]+"-"+[]string{"a", "b"}[i])
		_, stderr, code := command(t, "run", "../examples/widest.Widest", "--device", d, "--graph", "testdata/triangle.mtx", "--source", "1", "--answer", file)
		require.Equal(t, exitRight, code, stderr)
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		got = append(got, string(b))
	}
	assert.Equal(t, "1\t4294967295\n2\t5\n3\t3\n", got[0])
	assert.Equal(t, got[0], got[1])
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, files, 2, "nothing half-written stays")
}

// Vertices are those of the file, in the arguments and in the answer.
func TestVerticesAreThoseOfTheFile(t *testing.T) {
	const gaps = "testdata/gaps.txt"
	for _, c := range []struct {
		line []string
		want string
	}{
		{[]string{"bfs", "--graph", gaps, "--source", "7"}, "7\t0\n12\t4294967295\n30\t4294967295\n900\t1\n4000000000\t4294967295\n"},
		{[]string{"sssp", "--graph", gaps, "--source", "12", "--weights", "unit"}, "7\t4294967295\n12\t0\n30\t4294967295\n900\t4294967295\n4000000000\t1\n"},
		{[]string{"cc", "--graph", gaps}, "7\t7\n12\t12\n30\t7\n900\t7\n4000000000\t12\n"},
		{[]string{"parents", "--graph", gaps, "--source", "7"}, "7\t7\n12\t18446744073709551615\n30\t18446744073709551615\n900\t7\n4000000000\t18446744073709551615\n"},
		{[]string{"parents", "--graph", "testdata/triangle.mtx", "--source", "3"}, "1\t18446744073709551615\n2\t3\n3\t3\n"},
		{[]string{"bfs", "--graph", "testdata/triangle.mtx", "--source", "3"}, "1\t4294967295\n2\t1\n3\t0\n"},
		{[]string{"cc", "--graph", "testdata/triangle.mtx"}, "1\t1\n2\t1\n3\t1\n"},
	} {
		file := filepath.Join(t.TempDir(), "answer")
		r := runJSON(t, exitRight, append(c.line, "--device", "func", "--answer", file)...)
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, c.want, string(got), c.line)
		if i := slices.Index(c.line, "--source"); i > 0 {
			require.NotNil(t, r.Source)
			assert.Equal(t, c.line[i+1], fmt.Sprint(*r.Source))
		} else {
			assert.Nil(t, r.Source)
		}
	}
	r := runJSON(t, exitRight, "bfs", "--graph", gaps, "--device", "func")
	assert.EqualValues(t, 7, *r.Source)
	assert.EqualValues(t, 7, r.Graph.MaxDegreeVertex)
}

// A graph that does not fit is not a usage error: it may fit on another
// machine.
func TestGraphTooLarge(t *testing.T) {
	for _, line := range [][]string{{"graph", "rmat:scale=31,degree=1"}, {"run", "bfs", "--graph", "grid:width=30000"}} {
		before := debug.SetMemoryLimit(1 << 30)
		_, stderr, code := command(t, line...)
		debug.SetMemoryLimit(before)
		assert.Equal(t, exitWrong, code)
		assert.Regexp(t, `^weft: generator \w+: a graph of \d+ vertices and \d+ arcs needs [\d.]+ GiB of memory, and [\d.]+ MiB are available\n$`, stderr)
	}
}

// Schemes that use one GPU are refused on a group, with those that use all.
func TestGroupOfGPUs(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "bfs", "--device", "funcx2"}, "weft: scheduler warp uses one GPU, and funcx2 is a group of 2; schedulers that run bfs on all of them: atos, bitmap, multi, near-far\n"},
		{[]string{"run", "tc", "--device", "sim:tiny", "--gpus", "3", "--scheduler", "auto"}, "weft: scheduler \"auto\" finds no scheme of Weft's that runs tc on several GPUs: multi: tc looks at the neighbors of both ends of an arc"},
		{[]string{"run", "cc", "--device", "funcx2"}, "schedulers that run cc on all of them: atos, multi, near-far, union-find\n"},
		{[]string{"run", "tc", "--device", "funcx2"}, "uses one GPU, and funcx2 is a group of 2; no scheduler runs tc on several\n"},
		{[]string{"run", "bfs", "--gpus", "17"}, "weft: --gpus: \"17\" is not a number of GPUs from 1 to 16\n"},
		{[]string{"run", "bfs", "--gpus", "0"}, "weft: --gpus: \"0\" is not a number of GPUs from 1 to 16\n"},
		{[]string{"run", "bfs", "--gpus=2", "--monitor", "8080"}, "weft: --monitor works on one GPU, and sim:h200x2 is a group of 2\n  write --device sim:h200\n"},
	} {
		out, errs, code := command(t, c.args...)
		require.Empty(t, out)
		require.Contains(t, errs, c.want)
		require.Equal(t, 2, code)
	}
}
