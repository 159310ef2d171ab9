package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestByHandParameters compares the parameters of the kernels in CUDA C with those that our compiler gives ours: the same host loop
// launches both. clang says what the parameters in CUDA C are.
func TestByHandParameters(t *testing.T) {
	clang, err := exec.LookPath("clang++-19")
	if err != nil {
		t.Skip("there is no clang++-19")
	}
	const declared = `
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __forceinline__ __attribute__((always_inline))
struct Index { unsigned x, y, z; };
extern "C" __device__ const Index threadIdx, blockIdx, blockDim, gridDim;
__device__ void __syncthreads();
template<class T> __device__ T atomicMin(T *, T);
template<class T> __device__ T atomicAdd(T *, T);
__device__ unsigned atomicAdd(unsigned *, int);
template<class T> __device__ T atomicExch(T *, T);
__device__ unsigned atomicAdd_block(unsigned *, int);
__device__ float __shfl_xor_sync(unsigned, float, int);
__device__ float __fadd_rn(float, float);
__device__ float __fmul_rn(float, float);
__device__ float __fdiv_rn(float, float);
__device__ float fabsf(float);
`
	source, err := os.ReadFile("../hw/testdata/cuda/byhand.cu")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "byhand.cu")
	require.NoError(t, os.WriteFile(file, []byte(declared+string(source)), 0o600))
	out, err := exec.Command(clang, "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_90", "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version",
		"-Wno-undefined-internal", "-Xclang", "-target-feature", "-Xclang", "+ptx80", "-emit-llvm", "-S", "-o", "-", file).CombinedOutput()
	require.NoError(t, err, string(out))
	for _, k := range byHandKernels {
		e, err := catalog.Lookup(k.pair.Algorithm, k.pair.Scheduler)
		require.NoError(t, err)
		theirs := regexp.MustCompile(`define[^\n]* void @` + k.entry + `\(([^\n]*?)\) `).FindStringSubmatch(string(out))
		require.NotNil(t, theirs, k.entry)
		var want []string
		for _, p := range strings.Split(theirs[1], ", ") {
			want = append(want, map[string]string{"ptr": "64", "i64": "64", "i32": "32", "float": "32"}[strings.Fields(p)[0]])
		}
		compiler, err := catalog.Kernels()
		require.NoError(t, err)
		kernel, err := compiler.Kernel(t.Context(), e.Kernel, nil)
		require.NoError(t, err)
		ptx, err := weft.PTX(kernel, "sm_90")
		require.NoError(t, err)
		header, _, _ := strings.Cut(ptx[strings.Index(ptx, ".entry"):], ")")
		var have []string
		for _, p := range regexp.MustCompile(`\.param \.[a-z](\d+)`).FindAllStringSubmatch(header, -1) {
			have = append(have, p[1])
		}
		assert.Equal(t, want, have, k.entry)
	}
}
