package command

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// wordsProgram waits for a block that cannot begin before those that wait have ended.
const wordsProgram = `#include <cuda_runtime.h>
__global__ void relay(int *flag) {
	if (blockIdx.x + 1 < gridDim.x && threadIdx.x == 0)
		while (atomicAdd(flag, 0) == 0) {
		}
	if (blockIdx.x == 4000 && threadIdx.x == 3)
		atomicExch(flag, 1);
	__syncthreads();
}
int main() {
	int *flag;
	cudaMalloc(&flag, sizeof(int));
	cudaMemset(flag, 0, sizeof(int));
	relay<<<4001, 64>>>(flag);
	return cudaDeviceSynchronize();
}
`

// TestCUDAWords checks that the explanation of a hang has the words of CUDA, and none of kernels in Go.
func TestCUDAWords(t *testing.T) {
	_, stderr, code := runCUDA(t, cudaProgram(t, wordsProgram), "--device", "sim:tiny", "-q")
	assert.Equal(t, exitHang, code)
	for _, words := range []string{"if blockIdx.x == 4000 && threadIdx.x == 3", "waits at __syncthreads(), to which", "p.cu:4:", "p.cu:7:", "atom.exch of 1"} {
		assert.Contains(t, strings.Join(strings.Fields(stderr), " "), words)
	}
	assert.NotRegexp(t, regexp.MustCompile(`\bt\.[A-Z]|\bgpu\.[A-Z]|\bSync\b|bar\.sync`), stderr)
}
