// A radix sort of 32-bit numbers, four bits at a time: counts of each block, their prefix sums by one block, and stores to the
// new places. Limited by votes of a warp and by uncoalesced stores; the prefix sums by the latency of one block.
// 256 threads; 32, 256 and 2,048 blocks; 512 threads in one block for the sums. Eight launches of each kernel.
#include "check.h"

// Returns how many lanes before this one have the same digit; all is how many there are in the warp.
__device__ int rank(unsigned digit, int *all) {
	unsigned lanes = ~0u;
	for (int bit = 1; bit < 16; bit *= 2) {
		unsigned with = __ballot_sync(~0u, digit & bit);
		lanes &= digit & bit ? with : ~with;
	}
	*all = __popc(lanes);
	return __popc(lanes & ((1u << threadIdx.x % 32) - 1));
}

__global__ void count(const unsigned *keys, int shift, int *counts) {
	__shared__ int digits[16];
	if (threadIdx.x < 16)
		digits[threadIdx.x] = 0;
	__syncthreads();
	int all, digit = keys[blockIdx.x * 256 + threadIdx.x] >> shift & 15;
	if (rank(digit, &all) == 0)
		atomicAdd(&digits[digit], all);
	__syncthreads();
	if (threadIdx.x < 16)
		counts[threadIdx.x * gridDim.x + blockIdx.x] = digits[threadIdx.x];
}

// Replaces counts by the sums of those before them. Each thread has a stretch of them.
__global__ void sums(int *counts, int n) {
	__shared__ int warps[16];
	int each = (n + 511) / 512, begin = min(threadIdx.x * each, n), end = min(begin + each, n), mine = 0, lane = threadIdx.x % 32;
	for (int i = begin; i < end; i++)
		mine += counts[i];
	int sum = mine;
	for (int d = 1; d < 32; d *= 2) {
		int other = __shfl_up_sync(~0u, sum, d);
		sum += lane >= d ? other : 0;
	}
	if (lane == 31)
		warps[threadIdx.x / 32] = sum;
	__syncthreads();
	sum -= mine;
	for (int i = 0; i < threadIdx.x / 32; i++)
		sum += warps[i];
	for (int i = begin; i < end; i++) {
		int old = counts[i];
		counts[i] = sum;
		sum += old;
	}
}

__global__ void place(const unsigned *keys, unsigned *sorted, int shift, const int *firsts) {
	__shared__ int before[8][16];
	int t = threadIdx.x, warp = t / 32;
	if (t < 128)
		before[t / 16][t % 16] = 0;
	__syncthreads();
	unsigned key = keys[blockIdx.x * 256 + t], digit = key >> shift & 15;
	int all, mine = rank(digit, &all);
	if (mine == 0)
		before[warp][digit] = all;
	__syncthreads();
	int to = firsts[digit * gridDim.x + blockIdx.x] + mine;
	for (int i = 0; i < warp; i++)
		to += before[i][digit];
	sorted[to] = key;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 32, 256, 2048), n = blocks * 256;
	std::vector<unsigned> x(n);
	for (int i = 0; i < n; i++)
		x[i] = mix(i);
	unsigned *from = upload(x), *to = room<unsigned>(n);
	int *counts = room<int>(16 * blocks);
	count<<<1, 256>>>(from, 0, counts);
	sums<<<1, 512>>>(counts, 16);
	place<<<1, 256>>>(from, to, 0, counts);
	for (int shift = 0; shift < 32; shift += 4) {
		count<<<blocks, 256>>>(from, shift, counts);
		sums<<<1, 512>>>(counts, 16 * blocks);
		place<<<blocks, 256>>>(from, to, shift, counts);
		std::swap(from, to);
	}
	WAIT();
	std::sort(x.begin(), x.end());
	same("sorted", download(from, n), x);
	puts("right");
}
