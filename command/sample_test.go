package command

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/service/cuda"
	"github.com/weft-gpu/weft/internal/service/run"
)

// TestSample compares sampled runs with whole ones: the answer is right, instructions are the same, and the time of the kernels is within
// the bound.
func TestSample(t *testing.T) {
	args := []string{"pagerank-pull", "--scheduler", "warp", "--graph", "rmat:scale=9,degree=8,seed=1", "--device", "sim:tiny", "--threads", "1"}
	whole := runJSON(t, 0, args...)
	assert.Nil(t, whole.Sampled)
	for bound, text := range map[float64]string{0.1: "10%", 0.03: "0.03"} {
		part := runJSON(t, 0, append(args, "--sample", text)...)
		require.NotNil(t, part.Sampled)
		assert.Equal(t, run.AnswerVerified, part.Answer)
		assert.Equal(t, bound, part.Sampled.Bound)
		assert.True(t, part.Sampled.Holds(), "%+v", part.Sampled.Error)
		assert.Equal(t, whole.Launches, part.Launches)
		assert.Equal(t, whole.Launches, part.Sampled.Whole+part.Sampled.Partly+part.Sampled.Left)
		assert.Greater(t, part.Sampled.Left, whole.Launches/2)
		assert.Equal(t, whole.Counters[counter.WarpInstructions], part.Counters[counter.WarpInstructions])
		assert.LessOrEqual(t, math.Abs(part.KernelSeconds/whole.KernelSeconds-1), bound)
		assert.Equal(t, len(part.Counters), len(part.Sampled.Intervals)+2, "all but the copies of the host")
		again := runJSON(t, 0, append(args, "--sample", text)...)
		assert.Equal(t, part.Sampled, again.Sampled, "the choice is that of the seed")
		assert.Equal(t, part.Cycles, again.Cycles)
	}
	stdout, stderr, code := command(t, append(append([]string{"run"}, args...), "--sample", "10%")...)
	require.Zero(t, code, stderr)
	assert.Regexp(t, `\nsample      kernel time within [0-9.e-]+% \(confidence 95%; asked for 10%\): \d+ of \d+ launches simulated(, \d+ of them in part)?, [0-9.]+% of the instructions\n`, stdout)
	assert.Regexp(t, `\ncounter +value +within +unit`, stdout)
	assert.Regexp(t, `\nsmsp__inst_executed.sum +[0-9,]+ +±0 +inst`, stdout)
}

func TestSampleRefuses(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--sample 2x", "weft: --sample: \"2x\" is not an error from 0.1% to 50%\n  write --sample 2%\n"},
		{"--sample 0.01%", "weft: --sample: \"0.01%\" is not an error from 0.1% to 50%\n  write --sample 2%\n"},
		{"--sample 60%", "weft: --sample: \"60%\" is not an error from 0.1% to 50%\n  write --sample 2%\n"},
		{"--sample NaN", "weft: --sample: \"NaN\" is not an error from 0.1% to 50%\n  write --sample 2%\n"},
		{"--sample 2% --race", "weft: --sample and --race exclude each other: with --race, everything is simulated\n  leave one of them out\n"},
		{"--sample 2% --strict", "weft: --sample and --strict exclude each other: with --strict, everything is simulated\n  leave one of them out\n"},
		{"--sample 2% --gpus 2", "weft: --sample works on one GPU, and sim:h200x2 is a group of 2\n  write --device sim:h200\n"},
		{"--sample 2% --device func", "weft: --sample: device func is not simulated\n  name a simulated machine by --device, such as sim:h200\n"},
		{"--sample 2% --trace t.json", "weft: --sample does nothing beside --trace: everything, or what is named, is simulated for that\n  leave it out\n"},
	} {
		for _, of := range []string{"run bfs ", "launch " + forms + ".Add --grid 1 --block 32 "} {
			stdout, stderr, code := command(t, shellWords(of+c.args)...)
			assert.Equal(t, exitUsage, code, c.args)
			assert.Empty(t, stdout)
			assert.Equal(t, c.want, stderr, c.args)
		}
	}
}

// TestSampleLaunch compares launches with whole ones: of a grid of many blocks a part is simulated, and of launches that repeat some are
// left out. What the kernel writes is the same, and a device to compare with is simulated in part as well.
func TestSampleLaunch(t *testing.T) {
	const add = forms + ".Add --device sim:tiny --threads 1 --block 128 --arg x=iota:n --arg y=random:n --arg out=zeros:n --arg threads=0 "
	for _, c := range []struct {
		args, sample string
		left         bool // whole launches are left out, instead of blocks
	}{
		{"--grid 4096 --arg n=524288 --print out[524000:524010]", "10%", false},
		{"--grid 64 --arg n=8192 --repeat 60 --print out[8000:8010]", "5%", true},
	} {
		whole, part := launchJSON(t, exitRight, add+c.args), launchJSON(t, exitRight, add+c.args+" --sample "+c.sample)
		assert.Nil(t, whole.Sampled)
		require.NotNil(t, part.Sampled)
		assert.True(t, part.Sampled.Holds(), "%v", part.Sampled)
		assert.Less(t, part.Sampled.Share(), 0.4, "%v", part.Sampled)
		assert.Equal(t, c.left, part.Sampled.Left > 0)
		assert.Equal(t, !c.left, part.Sampled.Partly > 0)
		assert.Equal(t, whole.Launches, part.Launches)
		assert.Len(t, part.Each, whole.Launches)
		assert.Equal(t, whole.WarpInstructions, part.WarpInstructions)
		assert.Equal(t, whole.Buffers, part.Buffers)
		assert.LessOrEqual(t, math.Abs(part.KernelSeconds/whole.KernelSeconds-1), part.Sampled.Bound)
		assert.LessOrEqual(t, math.Abs(float64(part.Cycles)/float64(whole.Cycles)-1), part.Sampled.Bound)
	}
	both := launchJSON(t, exitRight, add+"--grid 64 --arg n=8192 --repeat 60 --sample 5% --compare-with func")
	assert.Zero(t, both.Comparison.Differing)
	assert.Positive(t, both.Sampled.Left)
	stdout, stderr, code := command(t, append([]string{"launch"}, strings.Fields(add+"--grid 64 --arg n=8192 --repeat 60 --sample 5%")...)...)
	require.Zero(t, code, stderr)
	assert.Regexp(t, `\nsample +kernel time within [0-9.e-]+% \(confidence 95%; asked for 5%\): \d+ of 60 launches simulated(, \d+ of them in part)?, [0-9.]+% of the instructions\n`, stdout)
	assert.Regexp(t, `\ncounter +value +within +unit`, stdout)
}

// sampledProgram smooths a line of numbers, with a launch for each step, and checks them by the host.
const sampledProgram = `#include <cstdio>
#include <vector>
__global__ void smooth(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.25f * in[i ? i - 1 : 0] + 0.5f * in[i] + 0.25f * in[i < n - 1 ? i + 1 : i];
}
int main() {
  const int n = 6000, steps = 80;
  std::vector<float> x(n), y(n), got(n);
  for (int i = 0; i < n; i++) x[i] = i * 37 % 101;
  float *a, *b;
  cudaMalloc((void **)&a, n * 4);
  cudaMalloc((void **)&b, n * 4);
  cudaMemcpy(a, x.data(), n * 4, cudaMemcpyHostToDevice);
  cudaEvent_t from, to;
  cudaEventCreate(&from), cudaEventCreate(&to);
  cudaEventRecord(from);
  for (int s = 0; s < steps; s++) {
    smooth<<<(n + 127) / 128, 128>>>(a, b, n);
    std::swap(a, b);
  }
  cudaEventRecord(to);
  cudaMemcpy(got.data(), a, n * 4, cudaMemcpyDeviceToHost);
  for (int s = 0; s < steps; s++, x.swap(y))
    for (int i = 0; i < n; i++) y[i] = 0.25f * x[i ? i - 1 : 0] + 0.5f * x[i] + 0.25f * x[i < n - 1 ? i + 1 : i];
  int wrong = 0;
  for (int i = 0; i < n; i++) wrong += !(got[i] - x[i] < 1e-3f && x[i] - got[i] < 1e-3f);
  float ms;
  cudaEventElapsedTime(&ms, from, to);
  printf("%d wrong, %.6f ms\n", wrong, ms);
}
`

// TestSampleCUDA runs a CUDA program whose launches repeat: its answer is right, and its own events measure a time within the bound.
func TestSampleCUDA(t *testing.T) {
	program := cudaProgram(t, sampledProgram)
	run := func(flags ...string) (ms float64, r cuda.Result) {
		out := filepath.Join(t.TempDir(), "report.json")
		stdout, stderr, code := runCUDA(t, program, append(flags, "--device", "sim:tiny", "--threads", "1", "--out", out)...)
		require.Equal(t, exitRight, code, stderr)
		wrong := -1
		_, err := fmt.Sscanf(stdout, "%d wrong, %f ms", &wrong, &ms)
		require.NoError(t, err, stdout)
		assert.Zero(t, wrong)
		if slices.Contains(flags, "--sample") {
			assert.Regexp(t, `\nsample: kernel time within [0-9.e-]+% \(confidence 95%; asked for 5%\): \d+ of 80 launches simulated(, \d+ of them in part)?, [0-9.]+% of the instructions\n`, stderr)
		}
		data, err := os.ReadFile(out)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &r))
		return ms, r
	}
	whole, all := run()
	part, some := run("--sample", "5%")
	assert.Nil(t, all.Sampled)
	require.NotNil(t, some.Sampled)
	assert.True(t, some.Sampled.Holds(), "%v", some.Sampled)
	assert.Greater(t, some.Sampled.Left, 40)
	assert.Equal(t, all.WarpInstructions, some.WarpInstructions)
	assert.LessOrEqual(t, math.Abs(part/whole-1), 0.05, "by the program's own events")
	assert.LessOrEqual(t, math.Abs(float64(some.Cycles)/float64(all.Cycles)-1), 0.05)
	require.Len(t, some.Times, 1)
	assert.LessOrEqual(t, math.Abs(some.Times[0].Seconds/all.Times[0].Seconds-1), 0.05)
	for _, c := range []struct{ flags, want string }{
		{"--sample 2% --race", "weft: --sample and --race exclude each other: with --race, everything is simulated\n  leave one of them out\n"},
		{"--sample 2% --device func", "weft: --sample: device func is not simulated\n  name a simulated machine by --device, such as sim:h200\n"},
		{"--sample two", "weft: --sample: \"two\" is not an error from 0.1% to 50%\n  write --sample 2%\n"},
	} {
		_, stderr, code := runCUDA(t, program, strings.Fields(c.flags)...)
		assert.Equal(t, exitUsage, code)
		assert.Equal(t, c.want, stderr)
	}
}

// TestSampleInSweep gives the bound as a setting, which is part of what a point is.
func TestSampleInSweep(t *testing.T) {
	db := t.TempDir() + "/s.db"
	spec := t.TempDir() + "/s.yaml"
	require.NoError(t, os.WriteFile(spec, []byte("name: s\nset: {algorithm: bfs, scheduler: thread, graph: \"grid:width=30\", device: sim:tiny}\nvary:\n  sample: [\"0\", \"5%\"]\n"), 0o600))
	_, stderr, code := command(t, "sweep", spec, "--out", db)
	require.Zero(t, code, stderr)
	stdout, stderr, code := command(t, "results", db, "--columns", "sample,status,sample_error,sample_simulated,cycles,cycles.within", "--format", "json")
	require.Zero(t, code, stderr)
	_, known, code := command(t, "results", db, "--columns", "smsp__inst_executed.sum.within")
	assert.Equal(t, exitUsage, code, "instructions are counted and not estimated")
	assert.Contains(t, known, `unknown column, setting or metric "smsp__inst_executed.sum.within"`)
	var all struct{ Rows []map[string]any }
	require.NoError(t, json.Unmarshal([]byte(stdout), &all), stdout)
	require.Len(t, all.Rows, 2)
	for _, row := range all.Rows {
		assert.Equal(t, "ok", row["status"])
		if row["sample"] == "5%" {
			assert.Less(t, row["sample_simulated"], 1.0)
			require.NotNil(t, row["sample_error"])
			assert.InDelta(t, row["sample_error"].(float64)*row["cycles"].(float64), row["cycles.within"], 1e-6)
		} else {
			assert.Nil(t, row["sample_error"])
			assert.Nil(t, row["cycles.within"])
		}
	}
}

// TestHeavySample tries graphs that no constant of sampling was chosen from. Of all runs, 95 in 100 have to be within the bound, and within the
// interval that they state.
func TestHeavySample(t *testing.T) {
	runs, within, held := 0, 0, 0
	for i, algorithm := range []string{"bfs", "sssp", "colouring", "pagerank-pull"} {
		for k, graph := range []string{"grid:width=120,height=60,seed=5", "smallworld:n=3000,degree=6,rewire=0.02,seed=3", "rmat:scale=10,degree=12,seed=9"} {
			for _, scheme := range []string{"thread", "warp"}[(i+k)%2:][:1] { // both with each algorithm and each graph
				args := []string{algorithm, "--scheduler", scheme, "--graph", graph, "--device", "sim:h200", "--threads", "1"}
				whole := runJSON(t, 0, args...)
				for bound, text := range map[float64]string{0.1: "10%", 0.05: "5%", 0.02: "2%"} {
					part := runJSON(t, 0, append(args, "--sample", text)...)
					off := math.Abs(part.KernelSeconds/whole.KernelSeconds - 1)
					runs++
					if off <= max(bound, part.Sampled.Error) {
						within++
					}
					if off <= part.Sampled.Error+1e-9 {
						held++
					}
					t.Logf("%-14s %-6s %-45s asked %-3s interval %.2f%%, off by %.2f%%, %.1f%% simulated", algorithm, scheme, graph, text, 100*part.Sampled.Error, 100*off, 100*part.Sampled.Share())
					assert.Equal(t, run.AnswerVerified, part.Answer)
				}
			}
		}
	}
	t.Logf("%d of %d within the bound, %d within the interval", within, runs, held)
	assert.GreaterOrEqual(t, float64(within), 0.95*float64(runs))
	assert.GreaterOrEqual(t, float64(held), 0.85*float64(runs))
}
