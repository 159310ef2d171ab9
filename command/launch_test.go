package command

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/launch"
	"github.com/weft-gpu/weft/internal/view/annotate"
)

// forms is the folder of kernels with parameters of every form.
const forms = "../internal/service/launch/testdata/forms"

// launchJSON launches with --json and decodes the output.
func launchJSON(t *testing.T, code int, line string) *launch.Result {
	t.Helper()
	stdout, stderr, got := command(t, append([]string{"launch", "--json"}, strings.Fields(line)...)...)
	require.Equal(t, code, got, stderr)
	var r launch.Result
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&r))
	return &r
}

// TestLaunchJSON checks that the object has the arguments, the configuration,
// the report and the buffers.
func TestLaunchJSON(t *testing.T) {
	r := launchJSON(t, exitRight, forms+".Add --device sim:tiny --grid 2x1x2 --block 16x2 --arg n=5 --arg x=iota:n --arg y=fill:n:nan --arg out=zeros:len(x) --arg threads=0 --repeat 2 --print out[1:3] --compare-with func")
	assert.Equal(t, [3]int{2, 1, 2}, r.Grid)
	assert.Equal(t, [3]int{16, 2, 1}, r.Block)
	assert.Equal(t, forms+".Add", r.Kernel)
	assert.Equal(t, "sim:tiny", r.Device)
	assert.NotEmpty(t, r.MachineHash)
	assert.Equal(t, 2, r.Launches)
	require.Len(t, r.Each, 2)
	assert.Equal(t, r.Cycles, r.Each[0].Cycles+r.Each[1].Cycles)
	assert.Equal(t, r.WarpInstructions, r.Counters["smsp__inst_executed.sum"])
	assert.Equal(t, "n", r.Arguments[0].Name)
	assert.EqualValues(t, 5, r.Arguments[0].Value)
	assert.Equal(t, "len(x)", strings.TrimPrefix(r.Arguments[3].Given, "zeros:"))
	assert.Equal(t, 5, *r.Arguments[3].Elements)
	out := r.Buffers[2]
	assert.Equal(t, "out", out.Name)
	assert.Equal(t, 5, out.Changed)
	assert.Equal(t, []any{"NaN", "NaN"}, out.Values)
	assert.Equal(t, 1, *out.From)
	assert.Zero(t, r.Buffers[0].Changed)
	assert.EqualValues(t, 256, r.Buffers[3].Fields[0].Max, "128 threads, twice")
	assert.Zero(t, r.Comparison.Differing)
	assert.Equal(t, 16, r.Comparison.Numbers)
}

// TestLaunchDiffers checks that differing buffers are shown, and that the exit
// code is that of a wrong answer.
func TestLaunchDiffers(t *testing.T) {
	line := forms + ".Clocks --device sim:tiny --grid 1 --block 32 --arg out=zeros:20 --arg sums=ones:20 --compare-with func"
	stdout, stderr, code := command(t, append([]string{"launch"}, strings.Fields(line)...)...)
	assert.Equal(t, exitWrong, code)
	assert.Regexp(t, `(?m)^compared with func: \d\d of 40 numbers of 2 buffers differ, floats equal; the largest difference of floats is .*\n +sim:tiny +func\n  out\[0\] +\d+ +\d+\n(  .*\n){9}  and \d+ more$`, stdout)
	assert.Regexp(t, `^weft: the devices differ: sim:tiny and func disagree at \d\d numbers of 40\n  atomics add floats in a different order on each device: with --tolerance 1e-5`, stderr)
	r := launchJSON(t, exitWrong, line+" --tolerance 1e-3")
	assert.Equal(t, 20, r.Comparison.Differing, "the integers alone")
	assert.Equal(t, 1e-3, r.Comparison.Tolerance)
}

// TestLaunchFiles checks that buffers, a profile and a trace are written, and
// that they are not written after an error.
func TestLaunchFiles(t *testing.T) {
	dir := t.TempDir()
	bin, txt, prof, trace := filepath.Join(dir, "y.bin"), filepath.Join(dir, "y.txt"), filepath.Join(dir, "p.gz"), filepath.Join(dir, "t.json")
	_, stderr, code := command(t, "launch", forms+".Bytes", "--device", "sim:tiny", "--grid", "1", "--block", "32", "--arg", "s=7,8,254", "--save", "s="+bin, "--save", "s="+txt, "--pprof", prof, "--trace", trace)
	require.Equal(t, exitRight, code, stderr)
	b, err := os.ReadFile(bin)
	require.NoError(t, err)
	assert.Equal(t, []byte{8, 9, 255}, b)
	b, err = os.ReadFile(txt)
	require.NoError(t, err)
	assert.Equal(t, "8\n9\n255\n", string(b))
	for _, f := range []string{prof, trace} {
		info, err := os.Stat(f)
		require.NoError(t, err)
		assert.NotZero(t, info.Size())
	}
	r := launchJSON(t, exitRight, forms+".Bytes --device func --grid 1 --block 32 --arg s=file:"+txt+" --print s")
	assert.Equal(t, []any{9., 10., 0.}, r.Buffers[0].Values)

	failed := filepath.Join(dir, "failed")
	_, _, code = command(t, "launch", forms+".Outside", "--device", "func", "--grid", "1", "--block", "1", "--arg", "i=3", "--arg", "out=zeros:3", "--save", "out="+failed)
	assert.Equal(t, exitWrong, code)
	assert.NoFileExists(t, failed)
	_, stderr, code = command(t, "launch", forms+".Bytes", "--device", "func", "--grid", "1", "--block", "1", "--arg", "s=zeros:3", "--save", "s="+bin, "--save", "s="+bin)
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, "is --save, too")
}

// TestLaunchAnnotate checks the annotation of one kernel, and of two side by
// side.
func TestLaunchAnnotate(t *testing.T) {
	line := "launch ../examples/axpy.Dot --device sim:tiny --grid 2 --block 64 --arg x=random:500 --arg y=ones:500 --arg sum=0 --annotate"
	stdout, stderr, code := command(t, strings.Fields(line)...)
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "launch     ../examples/axpy.Dot on sim:tiny\n")
	assert.Contains(t, stdout, "gpu.AtomicAdd(sum, part)\n")
	assert.Regexp(t, `(?m)^  sum(\[0\])? +global +4 `, stdout)
	stdout, stderr, code = command(t, append(strings.Fields(line), "--json")...)
	require.Equal(t, exitRight, code, stderr)
	var r annotate.Run
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	assert.NotEmpty(t, r.Annotation.Kernels)
	assert.Contains(t, stdout, `"grid": [`)

	stdout, stderr, code = command(t, append(strings.Fields(line), "--against", forms+".Nothing")...)
	assert.Equal(t, exitUsage, code, stdout)
	assert.Contains(t, stderr, "kernel "+forms+".Nothing takes none")

	line = "launch ../examples/axpy.Axpy --device sim:tiny --grid 4 --block 256 --arg a=2 --arg x=random:10000 --arg y=zeros:10000 --annotate --against ../examples/axpy.AxpyChunks"
	stdout, stderr, code = command(t, strings.Fields(line)...)
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^against \.\./examples/axpy\.AxpyChunks\n\n +\.\./examples/axpy\.Axpy  \.\./examples/axpy\.AxpyChunks\ncycles +[\d,]+ +[\d,]+ +\d\.\d\d x$`, stdout)
	assert.Regexp(t, `(?m)^ +0 +[\d,]+ +\+[\d,]+ +.*axpy\.go:\d+ +y\[i\] \+= a \* x\[i\]$`, stdout)
	stdout, stderr, code = command(t, append(strings.Fields(line), "--json")...)
	require.Equal(t, exitRight, code, stderr)
	var c annotate.Comparison
	require.NoError(t, json.Unmarshal([]byte(stdout), &c))
	assert.Regexp(t, `axpy\.go$`, c.Lines[0].File)
	assert.Equal(t, "cycles", c.Quantities[0].Name)
	assert.NotContains(t, stdout, `"annotation"`)
}

// TestLaunchInterrupted checks that Ctrl-C ends a launch, and that the results
// so far are printed.
func TestLaunchInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	_, stderr, code := commandContext(ctx, "launch", forms+".Forever", "--device", "func", "--grid", "1", "--block", "32", "--arg", "n=1000000000000", "--arg", "out=0,")
	assert.Equal(t, 130, code)
	assert.Contains(t, stderr, "weft: interrupted\n")
}

// TestLaunchOptionsOfBoth checks that a flag that only one of two devices
// accepts is used for that one.
func TestLaunchOptionsOfBoth(t *testing.T) {
	o := launchOptions{deviceFlags: deviceFlags{device: "sim:tiny", seed: 3, budget: 100, unwritten: true}, compareWith: "func"}
	one, other, err := o.specs()
	require.NoError(t, err)
	assert.False(t, one.Options.Unwritten)
	assert.True(t, other.Options.Unwritten)
	assert.EqualValues(t, 100, one.Options.Budget)
	assert.EqualValues(t, 100, other.Options.Budget)
	assert.EqualValues(t, 3, other.Options.Seed)
}

// TestErrorsOfOthers: whoever names one kernel reads its own errors first, and of those of other kernels their number.
func TestErrorsOfOthers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "two")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("package two\n\nimport \"github.com/weft-gpu/weft/gpu\"\n\nfunc First(t gpu.Thread) { nothing() }\n\nfunc Second(t gpu.Thread) { go func() {}() }\n"), 0o644))
	for _, line := range []string{"launch KERNEL --grid 1 --block 32", "ir KERNEL", "ptx KERNEL", "launch KERNEL --grid 1 --block 32 --annotate --device sim:tiny"} {
		_, stderr, code := command(t, strings.Fields(strings.Replace(line, "KERNEL", dir+".Second", 1))...)
		assert.NotZero(t, code, line)
		assert.Regexp(t, `^weft: .*two/a\.go:7:29: go statements are not supported in device code.*\n\tand 1 error in other functions of the package\n$`, stderr, line)
		_, stderr, _ = command(t, strings.Fields(strings.Replace(line, "KERNEL", dir+".First", 1))...)
		assert.Regexp(t, `^weft: .*two/a\.go:5:28: undefined: nothing\n\tand 1 error in other functions of the package\n$`, stderr, line)
	}
}

// TestInterruptedOutputs checks that Ctrl-C leaves complete outputs behind: what is printed and what is written can be
// read, says that it is not all, and the exit code is 130.
func TestInterruptedOutputs(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	parse := func(t *testing.T, text string) (v map[string]any) {
		require.NoError(t, json.Unmarshal([]byte(text), &v), "%s", text)
		return v
	}
	kind := func(t *testing.T, stdout string) {
		assert.Equal(t, "interrupted", parse(t, stdout)["error"].(map[string]any)["kind"])
	}
	incomplete := func(t *testing.T, stdout string) {
		assert.Regexp(t, `(?m)^incomplete +the launch ended early \(interrupted\)$|^answer +incomplete: the run ended early \(interrupted\)$`, stdout)
	}
	launch := "launch " + forms + ".Forever --device sim:tiny --grid 1 --block 32 --arg n=1000000000000 --arg out=zeros:32"
	run := "run ./testdata/user/stuck.Endless --device sim:tiny --graph testdata/triangle.mtx"
	for _, c := range []struct {
		line  string
		begin int // the launch that is interrupted
		check func(t *testing.T, stdout string)
	}{
		{launch, 1, incomplete},
		{launch + " --json", 1, kind},
		{launch + " --counters", 1, incomplete},
		{launch + " --race --json", 1, kind},
		{launch + " --compare-with func --json", 1, kind},
		{launch + " --annotate", 1, incomplete},
		{launch + " --annotate --json", 1, func(t *testing.T, stdout string) {
			v := parse(t, stdout)
			assert.NotNil(t, v["annotation"])
			assert.Equal(t, "interrupted", v["run"].(map[string]any)["error"].(map[string]any)["kind"])
		}},
		{launch + " --explore 3", 1, func(t *testing.T, stdout string) {
			assert.Regexp(t, `(?m)^incomplete +the search ended early \(interrupted\)$`, stdout)
		}},
		{launch + " --explore 3 --json", 1, func(t *testing.T, stdout string) { assert.Equal(t, "interrupted", parse(t, stdout)["early"]) }},
		{launch + " --print out[0]", 1, incomplete},
		{launch + " --save out=" + file("saved.bin"), 1, func(t *testing.T, stdout string) {
			incomplete(t, stdout)
			assert.NoFileExists(t, file("saved.bin"), "what a part of a kernel has written is no result")
		}},
		{launch + " --pprof " + file("launch.pb.gz"), 1, func(t *testing.T, stdout string) {
			incomplete(t, stdout)
			text, err := exec.Command("go", "tool", "pprof", "-top", file("launch.pb.gz")).CombinedOutput()
			require.NoError(t, err, "%s", text)
			assert.Contains(t, string(text), "Forever")
		}},
		{launch + " --trace " + file("launch.json"), 1, func(t *testing.T, stdout string) {
			incomplete(t, stdout)
			b, err := os.ReadFile(file("launch.json"))
			require.NoError(t, err)
			v := parse(t, string(b))
			assert.NotEmpty(t, v["traceEvents"])
			assert.Equal(t, "ended early (interrupted)", v["otherData"].(map[string]any)["incomplete"])
		}},
		{run, 2, incomplete},
		{run + " --race --json", 2, kind},
		{run + " --counters", 2, incomplete},
		{run + " --trace " + file("run.json"), 2, func(t *testing.T, stdout string) {
			incomplete(t, stdout)
			b, err := os.ReadFile(file("run.json"))
			require.NoError(t, err)
			v := parse(t, string(b))
			assert.NotEmpty(t, v["traceEvents"])
			assert.Equal(t, "ended early (interrupted)", v["otherData"].(map[string]any)["incomplete"])
		}},
		{run + " --answer " + file("answer"), 2, func(t *testing.T, stdout string) {
			incomplete(t, stdout)
			assert.NoFileExists(t, file("answer"))
		}},
	} {
		t.Run(strings.ReplaceAll(strings.NewReplacer(launch, "launch", run, "run", dir, "").Replace(c.line), "/", ""), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			made := devices.Opener
			defer func() { devices.Opener = made }()
			devices.Opener = func(ctx context.Context, d *devices.Spec, w devices.Watch) (device.Device, error) {
				dev, err := made(ctx, d, w)
				return &counting{Device: dev, launches: 2 - c.begin, after: cancel}, err
			}
			stdout, stderr, code := commandContext(ctx, strings.Fields(c.line)...)
			assert.Equal(t, exitInterrupt, code)
			assert.Equal(t, "weft: interrupted\n", stderr)
			if c.check != nil {
				c.check(t, stdout)
			}
		})
	}
}
