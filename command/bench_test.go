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
