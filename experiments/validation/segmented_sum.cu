// The sums of many stretches of a vector, whose lengths differ much: by a warp for each, and by a block for each.
// Limited by the longest stretches, and by lanes without work.
// 128 threads; 64, 512 and 8,192 blocks of the first, and four times as many of the second.
#include "check.h"

__global__ void byWarp(const int *first, const int *x, int *sums) {
	int s = (blockIdx.x * 128 + threadIdx.x) / 32, lane = threadIdx.x % 32, sum = 0;
	for (int i = first[s] + lane; i < first[s + 1]; i += 32)
		sum += x[i];
	for (int d = 16; d > 0; d /= 2)
		sum += __shfl_xor_sync(~0u, sum, d);
	if (lane == 0)
		sums[s] = sum;
}

__global__ void byBlock(const int *first, const int *x, int *sums) {
	__shared__ int all;
	int s = blockIdx.x, sum = 0;
	if (threadIdx.x == 0)
		all = 0;
	__syncthreads();
	for (int i = first[s] + threadIdx.x; i < first[s + 1]; i += 128)
		sum += x[i];
	for (int d = 16; d > 0; d /= 2)
		sum += __shfl_xor_sync(~0u, sum, d);
	if (threadIdx.x % 32 == 0)
		atomicAdd(&all, sum);
	__syncthreads();
	if (threadIdx.x == 0)
		sums[s] = all;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 64, 512, 8192), n = blocks * 4;
	std::vector<int> first(1), x, want(n);
	for (int s = 0; s < n; s++) {
		int length = mix(s) % 100 == 0 ? 4000 : mix(s) % 10 == 0 ? 400 : mix(s) % 50;
		for (int i = 0; i < length; i++) {
			x.push_back(mix(x.size()) % 1000);
			want[s] += x.back();
		}
		first.push_back(x.size());
	}
	int *f = upload(first), *d = upload(x), *a = room<int>(n), *b = room<int>(n);
	launches(blocks, [&](dim3 grid) { byWarp<<<grid, 128>>>(f, d, a); });
	launches(n, [&](dim3 grid) { byBlock<<<grid, 128>>>(f, d, b); });
	same("by warp", download(a, n), want);
	same("by block", download(b, n), want);
	puts("right");
}
