// What atomics of a warp cost by how its lanes are spread over words: every warp adds to the words of a few lines, many times, without result or with it.
// Prints a line for each pattern: name, result, lines, warps of the grid, and ns of one warp's atomic (the time of the kernel by events, without that of an empty one, over
// all atomics).
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define TRY(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)

__device__ unsigned mix(unsigned x) {
	x ^= x >> 16, x *= 0x7feb352d, x ^= x >> 15, x *= 0x846ca68b;
	return x ^ x >> 16;
}

enum { DISTINCT, PAIR, PAIRS, HALF, QUARTER, EIGHTH, ONE, FOUR_OF_ONE, EIGHT_OF_ONE, SIXTEEN_OF_ONE, ONE_A_SECTOR, TWO, TWO_IN_TURN, FOUR_IN_TURN, EIGHT_IN_TURN, SIXTEEN_IN_TURN, EIGHT_LANES, FOUR_OF_A_SECTOR, TWO_OF_A_SECTOR, ONE_OF_A_SECTOR, SWAP, RANDOM, PATTERNS };
static const char *names[] = {"32 words", "31 words, one twice", "28 words, one of each sector twice", "16 words, each twice", "8 words, each four times", "4 words, each eight times", "1 word",
	"29 words, one four times", "25 words, one eight times", "17 words, one sixteen times", "4 words of four sectors, each eight times",
	"2 words, each sixteen times", "2 words in turn", "4 words in turn", "8 words in turn", "16 words in turn", "8 words by 8 lanes", "16 words, four of each sector, by 16 lanes",
	"8 words, two of each sector, by 8 lanes", "4 words, one of each sector, by 4 lanes", "32 words, halves swapped", "random words"};

// The lanes that work.
__host__ __device__ inline bool works(int pattern, unsigned lane) {
	switch (pattern) {
	case EIGHT_LANES: return lane < 8;
	case FOUR_OF_A_SECTOR: return lane % 8 < 4;
	case TWO_OF_A_SECTOR: return lane % 8 < 2;
	case ONE_OF_A_SECTOR: return lane % 8 == 0;
	}
	return true;
}

// The word of a line on which a lane works.
__host__ __device__ inline unsigned wordOf(int pattern, unsigned lane) {
	switch (pattern) {
	case PAIR: return lane == 1 ? 0 : lane;
	case PAIRS: return lane % 8 == 1 ? lane - 1 : lane;
	case HALF: return lane / 2;
	case QUARTER: return lane / 4;
	case EIGHTH: return lane / 8;
	case ONE: return 0;
	case FOUR_OF_ONE: return lane < 4 ? 0 : lane;
	case EIGHT_OF_ONE: return lane < 8 ? 0 : lane;
	case SIXTEEN_OF_ONE: return lane < 16 ? 0 : lane;
	case ONE_A_SECTOR: return lane / 8 * 8;
	case TWO: return lane / 16;
	case TWO_IN_TURN: return lane % 2;
	case FOUR_IN_TURN: return lane % 4;
	case EIGHT_IN_TURN: return lane % 8;
	case SIXTEEN_IN_TURN: return lane % 16;
	case SWAP: return lane ^ 16;
	}
	return lane;
}

template <bool result> __global__ void add(unsigned *p, int pattern, unsigned lines, int times, unsigned *sink) {
	unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, old = 0;
	unsigned word = wordOf(pattern, lane);
	if (!works(pattern, lane)) return;
	for (int k = 0; k < times; k++) {
		unsigned at = pattern == RANDOM ? mix((warp * 32 + lane) * 64 + k) % (lines * 32) : mix(warp * 64 + k) % lines * 32 + word;
		if (result) old += atomicAdd(p + at, 1);
		else atomicAdd(p + at, 1);
	}
	if (result && old == 12345) *sink = old;
}

int main(int argc, char **argv) {
	unsigned *p, *sink;
	TRY(cudaMalloc(&p, 1 << 20));
	TRY(cudaMalloc(&sink, 4));
	TRY(cudaMemset(p, 0, 1 << 20));
	cudaEvent_t begin, end;
	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	// patterns [quick]: fewer lines, each once.
	int blocks = 132, times = argc > 1 ? 8 : 32;
	auto ms = [&](int pattern, bool result, unsigned lines, int n) {
		float best = 1e9;
		for (int i = 0; i < (argc > 1 ? 1 : 5); i++) {
			TRY(cudaEventRecord(begin));
			if (result) add<true><<<blocks, 256>>>(p, pattern, lines, n, sink);
			else add<false><<<blocks, 256>>>(p, pattern, lines, n, sink);
			TRY(cudaEventRecord(end));
			TRY(cudaEventSynchronize(end));
			float t;
			TRY(cudaEventElapsedTime(&t, begin, end));
			best = min(best, t);
		}
		return best;
	};
	printf("pattern,result,lines,warps,ns\n");
	for (int pattern = 0; pattern < PATTERNS; pattern++)
		for (int result = 0; result < 2; result++)
			for (unsigned lines = 1; lines <= (argc > 1 ? 64 : 4096); lines *= argc > 1 ? 8 : 2) {
				float empty = ms(pattern, result, lines, 0), t = ms(pattern, result, lines, times);
				printf("\"%s\",%d,%u,%d,%.3f\n", names[pattern], result, lines, blocks * 8, (t - empty) * 1e6 / (double(blocks) * 8 * times));
				fflush(stdout);
			}
}
