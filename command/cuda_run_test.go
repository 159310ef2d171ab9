package command

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/service/cuda"
	"github.com/weft-gpu/weft/internal/service/cuda/toolkit"
	"github.com/weft-gpu/weft/sim/config"
)

// cudaProgram builds a program of one file, and returns its path. Texts of runs have its folder removed.
func cudaProgram(t *testing.T, text string) string {
	t.Helper()
	needClang(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "p.cu")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	_, stderr, code := command(t, "cuda", "build", file, "-o", filepath.Join(dir, "p"))
	require.Equal(t, 0, code, stderr)
	return filepath.Join(dir, "p")
}

// runCUDA runs a program with flags, which stand before it.
func runCUDA(t *testing.T, program string, flags ...string) (stdout, stderr string, code int) {
	t.Helper()
	stdout, stderr, code = command(t, append(append([]string{"cuda", "run"}, flags...), program)...)
	return stdout, strings.ReplaceAll(stderr, filepath.Dir(program)+"/", ""), code
}

// TestCUDARunNothing says of a program without CUDA, or with a runtime that weft did not replace, that nothing has run.
func TestCUDARunNothing(t *testing.T) {
	for _, flags := range [][]string{nil, {"-q"}} {
		_, stderr, code := runCUDA(t, "/bin/true", append(flags, "--device", "func")...)
		assert.Equal(t, 0, code)
		assert.Equal(t, "note: true has called nothing of CUDA, so that func has run nothing\n", stderr)
	}
}

const boundsProgram = `#include <cstdio>
__global__ void fill(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
}
int main() {
  int *d_data;
  cudaMalloc((void **)&d_data, 1000 * sizeof(int));
  fill<<<8, 128>>>(d_data, 1000);
  cudaError_t e = cudaDeviceSynchronize();
  printf("%s, %s\n", cudaGetErrorName(e), cudaGetErrorString(cudaFree(d_data)));
}
`

// TestCUDARunFault checks what a program and its user learn of an access out of bounds.
func TestCUDARunFault(t *testing.T) {
	program := cudaProgram(t, boundsProgram)
	stdout, stderr, code := runCUDA(t, program, "--device", "func", "--quiet")
	assert.Equal(t, "cudaErrorIllegalAddress, an illegal memory access was encountered\n", stdout)
	assert.Equal(t, "weft: kernel fill: p.cu:4:11: store of 4 bytes at byte 4000 of d_data, which has 4000 bytes (block 7, thread 104)\n", stderr)
	assert.Equal(t, exitWrong, code)
	_, stderr, code = runCUDA(t, program, "--device", "sim:tiny", "--quiet")
	assert.Equal(t, "weft: kernel fill: p.cu:4:11: store of 4 bytes at byte 4000 of d_data, which has 4000 bytes (block 7, thread 104)\n", stderr)
	assert.Equal(t, exitWrong, code)
}

// TestCUDARunHang checks that a program ends whose kernel does not, with all that it has printed.
func TestCUDARunHang(t *testing.T) {
	text, err := os.ReadFile("../examples/cuda/waits.cu")
	require.NoError(t, err)
	program := cudaProgram(t, string(text))
	for _, device := range []string{"func", "sim:tiny"} {
		dot := filepath.Join(t.TempDir(), "hang.dot")
		stdout, stderr, code := runCUDA(t, program, "--device", device, "--quiet", "--hang-dot", dot)
		assert.Equal(t, "before\n", stdout)
		assert.Equal(t, exitHang, code)
		for _, want := range []string{"weft: kernel waits hangs: ", "p.cu:11:12 in waits\n        spins until flag[0] != 0; it is 0\n", "no line of the kernel writes flag[0]"} {
			assert.Contains(t, stderr, want)
		}
		text, err := os.ReadFile(dot)
		require.NoError(t, err)
		assert.Contains(t, string(text), "digraph")
	}
}

// TestCUDARun checks the flags, the exit code, and what is printed at the end.
func TestCUDARun(t *testing.T) {
	program := cudaProgram(t, `#include <cstdio>
#include <cstdlib>
__global__ void sum(const int *x, int *total, bool atomic) {
  if (atomic) atomicAdd(total, x[threadIdx.x]);
  else *total += x[threadIdx.x];
}
int main(int argc, char **argv) {
  int h[64], *x, *total;
  for (int i = 0; i < 64; i++) h[i] = i;
  cudaMalloc(&x, sizeof h);
  cudaMallocManaged(&total, sizeof *total);
  *total = 0;
  if (argc < 3) cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  cudaEvent_t start, end;
  cudaEventCreate(&start), cudaEventCreate(&end);
  cudaEventRecord(start);
  sum<<<1, 64>>>(x, total, argc < 2);
  cudaEventRecord(end);
  cudaError_t e = cudaDeviceSynchronize();
  float ms;
  cudaEventElapsedTime(&ms, start, end);
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  if (argc < 2) printf("%d in %.4f us on %d SMs of %s\n", *total, ms * 1e3, p.multiProcessorCount, p.name);
  return argc > 1 ? atoi(argv[1]) : e;
}
`)
	stdout, stderr, code := runCUDA(t, program, "--device", "sim:h200")
	assert.Equal(t, 0, code, stderr)
	assert.Regexp(t, `^2016 in \d+\.\d{4} us on 132 SMs of NVIDIA H200\n$`, stdout)
	assert.Regexp(t, `^p on sim:h200: 1 launch, .* us on the GPU\n  kernel +launches +of time +launched +bound by\n  sum +1 +100%  64 threads per block, 1 block, `, stderr)

	// Simulated times are the same each time, and those of the machine.
	again, _, _ := runCUDA(t, program, "--device", "sim:h200", "-q")
	assert.Equal(t, stdout, again)
	other, _, _ := runCUDA(t, program, "--device", "sim:v100", "--set", "sm.count=7", "-q")
	assert.Regexp(t, `^2016 in \d+\.\d{4} us on 7 SMs of NVIDIA V100`, other)
	assert.NotEqual(t, strings.Fields(stdout)[2], strings.Fields(other)[2])

	// The program's own exit code.
	_, stderr, code = command(t, "cuda", "run", "--device", "func", "-q", program, "42")
	assert.Equal(t, []any{42, ""}, []any{code, stderr})

	// A race is a failure of a program that succeeds.
	out := filepath.Join(t.TempDir(), "report.json")
	_, stderr, code = command(t, "cuda", "run", "--device", "func", "--race", "--out", out, program, "0")
	assert.Equal(t, exitWrong, code)
	assert.Contains(t, stderr, "race in kernel sum on byte 0 of total")
	assert.Contains(t, stderr, "p.cu:5:15 by block 0, ")
	assert.Contains(t, stderr, "what orders such accesses: __sync")
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	var r struct {
		Device   string
		Program  string
		Status   int
		Launches int
		Races    []struct{ Kernel string }
	}
	require.NoError(t, json.Unmarshal(text, &r))
	assert.Equal(t, []any{"func", program, 0, 1, "sum"}, []any{r.Device, r.Program, r.Status, r.Launches, r.Races[0].Kernel})

	// Memory that nobody has written.
	_, stderr, code = command(t, "cuda", "run", "--device", "func", "-q", program, "0", "unwritten")
	assert.Equal(t, exitWrong, code)
	assert.Contains(t, stderr, "4 bytes at byte 0 of x are read, but neither the host nor a thread has written them")
	for _, flag := range []string{"--allow-unwritten", "--strict=false"} {
		_, stderr, code = command(t, "cuda", "run", "--device", "func", "-q", flag, program, "0", "unwritten")
		assert.Equal(t, []any{0, ""}, []any{code, stderr}, flag)
	}
	_, stderr, code = command(t, "cuda", "run", "--device", "sim:tiny", "-q", "--strict", program, "0", "unwritten")
	assert.Equal(t, exitWrong, code)
	assert.Contains(t, stderr, "4 bytes at byte 0 of x are read, but neither the host nor a thread has written them")

	_, stderr, code = runCUDA(t, program, "--device", "sim:tiny", "--counters", "--seed", "3", "--schedule", `{"shuffle":true}`)
	assert.Equal(t, 0, code)
	assert.Contains(t, stderr, "smsp__inst_executed.sum")
}

// TestCUDARunBudget checks that a kernel ends that counts for long.
func TestCUDARunBudget(t *testing.T) {
	program := cudaProgram(t, `__global__ void counts(volatile unsigned *p) {
  for (unsigned i = 0; i < 4000000000u; i++) *p = i;
}
int main() {
  unsigned *p;
  cudaMalloc(&p, 4);
  counts<<<1, 1>>>(p);
  return cudaDeviceSynchronize();
}
`)
	_, stderr, code := runCUDA(t, program, "--device", "func", "-q", "--budget", "100000")
	assert.Equal(t, exitUndecided, code)
	assert.Contains(t, stderr, "weft: kernel counts")
}

// TestCUDARunRefuses checks the messages about wrong command lines and programs.
func TestCUDARunRefuses(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\necho no CUDA\nexit 7\n"), 0o755))
	for _, c := range []struct {
		line         string
		code         int
		stdout, says string
	}{
		{"", exitUsage, "", "weft: weft cuda run needs PROGRAM\n  usage: weft cuda run [--device DEVICE] PROGRAM [ARGUMENT]... [flags]\n"},
		{"./absent", exitUsage, "", "weft: cannot run ./absent: stat ./absent: no such file or directory\n  weft cuda build makes one from sources\n"},
		{"absent-program", exitUsage, "", "weft: cannot run absent-program: executable file not found in $PATH\n  weft cuda build makes one from sources\n"},
		{"--device hw --race ./x", exitUsage, "", "weft: --race: device hw cannot look for data races\n"},
		{"--device hw --strict ./x", exitUsage, "", "weft: --strict: device hw "},
		{"--device hw --budget 5 ./x", exitUsage, "", "weft: --budget: device hw "},
		{"--device hw --allow-unwritten ./x", exitUsage, "", "weft: --allow-unwritten: device hw "},
		{"--device hw --set sm.count=4 ./x", exitUsage, "", "weft: --set: device hw "},
		{"--device hw --schedule {\"shuffle\":true} ./x", exitUsage, "", "weft: --schedule: device hw "},
		{"--launch-cost ./x", exitUsage, "", "weft: --launch-cost needs --out, where its times are written\n  such as --out times.json\n"},
		{"--launch-cost --out x.json --device func ./x", exitUsage, "", "weft: --launch-cost: device func has no clock\n  name a simulated machine by --device, such as sim:h200\n"},
		{"--device sim:tiny --deadline 5s ./x", exitUsage, "", "weft: --deadline: device sim:tiny "},
		{"--device sim:h300 ./x", exitUsage, "", "weft: unknown device \"sim:h300\"\n"},
		{"--schedule {\"shuffle\":true} --device func ./x", exitUsage, "", "weft: --schedule: device func runs its threads in an order of its own\n"},
		{script, 7, "no CUDA\n", ""},
	} {
		stdout, stderr, code := command(t, append([]string{"cuda", "run"}, strings.Fields(c.line)...)...)
		assert.Equal(t, c.code, code, c.line)
		assert.Equal(t, c.stdout, stdout, c.line)
		assert.True(t, strings.HasPrefix(stderr, c.says), "%s: %s", c.line, stderr)
	}
}

// TestCUDARunLaunchCost checks when and how often an empty kernel is launched beside those of the program, whether that ends or resets its GPU, and that the
// program's own times do not change by it.
func TestCUDARunLaunchCost(t *testing.T) {
	program := cudaProgram(t, `__global__ void k(int *p) { p[threadIdx.x] = blockIdx.x; }
int main(int argc, char **) {
  int *p;
  cudaMalloc(&p, 512);
  k<<<1, 64>>>(p);
  for (int i = 0; i < 3; i++) k<<<dim3(2, 30), 128>>>(p);
  return argc > 1 ? cudaDeviceReset() : 0;
}
`)
	type result struct {
		Launches int
		Times    []cuda.KernelTime `json:"kernel_times"`
		Costs    []cuda.LaunchCost `json:"launch_costs"`
	}
	var results []result
	for _, words := range [][]string{{program}, {"--launch-cost", program}, {"--launch-cost", program, "reset"}} {
		out := filepath.Join(t.TempDir(), "report.json")
		_, stderr, code := command(t, append([]string{"cuda", "run", "-q", "--device", "sim:h200", "--out", out}, words...)...)
		require.Equal(t, []any{0, ""}, []any{code, stderr})
		text, err := os.ReadFile(out)
		require.NoError(t, err)
		var r result
		require.NoError(t, json.Unmarshal(text, &r))
		results = append(results, r)
	}
	plain, with := results[0], results[1]
	assert.Equal(t, plain.Times, with.Times)
	assert.Empty(t, plain.Costs)
	require.Len(t, with.Costs, 1)
	assert.Equal(t, with.Costs, results[2].Costs)
	assert.Equal(t, 4, plain.Launches)
	assert.Equal(t, 4+1+3+3*3, with.Launches, "those of the program, a first one of the empty kernel, three before and three of each shape after")
	of := with.Costs[0].Empty
	require.Len(t, of, 3)
	shapes := [][2][3]int{{{1, 1, 1}, {32, 1, 1}}, {{1, 1, 1}, {64, 1, 1}}, {{2, 30, 1}, {128, 1, 1}}}
	for i, e := range of {
		assert.Equal(t, shapes[i], [2][3]int{e.Grid, e.Block})
		assert.Len(t, e.After, 3)
	}
	assert.Len(t, of[0].Before, 3)
	assert.Empty(t, of[1].Before)
	machine, err := config.Load("h200")
	require.NoError(t, err)
	assert.InDelta(t, machine.Launch.Kernel*1e-6, of[0].Before[0], 0.2e-6)
	assert.Greater(t, of[2].After[0], of[1].After[0])
	assert.Less(t, of[2].After[0], plain.Times[1].Seconds/3)
	assert.Zero(t, with.Costs[0].Overhead, "a simulated time is that of the launch alone")
}

// TestCUDACompare compares the times of a program on two machines, and refuses files that have none.
func TestCUDACompare(t *testing.T) {
	program := cudaProgram(t, `__global__ void k(int *p) { p[threadIdx.x] = blockIdx.x; }
int main() {
  int *p;
  cudaMalloc(&p, 256);
  for (int i = 0; i < 3; i++) k<<<8, 64>>>(p);
  k<<<dim3(2, 3), 64>>>(p);
  return cudaDeviceSynchronize();
}
`)
	dir := t.TempDir()
	var files []string
	for _, device := range []string{"sim:tiny", "sim:v100"} {
		file := filepath.Join(dir, device[4:]+".json")
		files = append(files, file)
		_, stderr, code := runCUDA(t, program, "-q", "--device", device, "--out", file)
		require.Equal(t, 0, code, stderr)
	}
	stdout, stderr, code := command(t, "cuda", "compare", files[0], files[1])
	require.Equal(t, 0, code, stderr)
	assert.Regexp(t, `(?m)^p +k +8 of 64 +3 +[\d.]+ us +[\d.]+ us +[-+][\d.]+%$`, stdout)
	assert.Regexp(t, `(?m)^p +k +2x3 of 64 +1 +[\d.]+ us +[\d.]+ us +[-+][\d.]+%$`, stdout)
	assert.Regexp(t, `(?m)^kernels, a launch in the mean +2 +[\d.]+% +[\d.]+% +x[\d.]+$`, stdout)
	stdout, _, code = command(t, "cuda", "compare", "--json", files[0], files[0])
	require.Equal(t, 0, code)
	var c struct {
		A, B    string
		Kernels struct {
			N    int
			Mean float64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &c))
	assert.Equal(t, "sim:tiny", c.A)
	assert.Equal(t, 2, c.Kernels.N)
	assert.Zero(t, c.Kernels.Mean)
	_, stderr, code = command(t, "cuda", "compare", files[0], "cuda_run_test.go")
	assert.Equal(t, exitWrong, code)
	assert.Contains(t, stderr, "cuda_run_test.go: invalid character")
	_, _, code = command(t, "cuda", "compare", files[0])
	assert.Equal(t, exitUsage, code)
}

var hexadecimal = regexp.MustCompile(`0x[0-9a-f]{4,}`)

// TestCUDARunCalls checks the errors of calls.
func TestCUDARunCalls(t *testing.T) {
	program := cudaProgram(t, `#include <cstdio>
__global__ void k(int *p) {}
__global__ void __launch_bounds__(64) small(int *p) {}
#define SAY(call) printf("%s: %s\n", #call, cudaGetErrorName(call))
#define LAUNCH(...) (__VA_ARGS__, cudaGetLastError())
int main(int argc, char **) {
  int *p, *q;
  SAY(cudaMalloc(&p, 100));
  SAY(cudaMalloc(&q, 1ull << 50));
  SAY(cudaMemcpy(p, &argc, 101, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(p + 30, p, 4, cudaMemcpyDeviceToDevice));
  SAY(cudaMemset(p, 0, 100));
  SAY(cudaFree(p + 1));
  SAY(cudaFree(nullptr));
  SAY(cudaSetDevice(1));
  SAY(cudaGetLastError());
  SAY(cudaPeekAtLastError());
  k<<<1, 2000>>>(p);
  SAY(cudaGetLastError());
  small<<<1, 65>>>(p);
  SAY(cudaGetLastError());
  k<<<0, 1>>>(p);
  SAY(cudaGetLastError());
  k<<<1, 1, 50000>>>(p);
  SAY(cudaGetLastError());
  SAY(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 50000));
  k<<<1, 1, 50000>>>(p);
  SAY(cudaGetLastError());
  void *args[] = {&p};
  SAY(cudaLaunchCooperativeKernel(k, 1 << 20, 32, args));
  SAY(cudaLaunchKernel((void *)main, 1, 1, args));
  SAY(cudaEventDestroy((cudaEvent_t)99));
  SAY(cudaStreamSynchronize((cudaStream_t)99));
  SAY(cudaFree(p));
  SAY(cudaFree(p));
  SAY(cudaGraphCreate(nullptr, 0));
  cudaImportExternalMemory();
  printf("not reached\n");
}
`)
	stdout, stderr, code := runCUDA(t, program, "--device", "func", "-q")
	assert.Equal(t, `cudaMalloc(&p, 100): cudaSuccess
cudaMalloc(&q, 1ull << 50): cudaErrorMemoryAllocation
cudaMemcpy(p, &argc, 101, cudaMemcpyHostToDevice): cudaErrorInvalidValue
cudaMemcpy(p + 30, p, 4, cudaMemcpyDeviceToDevice): cudaErrorInvalidValue
cudaMemset(p, 0, 100): cudaSuccess
cudaFree(p + 1): cudaErrorInvalidValue
cudaFree(nullptr): cudaSuccess
cudaSetDevice(1): cudaErrorInvalidDevice
cudaGetLastError(): cudaErrorInvalidDevice
cudaPeekAtLastError(): cudaSuccess
cudaGetLastError(): cudaErrorInvalidConfiguration
cudaGetLastError(): cudaErrorInvalidValue
cudaGetLastError(): cudaErrorInvalidConfiguration
cudaGetLastError(): cudaErrorInvalidValue
cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 50000): cudaSuccess
cudaGetLastError(): cudaSuccess
cudaLaunchCooperativeKernel(k, 1 << 20, 32, args): cudaErrorCooperativeLaunchTooLarge
cudaLaunchKernel((void *)main, 1, 1, args): cudaErrorInvalidDeviceFunction
cudaEventDestroy((cudaEvent_t)99): cudaErrorInvalidResourceHandle
cudaStreamSynchronize((cudaStream_t)99): cudaErrorInvalidResourceHandle
cudaFree(p): cudaSuccess
cudaFree(p): cudaErrorInvalidValue
cudaGraphCreate(nullptr, 0): cudaErrorInvalidValue
`, stdout)
	assert.Equal(t, `weft: a copy to the device: 101 bytes at byte 0 of p, which has 100 bytes
weft: a copy on the device: there is no memory of the device at ADDRESS
weft: cudaFree of byte 4 of p, which is not its begin
weft: p.cu:18: launch of k: a block of 2000x1x1 threads; a block has at most 1024
weft: p.cu:20: launch of small: a block of 65 threads; its __launch_bounds__ say at most 64
weft: p.cu:22: launch of k: a grid of 0x1x1 blocks of 1x1x1 threads
weft: p.cu:24: launch of k: 50000 bytes of dynamic shared memory; at most 49152 without cudaFuncSetAttribute
weft: launch of k: a cooperative launch of 1048576 blocks of 32 threads; at most 256 fit the device at once (32 an SM, by blocks)
weft: cudaFree of ADDRESS, where no memory is allocated (or no longer)
weft: the program calls cudaImportExternalMemory, which weft does not have
`, hexadecimal.ReplaceAllString(stderr, "ADDRESS"))
	assert.Equal(t, 1, code)
}

// TestCUDARunShared runs a program that takes its runtime from a shared library, as one of nvcc -cudart shared does, and
// refuses programs with libraries that there are not.
func TestCUDARunShared(t *testing.T) {
	needClang(t)
	clang, err := toolkit.Find(t.Context())
	require.NoError(t, err)
	library, err := toolkit.SharedLibrary(t.Context(), "libcudart.so.12")
	require.NoError(t, err)
	dir := t.TempDir()
	file, ptx, object, program := filepath.Join(dir, "p.cu"), filepath.Join(dir, "p.ptx"), filepath.Join(dir, "p.o"), filepath.Join(dir, "p")
	require.NoError(t, os.WriteFile(file, []byte(boundsProgram), 0o644))
	_, stderr, code := command(t, "cuda", "build", "--ptx", file, "-o", ptx)
	require.Equal(t, 0, code, stderr)
	text, err := os.ReadFile(ptx)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(ptx, append(text, 0), 0o644))
	clangs := func(args ...string) {
		out, err := exec.CommandContext(t.Context(), clang.Path, args...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	clangs("-x", "cuda", "--cuda-host-only", "-w", "-nocudainc", "-nocudalib", "-Xclang", "-target-sdk-version=12.4", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", ptx,
		"-isystem", filepath.Join(filepath.Dir(library), "include"), "-include", "cuda_runtime.h", "-c", file, "-o", object)
	clangs(object, filepath.Join(library, "libcudart.so.12"), "-o", program)
	stdout, stderr, code := runCUDA(t, program, "--device", "func", "-q")
	assert.Equal(t, "cudaErrorIllegalAddress, an illegal memory access was encountered\n", stdout)
	assert.Contains(t, stderr, "p.cu:4:11: store of 4 bytes at byte 4000 of d_data")
	assert.Equal(t, exitWrong, code)

	// Libraries and runtimes of NVIDIA's.
	source := filepath.Join(dir, "f.c")
	require.NoError(t, os.WriteFile(source, []byte("int cudaMalloc(void) { return 0; }\nint main(void) { return cudaMalloc(); }\n"), 0o644))
	clangs("-x", "c", source, "-o", filepath.Join(dir, "static"))
	clangs("-shared", "-fPIC", "-x", "c", source, "-Wl,-soname,libcurand.so.10", "-o", filepath.Join(dir, "libcurand.so.10"))
	clangs(object, filepath.Join(library, "libcudart.so.12"), "-Wl,--no-as-needed", filepath.Join(dir, "libcurand.so.10"), "-o", filepath.Join(dir, "random"))
	_, stderr, code = runCUDA(t, filepath.Join(dir, "static"))
	assert.Equal(t, exitUsage, code)
	assert.Equal(t, "weft: static has NVIDIA's CUDA runtime in it\n  link it with nvcc -cudart shared, or build it from its sources by weft cuda build\n", stderr)
	_, stderr, code = runCUDA(t, filepath.Join(dir, "random"))
	assert.Equal(t, exitUsage, code)
	assert.Equal(t, "weft: random needs libcurand.so.10, which weft does not have\n", stderr)
}

// TestCUDARunGroup runs a program on two GPUs.
func TestCUDARunGroup(t *testing.T) {
	program := cudaProgram(t, `#include <cstdio>
__global__ void fill(int *p, int v) { p[threadIdx.x] = v + threadIdx.x; }
__global__ void add(int *p, const int *q) { p[threadIdx.x] += q[threadIdx.x]; }
int main() {
  int n, can, h[32], *a, *b;
  cudaGetDeviceCount(&n);
  cudaSetDevice(0), cudaMalloc(&a, 128), fill<<<1, 32>>>(a, 1);
  cudaSetDevice(1), cudaMalloc(&b, 128), fill<<<1, 32>>>(b, 100);
  cudaDeviceSynchronize();
  cudaDeviceCanAccessPeer(&can, 0, 1);
  cudaSetDevice(0);
  printf("%d GPUs, %d: ", n, can);
  printf("%s, ", cudaGetErrorName(cudaDeviceDisablePeerAccess(1)));
  printf("%s, ", cudaGetErrorName(cudaDeviceEnablePeerAccess(1, 0)));
  printf("%s\n", cudaGetErrorName(cudaDeviceEnablePeerAccess(1, 0)));
  add<<<1, 32>>>(a, b);
  cudaMemcpyPeer(b, 1, a, 0, 128);
  cudaMemcpy(h, b, 128, cudaMemcpyDefault);
  printf("%d %d\n", h[0], h[31]);
}
`)
	for _, flags := range [][]string{{"--device", "funcx2"}, {"--device", "sim:tiny", "--gpus", "2"}} {
		stdout, stderr, code := runCUDA(t, program, append(flags, "-q")...)
		assert.Equal(t, 0, code, stderr)
		assert.Equal(t, "2 GPUs, 1: cudaErrorPeerAccessNotEnabled, cudaSuccess, cudaErrorPeerAccessAlreadyEnabled\n101 163\n", stdout)
	}
}

// TestCUDARunSignal checks that both sides end when a signal comes, and what the user learns.
func TestCUDARunSignal(t *testing.T) {
	program := cudaProgram(t, `__global__ void counts(volatile unsigned *p) {
  for (unsigned i = 0; i < 4000000000u; i++) *p = i;
}
int main() {
  unsigned *p;
  cudaMalloc(&p, 4);
  counts<<<1, 1>>>(p);
  cudaDeviceSynchronize();
}
`)
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(2*time.Second, func() { cancel(&signals.Error{Signal: syscall.SIGTERM}) })
	var out, say bytes.Buffer
	began := time.Now()
	code := runContext(ctx, []string{"cuda", "run", "--device", "func", "-q", program}, &out, &say)
	assert.Equal(t, 128+int(syscall.SIGTERM), code)
	assert.Contains(t, say.String(), "weft: terminated\n")
	assert.Contains(t, say.String(), "kernel counts had not ended after")
	assert.Less(t, time.Since(began), 20*time.Second)
}
