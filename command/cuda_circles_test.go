package command

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// circlesProgram spreads the lowest number along a chain, until no number changes: with an argument it takes a number that is
// as low for a change, and then never ends, or only after so many rounds.
const circlesProgram = `#include <cstdio>
#include <cstdlib>
#include <utility>
__global__ void spread(const int *from, int *to, int *stamp, int *again, int round, bool wrong) {
	int i = threadIdx.x;
	int left = i > 0 ? from[i - 1] : from[i];
	to[i] = min(from[i], left);
	if (left < from[i] || wrong && left == from[i]) {
		stamp[i] = round;
		*again = 1;
	}
}
int main(int argc, char **argv) {
	bool wrong = argc > 1;
	int rounds = argc > 2 ? atoi(argv[2]) : 1 << 30, start[8] = {3, 9, 8, 7, 6, 5, 4, 3}, again, *a, *b, *stamp, *flag;
	cudaMalloc(&a, sizeof start);
	cudaMalloc(&b, sizeof start);
	cudaMalloc(&stamp, sizeof start);
	cudaMalloc(&flag, sizeof(int));
	cudaMemcpy(a, start, sizeof start, cudaMemcpyHostToDevice);
	cudaMemset(stamp, 0, sizeof start);
	int round = 0;
	do {
		round++;
		cudaMemset(flag, 0, sizeof(int));
		spread<<<1, 8>>>(a, b, stamp, flag, round, wrong);
		cudaMemcpy(&again, flag, sizeof(int), cudaMemcpyDeviceToHost);
		std::swap(a, b);
	} while (again && round < rounds);
	printf("%d rounds\n", round);
}
`

// TestCUDACircles says of a program whose kernels all end, and which does not, that its rounds change nothing.
func TestCUDACircles(t *testing.T) {
	program := cudaProgram(t, circlesProgram)
	for _, device := range []string{"func", "sim:tiny"} {
		stdout, stderr, code := runCUDA(t, program, "--device", device, "-q")
		assert.Equal(t, []any{0, "7 rounds\n", ""}, []any{code, stdout, stderr}, device)

		// With a budget it ends there.
		flags := []string{"cuda", "run", "--device", device, "-q", "--budget", "1000000", program, "wrong"}
		stdout, stderr, code = command(t, flags...)
		assert.Equal(t, []any{exitUndecided, ""}, []any{code, stdout}, device)
		assert.Contains(t, stderr, "weft: the program goes round in circles: its last 508 rounds launched the same kernels, and memory of the device is after each round "+
			"as it was after the one before, but for words of stamp that count up\n"+
			"  after each round the program reads 4 bytes of flag; if it waits for them to change, it never ends\n"+
			"  each round\n    launches spread (1 blocks of 8 threads)\n", device)
		for _, line := range []string{"p.cu:7:", "p.cu:9:", "p.cu:10:"} {
			assert.Contains(t, stderr, line, device)
		}
		assert.NotContains(t, stderr, "p.cu:8:", device)
	}
	// Without one it goes on: this one counts its rounds.
	stdout, stderr, code := command(t, "cuda", "run", "--device", "func", "-q", program, "wrong", "600")
	assert.Equal(t, []any{0, "600 rounds\n"}, []any{code, stdout})
	assert.Contains(t, stderr, "it goes on; Ctrl-C ends it, and so does --budget at this point\n")
	stdout, stderr, code = command(t, "cuda", "run", "--device", "func", "-q", program, "wrong", "500")
	assert.Equal(t, []any{0, "500 rounds\n", ""}, []any{code, stdout, stderr})
}
