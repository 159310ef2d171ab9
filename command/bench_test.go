package command

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/measure/bench"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/sim"
)

// TestBenchSim checks that rates are amounts divided by times, that a run ends
// near its limit, and that a run that ends by itself is the same as that of
// `weft run`.
func TestBenchSim(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cpu.pprof")
	stdout, stderr, code := command(t, "bench", "sim", "--device", "sim:tiny", "--algorithm", "bfs,pagerank-pull", "--scheduler", "thread",
		"--graph", "grid:width=40,keep=1", "--instructions", "1e12,5000", "--json", "--cpuprofile", file)
	require.Equal(t, exitRight, code, stderr)
	var r bench.SimReport
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.Len(t, r.Runs, 4)
	assert.Equal(t, "sim:tiny", r.Device)
	for i, s := range r.Runs {
		assert.Equal(t, []string{"bfs", "pagerank-pull"}[i/2], s.Algorithm)
		assert.Equal(t, 1600, s.Vertices)
		assert.Equal(t, i%2 == 1, s.Whole)
		assert.Positive(t, s.PerThread)
		assert.Equal(t, 1024, s.Threads, "1,600 are launched, and the machine is full")
		assert.Greater(t, s.Wall, 0.0)
		if s.User > 0 {
			assert.InEpsilon(t, s.Instructions/s.User, s.InstRate, 1e-9)
			assert.InEpsilon(t, s.Sectors/s.User, s.SectorRate, 1e-9)
			assert.InEpsilon(t, float64(s.Cycles)/s.User, s.CycleRate, 1e-9)
			assert.InEpsilon(t, 1e9/s.InstRate, s.PerInst, 1e-9)
		}
		if i%2 == 0 {
			assert.GreaterOrEqual(t, s.Instructions, s.Limit)
			assert.Less(t, s.Instructions, r.Runs[i+1].Instructions)
		}
	}
	whole := runJSON(t, exitRight, "bfs", "--device", "sim:tiny", "--scheduler", "thread", "--graph", "grid:width=40,keep=1")
	assert.Equal(t, whole.WarpInstructions, r.Runs[1].Instructions)
	assert.Equal(t, whole.Cycles, r.Runs[1].Cycles)
	assert.Equal(t, whole.Launches, r.Runs[1].Launches)
	assert.Equal(t, whole.MachineHash, r.MachineHash)
	assert.Equal(t, whole.Machine, r.Machine)
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Positive(t, info.Size())
}

// TestBenchSimTable checks the form of the table.
func TestBenchSimTable(t *testing.T) {
	stdout, stderr, code := command(t, "bench", "sim", "--device", "sim:tiny", "--set", "sm.count=1", "--algorithm", "bfs", "--scheduler", "warp",
		"--graph", "testdata/triangle.mtx", "--graph", "grid:width=9", "--repeat", "2")
	require.Equal(t, exitRight, code, stderr)
	lines := strings.Split(stdout, "\n")
	require.GreaterOrEqual(t, len(lines), 5)
	assert.Equal(t, "run graph instr sectors cycles launches user wall instr/s sectors/s cycles/s ns/instr B/thread",
		strings.Join(strings.Fields(lines[0]), " "))
	assert.Regexp(t, `^bfs warp  triangle +\d+ +`, lines[1])
	assert.Regexp(t, `^bfs warp  grid:width=9\S* +`, lines[2])
	assert.Regexp(t, regexp.MustCompile(`^sim:tiny; .*calibration loop: 100 M steps/s`), lines[4])
}

// TestBenchSimStandard checks which runs there are if the user chooses none, and that choosing an algorithm, a scheduler
// or a group leaves the standard ones out.
func TestBenchSimStandard(t *testing.T) {
	list := func(args ...string) (runs []string) {
		stdout, stderr, code := command(t, append([]string{"bench", "sim", "--instructions", "1000", "--graph", "grid:width=20", "--json"}, args...)...)
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
		"bfs simdx", "bfs atos", "bfs hierq", "bfs multi sim:tinyx2", "internal/kernels/micro.TiledProduct"}, list("--device", "sim:tiny"))
	assert.Equal(t, []string{"bfs warp", "bfs thread"}, list("--device", "sim:tiny", "--algorithm", "bfs"))
	assert.Equal(t, []string{"bfs thread", "pagerank thread", "pagerank-pull thread"}, list("--device", "sim:tiny", "--scheduler", "thread"))
	assert.Equal(t, []string{"bfs multi"}, list("--device", "sim:tinyx2", "--algorithm", "bfs", "--scheduler", "multi"))

	stdout, stderr, code := command(t, "bench", "sim", "--device", "sim:tiny", "--set", "sm.count=1", "--graph", "grid:width=20", "--instructions", "1000,1e4")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^bfs multi on sim:tinyx2 +grid:width=20 `, stdout)
	assert.Regexp(t, `(?m)^micro.TiledProduct +512 rows `, stdout)
}

// TestBenchSimAgainst checks that other threads give the same, that the comparison is told, and what is refused.
func TestBenchSimAgainst(t *testing.T) {
	args := []string{"bench", "sim", "--device", "sim:tiny", "--algorithm", "bfs", "--scheduler", "warp", "--graph", "grid:width=20", "--instructions", "1000", "--against-threads", "2", "--repeat", "2"}
	stdout, stderr, code := command(t, append(args, "--json")...)
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
	stdout, stderr, code = command(t, args...)
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^run +graph +instr +wall +on 2 threads +faster +cycles and counters$`, stdout)
	assert.Regexp(t, `(?m)^bfs warp +grid:width=20 .* equal$`, stdout)
	assert.Regexp(t, `(?m)^median of 1: [0-9.]+ times as fast on 2 threads$`, stdout)
	for extra, want := range map[string]string{
		"--against-threads 1":                                       "weft: --against-threads: the runs have 1 threads already\n  name another number\n",
		"--threads 2 --against-threads 2":                           "weft: --against-threads: the runs have 2 threads already\n  name another number\n",
		"--against-threads 2 --device sim:tinyx2 --scheduler multi": "weft: --against-threads: a group of GPUs is simulated on one thread\n  leave it out\n",
		"--against-threads -1":                                      "weft: --against-threads: -1 is not from 0 to 1024\n",
	} {
		stdout, stderr, code := command(t, append([]string{"bench", "sim", "--algorithm", "bfs"}, shellWords(extra)...)...)
		assert.Equal(t, exitUsage, code, extra)
		assert.Empty(t, stdout)
		assert.Equal(t, want, stderr, extra)
	}
}

// late is a context that reports its end as an expired deadline.
type late struct{ context.Context }

func (l late) Err() error {
	if l.Context.Err() != nil {
		return context.DeadlineExceeded
	}
	return nil
}

// TestHeavyBenchSimInterrupted checks that the results so far are printed when a
// signal or a deadline ends it: in the middle of the second run, and before the
// first.
func TestHeavyBenchSimInterrupted(t *testing.T) {
	made := devices.Opener
	t.Cleanup(func() { devices.Opener = made })
	for _, runs := range []int{1, 0} {
		for _, deadline := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			if deadline {
				ctx = late{ctx}
			}
			opened := 0
			devices.Opener = func(ctx context.Context, d *devices.Spec, w devices.Watch) (device.Device, error) {
				opened++
				n := opened
				tell := w.Progress
				w.Progress = func(p sim.Progress) {
					if n > runs {
						cancel()
					}
					tell(p)
				}
				return made(ctx, d, w)
			}
			stdout, stderr, code := commandContext(ctx, "bench", "sim", "--algorithm", "pagerank", "--instructions", "1000,1e12", "--json", "--graph", "grid:width=400")
			assert.Equal(t, exitInterrupt, code)
			assert.Equal(t, "weft: interrupted\n", stderr)
			var r bench.SimReport
			require.NoError(t, json.Unmarshal([]byte(stdout), &r))
			assert.Len(t, r.Runs, runs)
			cancel()
		}
	}
}

// TestDeadline checks that a deadline that expired before anything began counts
// as an interruption, in every command.
func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, line := range []string{"bench sim --graph grid:width=4", "run bfs", "graph demo", "compare bfs", "compare --all", "micro --device sim:tiny", "annotate bfs"} {
		_, stderr, code := commandContext(late{ctx}, strings.Fields(line)...)
		assert.Equal(t, exitInterrupt, code, line)
		assert.Equal(t, "weft: interrupted\n", stderr, line)
	}
}

// TestHeavyBench checks what a benchmark says of its runs. It is that of the graph reader, which takes a second: that of the compiler takes half a
// minute for each, and TestCompiled of package bench runs a part of it.
func TestHeavyBench(t *testing.T) {
	stdout, stderr, code := command(t, "bench", "read", "--repeat", "2", "--json")
	require.Equal(t, exitRight, code, stderr)
	var r bench.Report
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.Len(t, r.Benchmarks, 1)
	b := r.Benchmarks[0]
	assert.Equal(t, "read", b.Name)
	assert.Positive(t, b.Min)
	assert.LessOrEqual(t, b.Min, b.Median)
	assert.LessOrEqual(t, b.Median, b.Max)
	assert.InEpsilon(t, b.Median/r.Calibration.Rate, b.PerStep, 1e-9)

	stdout, stderr, code = command(t, "bench", "read", "--repeat", "1")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^read +[\d.]+ ?[kMG]? +B/s`, stdout)
	assert.Contains(t, stdout, "calibration loop: 100 M steps/s")
}
