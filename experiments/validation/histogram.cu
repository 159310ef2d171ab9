// Histograms of 256 bins: by atomics in global memory, and in shared memory first. Of numbers that are spread over the bins, and
// of numbers of which half lie in one bin.
// Limited by atomics on the same word.
// 256 threads; 32, 132 and 264 blocks, each thread with 16 numbers.
#include "check.h"

template <bool skewed> __global__ void global(const unsigned char *x, int n, unsigned *bins) {
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&bins[x[i]], 1);
}

template <bool skewed> __global__ void shared(const unsigned char *x, int n, unsigned *bins) {
	__shared__ unsigned mine[256];
	mine[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&mine[x[i]], 1);
	__syncthreads();
	atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

template <bool skewed> void both(int blocks) {
	int n = blocks * 256 * 16;
	std::vector<unsigned char> x(n);
	std::vector<unsigned> want(256);
	for (int i = 0; i < n; i++) {
		x[i] = skewed && mix(i + n) % 2 ? 77 : mix(i) % 256;
		want[x[i]]++;
	}
	unsigned char *d = upload(x);
	unsigned *bins = room<unsigned>(256);
	auto clear = [&] { TRY(cudaMemset(bins, 0, 256 * sizeof *bins)); };
	launches(blocks, [&](dim3 grid) { clear(), global<skewed><<<grid, 256>>>(d, n, bins); });
	same("global", download(bins, 256), want);
	launches(blocks, [&](dim3 grid) { clear(), shared<skewed><<<grid, 256>>>(d, n, bins); });
	same("shared", download(bins, 256), want);
}

int main(int argc, char **argv) {
	int blocks = pick(sizeClass(argc, argv), 32, 132, 264);
	both<false>(blocks);
	both<true>(blocks);
	puts("right");
}
