//go:build cgo && linux

package hw_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	weftcommand "github.com/weft-gpu/weft/command"
	"github.com/weft-gpu/weft/hw/internal/worker"
	"github.com/weft-gpu/weft/internal/measure/programs"
	"github.com/weft-gpu/weft/internal/service/cuda/toolkit"
	"github.com/weft-gpu/weft/internal/testing/cudabuild"
)

// sources is where the project's own CUDA programs are, faulty where those that fail on a GPU.
const (
	sources = "../internal/testing/cudatest/programs"
	faulty  = "testdata/cuda/faults"
)

// needClang skips a test where no program can be compiled.
func needClang(t *testing.T) {
	t.Helper()
	if _, err := toolkit.Find(t.Context()); err != nil {
		t.Skipf("needs clang-19 (apt-get install clang-19): %v", err)
	}
}

// builtProgram compiles a program to a file.
func builtProgram(t *testing.T, file, to string, ptx bool) string {
	t.Helper()
	needClang(t)
	// With the definition with which package cudatest builds its programs without a fault, they are built once for both.
	require.NoError(t, cudabuild.Build(t.Context(), toolkit.Request{Files: []string{file}, Output: to, Defines: []string{"BUG=0"}, PTX: ptx}))
	return to
}

// weftOnGPU runs weft where hw is the emulated GPU.
func weftOnGPU(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	t.Setenv(fake, "1")
	t.Setenv(worker.ByMain, "1")
	var out, say bytes.Buffer
	code = weftcommand.Run(args, &out, &say)
	return out.String(), say.String(), code
}

// tryProgram runs a program of the project, whose last line says whether its answer is right.
func tryProgram(t *testing.T, name string, flags ...string) {
	t.Helper()
	source := filepath.Join(sources, name+".cu")
	program := builtProgram(t, source, filepath.Join(t.TempDir(), name), false)
	stdout, stderr, code := weftOnGPU(t, slices.Concat([]string{"cuda", "run", "-q", "--device", "hw"}, flags, []string{program})...)
	assert.Zero(t, code, stderr)
	assert.True(t, strings.HasSuffix(stdout, "ok\n"), "%s%s", stdout, stderr)
	assert.Empty(t, stderr)
}

// TestPrograms runs programs with their calls served by the process that holds the GPU: memory of all kinds, symbols, streams,
// events, printf, cooperative launches, what the device says of itself.
func TestPrograms(t *testing.T) {
	for _, name := range []string{"constants", "managed", "streams", "print", "grid", "device"} {
		t.Run(name, func(t *testing.T) { tryProgram(t, name) })
	}
}

// TestHeavyPrograms runs all of them.
func TestHeavyPrograms(t *testing.T) {
	files, err := filepath.Glob(sources + "/*.cu")
	require.NoError(t, err)
	require.Greater(t, len(files), 40)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".cu")
		t.Run(name, func(t *testing.T) { tryProgram(t, name) })
	}
}

// TestPrintOrder checks that what kernels print stands among what the program prints.
func TestPrintOrder(t *testing.T) {
	program := builtProgram(t, sources+"/print.cu", filepath.Join(t.TempDir(), "print"), false)
	stdout, _, _ := weftOnGPU(t, "cuda", "run", "-q", "--device", "hw", program)
	assert.Equal(t, "before\n0 of 3:  1.50 even a 1099511627776\n1 of 3: -2.25 odd b 2199023255552\n2 of 3: 100.00 even c 4398046511104\nok\n", stdout)
}

var wantLine = regexp.MustCompile(`^// want: (\d) (.*)\n`)

// TestFaults checks which error a program gets of a kernel that fails, and that one that never ends is ended by the deadline, with exit code 3.
func TestFaults(t *testing.T) {
	files, err := filepath.Glob(faulty + "/*.cu")
	require.NoError(t, err)
	require.Len(t, files, 5)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			want := wantLine.FindStringSubmatch(string(text))
			require.NotNil(t, want)
			program := builtProgram(t, file, filepath.Join(t.TempDir(), "p"), false)
			stdout, stderr, code := weftOnGPU(t, "cuda", "run", "-q", "--device", "hw", "--deadline", "2s", program)
			assert.Equal(t, want[1], fmt.Sprint(code))
			assert.Contains(t, stdout+stderr, want[2])
			assert.NotContains(t, stdout, "this is not printed")
			if strings.HasSuffix(file, "illegal.cu") {
				assert.Equal(t, "weft: kernel wild: cuStreamQuery: CUDA_ERROR_ILLEGAL_ADDRESS (700): as the tests want it\n  --device func says where\n", stderr)
			}
		})
	}
}

// TestLaunchPTX launches kernels of a file of PTX on the GPU and compares them with func.
func TestLaunchPTX(t *testing.T) {
	const folder = "testdata/cuda/kernels/"
	ptx := builtProgram(t, folder+"kernels.cu", filepath.Join(t.TempDir(), "kernels.ptx"), true)
	clusters := builtProgram(t, folder+"clusters.cu", filepath.Join(t.TempDir(), "clusters.ptx"), true)
	kernels, err := os.ReadFile(folder + "kernels.launch")
	require.NoError(t, err)
	clustered, err := os.ReadFile(folder + "clusters.launch")
	require.NoError(t, err)
	for line := range strings.Lines(string(kernels) + string(clustered)) {
		line = strings.NewReplacer("kernels.ptx", ptx, "clusters.ptx", clusters).Replace(line)
		args := append(strings.Fields(line), "--device", "hw")
		stdout, stderr, code := weftOnGPU(t, append([]string{"launch"}, append(args, "--compare-with", "func")...)...)
		assert.Zero(t, code, stderr)
		assert.Contains(t, stdout, "\ncompared with func: all ", line)
		// Both have a clock.
		stdout, stderr, code = weftOnGPU(t, append([]string{"launch"}, append(args, "--compare-with", "sim:h200")...)...)
		assert.Zero(t, code, stderr)
		assert.Regexp(t, `\n +hw +sim:h200 +error\n +kernel time +[\d.]+ \w+ +[\d.]+ \w+ +[-+][\d.]+%\n`, stdout)
	}
	stdout, stderr, code := weftOnGPU(t, "launch", ptx+":say", "--device", "hw", "--grid", "2", "--block", "32", "--arg", "p0=7")
	assert.Zero(t, code, stderr)
	assert.True(t, strings.HasPrefix(stdout, "7 threads\n7 threads\n\n"), stdout)
	_, stderr, code = weftOnGPU(t, "launch", ptx+":say", "--device", "hw", "--grid", "2", "--block", "32", "--arg", "p0=7", "--check")
	assert.Equal(t, 2, code)
	assert.Equal(t, "weft: --check compiles checks into a kernel, and one of PTX runs on a GPU as it stands\n  func and simulated machines check every access\n", stderr)
}

// TestHeavyCUDAScript runs what records a GPU, with programs that are right, wrong and faulty.
func TestHeavyCUDAScript(t *testing.T) {
	needClang(t)
	dir, out := t.TempDir(), t.TempDir()
	for _, folder := range []string{"programs", "faults", "kernels", "extra"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, folder), 0o755))
	}
	script, err := os.ReadFile("cuda.sh")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cuda.sh"), script, 0o755))
	exe, err := os.Executable()
	require.NoError(t, err)
	weft := fmt.Sprintf("#!/bin/sh\n%s=1 %s=1 %s=1 exec %s \"$@\"\n", asCommand, fake, worker.ByMain, exe)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "weft"), []byte(weft), 0o755))
	builtProgram(t, sources+"/histogram.cu", filepath.Join(dir, "programs", "histogram"), false)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "programs", "wrong"), []byte("#!/bin/sh\necho no\n"), 0o755))
	builtProgram(t, faulty+"/illegal.cu", filepath.Join(dir, "faults", "illegal"), false)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "faults", "illegal.want"), []byte("1 illegal: cudaErrorIllegalAddress\n"), 0o644))
	builtProgram(t, "testdata/cuda/kernels/kernels.cu", filepath.Join(dir, "kernels", "kernels.ptx"), true)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kernels", "kernels.launch"), []byte("kernels.ptx:corners --grid 3x2x2 --block 4x3x2 --arg p0=zeros:288\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "extra", "list"), []byte("# more\n../programs/histogram 1 2\n"), 0o644))
	said, err := exec.CommandContext(t.Context(), filepath.Join(dir, "cuda.sh"), out).CombinedOutput()
	require.Error(t, err, "a program is wrong")
	text := regexp.MustCompile(` \(\d+s\)`).ReplaceAllString(string(said), "")
	assert.Equal(t, "right  histogram\nWRONG  wrong, exit code 0\nright  fault illegal\nright  launch kernels.ptx:corners\nright  extra ../programs/histogram 1 2\n4 right, 1 wrong\n", text)
	files, err := filepath.Glob(out + "/*")
	require.NoError(t, err)
	assert.Len(t, files, 3)

	// What it writes is what weft cuda compare reads.
	runs, err := programs.Read(filepath.Join(out, "times.jsonl"))
	require.NoError(t, err)
	c := programs.Compare(runs, runs)
	require.Len(t, c.Rows, 2)
	assert.Equal(t, []string{"histogram", "histogram 1 2"}, []string{c.Rows[0].Program, c.Rows[1].Program})
	assert.Equal(t, "hw", c.A)
	assert.Positive(t, c.Rows[0].A)
	assert.Zero(t, c.Kernels.Mean)
	for _, r := range runs {
		if len(r.Times) == 0 {
			continue // wrong, which calls nothing of CUDA
		}
		require.Len(t, r.Costs, 1)
		of := r.Costs[0]
		assert.NotZero(t, of.Overhead, "a real GPU's times are without it")
		require.NotEmpty(t, of.Empty)
		assert.Equal(t, []int{3, 3}, []int{len(of.Empty[0].Before), len(of.Empty[0].After)})
	}
}

// TestClustersOfPTX launches a kernel that is for clusters of two blocks, whose launch asks for these or has them of itself, and kernels with clusters that no launch has.
func TestClustersOfPTX(t *testing.T) {
	ptx := builtProgram(t, "testdata/cuda/kernels/clusters.cu", filepath.Join(t.TempDir(), "clusters.ptx"), true)
	text, err := os.ReadFile(ptx)
	require.NoError(t, err)
	head, body, found := strings.Cut(string(text), ".visible .entry _Z10neighboursPi(")
	params, rest, ends := strings.Cut(body, "\n)")
	require.True(t, found && ends)
	pairs := filepath.Join(t.TempDir(), "pairs.ptx")
	require.NoError(t, os.WriteFile(pairs, []byte(head+".visible .entry _Z10neighboursPi("+params+"\n)\n.reqnctapercluster 2, 1, 1"+rest), 0o600))
	launch := func(file string, args ...string) (string, string, int) {
		return weftOnGPU(t, slices.Concat([]string{"launch", file + ":neighbours", "--device", "hw", "--block", "64", "--arg", "p0=zeros:2048", "--compare-with", "func"}, args)...)
	}
	stdout, stderr, code := launch(pairs, "--grid", "32", "--cluster", "2")
	assert.Zero(t, code, stderr)
	assert.Contains(t, stdout, "\ncompared with func: all ")
	for _, bad := range []struct{ file, grid, cluster, want string }{
		{pairs, "32", "4", "weft: launch of FILE:neighbours: a cluster of 4 blocks; the kernel is for clusters of 2 (.reqnctapercluster)\n"},
		{ptx, "30", "4", "weft: launch of FILE:neighbours: a grid of 30 blocks along x, which clusters of 4 do not divide\n"},
		{ptx, "32", "17", "weft: --cluster: 17 is not from 0 to 16\n"},
	} {
		_, stderr, code := launch(bad.file, "--grid", bad.grid, "--cluster", bad.cluster)
		assert.NotZero(t, code)
		assert.Equal(t, strings.Replace(bad.want, "FILE", bad.file, 1), stderr)
	}
}
