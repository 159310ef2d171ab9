package toolkit

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/base/usage"
)

// needClang skips a test where there is no clang.
func needClang(t *testing.T) *Clang {
	t.Helper()
	c, err := Find(t.Context())
	if err != nil {
		t.Skipf("needs clang-%d (apt-get install clang-%d): %v", known, known, err)
	}
	return c
}

// build builds a program of the files in a folder, by name, and returns its path, what clang said and the error.
func build(t *testing.T, files map[string]string, q Request) (program, said string, err error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for i, f := range q.Files {
		q.Files[i] = filepath.Join(dir, f)
	}
	var out bytes.Buffer
	if q.Output == "" {
		q.Output = filepath.Join(dir, "prog")
	}
	q.Stderr = &out
	err = Build(t.Context(), q)
	return q.Output, strings.ReplaceAll(out.String(), dir+"/", ""), err
}

const add = `#include <cuda_runtime.h>
#include "size.h"
__constant__ float scale;
__global__ void add(float *x, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) x[i] = sinf(x[i]) * scale + SIZE;
}
int main() { float *x; cudaMalloc(&x, 4 * SIZE); add<<<1, SIZE>>>(x, SIZE); return cudaDeviceSynchronize(); }
`

func TestBuild(t *testing.T) {
	needClang(t)
	headers := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(headers, "size.h"), []byte("int half(int);\n"), 0o644))
	program, said, err := build(t, map[string]string{"a.cu": add, "b.cpp": "int half(int n) { return n / 2; }\n", "c.c": "int third(int n) { return n / 3; }\n"},
		Request{Files: []string{"a.cu", "b.cpp", "c.c"}, Includes: []string{headers}, Defines: []string{"SIZE=64"}, Standard: "c++14"})
	require.NoError(t, err)
	assert.Empty(t, said)
	out, err := exec.CommandContext(t.Context(), program).CombinedOutput()
	assert.ErrorContains(t, err, "exit status 1")
	assert.Equal(t, "this is a CUDA program for weft's GPUs: run it by \"weft cuda run --device sim:h200 "+program+"\"\n", string(out))
}

// TestLibrariesOfNVIDIA links a program with what weft's runtime stands in for, also the driver's function for tensor maps.
func TestLibrariesOfNVIDIA(t *testing.T) {
	needClang(t)
	_, said, err := build(t, map[string]string{"a.cu": "#include <cuda.h>\nint main() { return cuInit(0) + (cuTensorMapEncodeTiled == 0); }\n"}, Request{Files: []string{"a.cu"}, Flags: []string{"-lcuda", "-lcudart"}})
	require.NoError(t, err, said)
}

// TestPTX checks that the device's half is PTX with the lines of the program, and none of the headers'.
func TestPTX(t *testing.T) {
	needClang(t)
	path, said, err := build(t, map[string]string{"a.cu": add, "size.h": ""}, Request{Files: []string{"a.cu"}, Defines: []string{"SIZE=64"}, Arch: "sm_90", PTX: true})
	require.NoError(t, err)
	require.Empty(t, said)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, want := range []string{".target sm_90", ".visible .entry _Z3addPfi(", "fma.rn.f32"} {
		assert.Contains(t, string(text), want)
	}
	ours, others := 0, 0
	for line := range strings.Lines(string(text)) {
		if _, at, ok := strings.Cut(line, "// "); ok && strings.Contains(line, ".loc") {
			if strings.Contains(at, "a.cu:") {
				ours++
			} else if !strings.Contains(at, "__clang_cuda_builtin_vars.h") {
				others++
				t.Log(at)
			}
		}
	}
	assert.Greater(t, ours, 3)
	assert.Zero(t, others)
	path, _, err = build(t, map[string]string{"a.cu": add, "size.h": ""}, Request{Files: []string{"a.cu"}, Defines: []string{"SIZE=64"}, Arch: "sm_90a", PTX: true})
	require.NoError(t, err)
	text, err = os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(text), ".version 8.0\n.target sm_90a\n") // PTX 8.0 is the first that has sm_90a
}

func TestBuildSaysWhatClangSays(t *testing.T) {
	needClang(t)
	for _, c := range []struct{ name, text, said, err, hint string }{
		{"mistake", "__global__ void k(int *p) { *p = nothing; }\n", "a.cu:1:34: error: use of undeclared identifier 'nothing'", "clang cannot compile A", ""},
		{"undefined", "int f(); int main() { return f(); }\n", "undefined reference to `f()'", "clang cannot link P", ""},
		{"thrust", "#include <thrust/absent.h>\n", "'thrust/absent.h' file not found", "clang cannot compile A", "weft has no thrust; apt-get install libthrust-dev libcub-dev, or -I names the folder of its sources"},
		{"cutlass", "#include <cutlass/cutlass.h>\n", "'cutlass/cutlass.h' file not found", "clang cannot compile A", "weft has no cutlass; if its sources are here and are headers alone, -I names their folder"},
		{"barrier", "#include <cuda/barrier>\n", "weft has cuda::barrier and cuda::pipeline from compute capability 8.0 on: weft cuda build --arch sm_80", "clang cannot compile A", ""},
		{"curand", "#include <curand.h>\n", "weft has no curand for the host: it is a library of NVIDIA's, of which there is no source; kernels have curand_kernel.h, and the host has <random>", "clang cannot compile A", ""},
		{"generator", "#include <curand_kernel.h>\n__global__ void k(curandStateMRG32k3a *s) {}\n", "weft has the generators XORWOW and Philox4_32_10, with uniform, normal and log-normal numbers", "clang cannot compile A", ""},
		{"poisson", "#include <curand_kernel.h>\n__global__ void k(curandState *s, unsigned *p) { *p = curand_poisson(s, 3.0); }\n", "weft has the generators XORWOW and Philox4_32_10, with uniform, normal and log-normal numbers", "clang cannot compile A", ""},
		{"warning", "int main() { int unused; return 1 == 1 == 2; }\n#warning look here\n", "a.cu:2:2: warning: look here", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			program, said, err := build(t, map[string]string{"a.cu": c.text}, Request{Files: []string{"a.cu"}})
			assert.Contains(t, said, c.said)
			if c.err == "" {
				assert.NoError(t, err)
				assert.Equal(t, 1, strings.Count(said, c.said), "both halves say it")
				return
			}
			want := strings.NewReplacer("A", filepath.Join(filepath.Dir(program), "a.cu"), "P", program).Replace(c.err)
			assert.EqualError(t, err, want)
			assert.Equal(t, c.hint, usage.HintOf(err).String())
		})
	}
}

// TestBuildTakesWhatNvccTakes: what nvcc warns of or accepts, and clang by itself refuses.
func TestBuildTakesWhatNvccTakes(t *testing.T) {
	needClang(t)
	for name, text := range map[string]string{
		"register":   "__global__ void k(int *p) { register int a = 1; *p = a; }\n",
		"variadic":   "template <class T> __device__ int f(...); template <class T> __device__ char f(typename T::type *); __global__ void k(int *p) { *p = sizeof(f<int>(0)); }\n",
		"address":    "cudaError_t (*allocate)(void **, size_t) = cudaMalloc, (*pinned)(void **, size_t) = cudaMallocHost;\n",
		"list":       "static_assert(__CUDA_ARCH_LIST__ == 800, \"\");\n",
		"host":       "float f(float a) { return rsqrtf(a) + (float)rcbrt(a) + (float)sinpi(a); }\n",
		"functional": "#include <cuda/std/functional>\n__global__ void k(int *p) { *p = cuda::std::identity()(3) + cuda::std::plus<int>()(1, 2); }\n",
		"ranges":     "#include <nvToolsExt.h>\n#include <nvtx3/nvToolsExt.h>\nvoid f() { nvtxRangePush(\"a\"); nvtxRangePop(); }\n",
		"policies":   "cudaError_t f(cudaStream_t s) { cudaStreamAttrValue v = {}; v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting; return cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v); }\n",
		"asked":      "#ifndef __CUDA_RUNTIME_H__\n#error\n#endif\n",
		"launches":   "template <class T> __device__ void *f(T n) { return cudaGetParameterBuffer(64, 8); }\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := build(t, map[string]string{"a.cu": text + "int main() {}\n"}, Request{Files: []string{"a.cu"}, Standard: "c++17", Arch: "sm_80"})
			assert.NoError(t, err)
		})
	}
}

// TestHostFiles builds a file without kernels: it has the runtime, what the C++ library has, and no words of the compiler of kernels.
func TestHostFiles(t *testing.T) {
	needClang(t)
	_, said, err := build(t, map[string]string{"a.cpp": `#include <cuda_runtime.h>
#include <memory>
#include <nvToolsExt.h>
#if defined(__CUDACC__) || defined(__NVCC__)
#error "this compiler knows kernels"
#endif
inline int min(int a, int b) { return a < b ? a : b; }
inline float rsqrtf(float a) { return 1 / a; }
cudaIpcMemHandle_t handle;
int main() { return cudaDeviceSynchronize() + *std::make_shared<int>(min(0, 1)); }
`}, Request{Files: []string{"a.cpp"}, Flags: []string{"-lcudart", "-lnvToolsExt"}})
	assert.NoError(t, err, said)
}

// TestC builds a file in C, with the runtime and what it shares with C++.
func TestC(t *testing.T) {
	needClang(t)
	_, said, err := build(t, map[string]string{"a.c": `#include <cuda.h>
#include <cuda_runtime.h>
#include <nvToolsExt.h>
int main(void) {
	dim3 block = {32, 1, 1};
	float2 pair = make_float2(1, 2);
	struct cudaDeviceProp *p = 0;
	(void)p;
	return cudaMemset(0, 0, block.x + (unsigned)pair.y) != cudaSuccess;
}
`}, Request{Files: []string{"a.c"}})
	assert.NoError(t, err, said)
}

func TestHints(t *testing.T) {
	const openmp = "-fopenmp needs clang's library: apt-get install libomp-19-dev"
	for said, hint := range map[string]string{
		"/usr/bin/ld: cannot find -lomp: No such file or directory":  openmp,
		"main.cu:30:10: fatal error: 'omp.h' file not found":         openmp,
		"main.cu:30:10: fatal error: 'open.h' file not found":        "",
		"a.cu:1:10: fatal error: 'cub/cub.cuh' file not found":       "weft has no cub; apt-get install libthrust-dev libcub-dev, or -I names the folder of its sources",
		"/usr/bin/ld: cannot find -lgomp: No such file or directory": "",
	} {
		assert.Equal(t, hint, hintOf(said), said)
	}
}

func TestBuildRefuses(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"a.cu", "b.cu", "text.txt"} {
		require.NoError(t, os.WriteFile(name, nil, 0o644))
	}
	for _, c := range []struct {
		q         Request
		err, hint string
	}{
		{Request{}, "weft cuda build needs a file", "such as weft cuda build prog.cu"},
		{Request{Files: []string{"text.txt"}}, "text.txt is no file of a CUDA program", "sources end in .cu, .cpp, .cc, .cxx or .c, and what is linked in .o, .a or .so"},
		{Request{Files: []string{"absent.cu"}}, "stat absent.cu: no such file or directory", ""},
		{Request{Files: []string{"a.cu"}, Arch: "sm_91"}, `unknown architecture "sm_91"`, "did you mean sm_61?\nthere are: sm_50, sm_52, sm_60, sm_61, sm_70, sm_75, sm_80, sm_86, sm_89, sm_90, sm_90a"},
		{Request{Files: []string{"a.cu", "b.cu"}, PTX: true}, "--ptx writes the PTX of one .cu file", ""},
		{Request{Files: []string{"a.cu", "b.cu"}, Output: "b.cu"}, "-o b.cu would overwrite a source", ""},
	} {
		err := Build(t.Context(), c.q)
		assert.EqualError(t, err, c.err)
		assert.Equal(t, c.hint, usage.HintOf(err).String(), c.err)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	script := func(name, says string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\necho '"+says+"'\n"), 0o755))
		return path
	}
	t.Setenv("PATH", dir)
	t.Setenv(Environment, "")
	_, err := Find(t.Context())
	assert.EqualError(t, err, "CUDA programs are compiled by clang, and there is no clang++ of version 16 or later here")
	assert.Equal(t, "install it: apt-get install clang-19 (or a newer clang, which brings clang++), or name it by $WEFT_CLANG", usage.HintOf(err).String())

	t.Setenv("PATH", dir+":/bin:/usr/bin")
	old := script("clang++", "Debian clang version 14.0.6")
	t.Setenv(Environment, old)
	_, err = Find(t.Context())
	assert.EqualError(t, err, "$WEFT_CLANG: "+old+" is clang 14; CUDA programs need version 16 or later")
	t.Setenv(Environment, script("gcc", "gcc (Debian 12.2.0) 12.2.0"))
	_, err = Find(t.Context())
	assert.EqualError(t, err, "$WEFT_CLANG: "+dir+"/gcc is no clang")
	t.Setenv(Environment, dir+"/absent")
	_, err = Find(t.Context())
	assert.EqualError(t, err, "$WEFT_CLANG: "+dir+"/absent --version: fork/exec "+dir+"/absent: no such file or directory")

	t.Setenv(Environment, "")
	script("clang++-17", "Ubuntu clang version 17.0.1")
	script("clang++-20", "clang version 20.1.0")
	t.Setenv("PATH", dir)
	script("echo", "")
	c, err := Find(t.Context())
	require.NoError(t, err)
	assert.Equal(t, &Clang{filepath.Join(dir, "clang++-20"), 20}, c)
}

// TestFolder checks that the files are written once, and whole.
func TestFolder(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir, err := folder()
	require.NoError(t, err)
	want, err := files.ReadFile("include/cuda/atomic")
	require.NoError(t, err)
	got, err := os.ReadFile(filepath.Join(dir, "include", "cuda", "atomic"))
	require.NoError(t, err)
	assert.Equal(t, want, got)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mark"), nil, 0o644))
	again, err := folder()
	require.NoError(t, err)
	assert.Equal(t, dir, again)
	assert.FileExists(t, filepath.Join(dir, "mark"))
}

// TestSharedLibrary checks that the library in place of NVIDIA's has every call of the runtime API, with its version, and
// nothing else.
func TestSharedLibrary(t *testing.T) {
	needClang(t)
	for _, soname := range []string{"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"} {
		dir, err := SharedLibrary(t.Context(), soname)
		require.NoError(t, err)
		out, err := exec.CommandContext(t.Context(), "nm", "-D", "--defined-only", filepath.Join(dir, soname)).Output()
		require.NoError(t, err)
		for _, want := range []string{"cudaMalloc", "cudaGraphLaunch", "__cudaRegisterFatBinary", "__cudaGetKernel", "__cudaLaunchKernel", "cudaGetDeviceProperties_v2"} {
			assert.Contains(t, string(out), " T "+want+"@@"+soname+"\n")
		}
		assert.NotContains(t, string(out), "_ZN4weft")
		assert.Greater(t, strings.Count(string(out), " cuda"), 290)
	}
}
