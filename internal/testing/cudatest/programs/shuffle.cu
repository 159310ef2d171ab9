// Scans of warps by shuffles, votes and matches.
// bug 1: bounds on func
// bug 2: uninitialised on func
#include "check.h"

__global__ void warps(const int *x, int *scan, unsigned *equal, int *last) {
	int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
	int v = x[i], sum = v;
	for (int d = 1; d < 32; d *= 2) {
		int below = __shfl_up_sync(~0u, sum, d);
		if (lane >= d)
			sum += below;
	}
	if (BUG != 2 || lane != 5)
		scan[i] = sum;
	equal[i] = __match_any_sync(~0u, v);
	unsigned big = __ballot_sync(~0u, v > 3);
	if (lane == 0)
		last[i / (BUG == 1 ? 16 : 32)] = big ? 31 - __clz(big) : -1; // BUG 1
}
__global__ void check(const int *scan, int *total) { atomicAdd(total, scan[threadIdx.x]); } // BUG 2

int main() {
	std::vector<int> x(64);
	for (int i = 0; i < 64; i++)
		x[i] = i % 6;
	int *d = upload(x), *scan, *last, *total;
	unsigned *equal;
	TRY(cudaMalloc(&scan, 64 * sizeof(int)));
	TRY(cudaMalloc(&equal, 64 * sizeof(int)));
	TRY(cudaMalloc(&last, 2 * sizeof(int)));
	TRY(cudaMalloc(&total, sizeof(int)));
	TRY(cudaMemset(total, 0, sizeof(int)));
	warps<<<1, 64>>>(d, scan, equal, last);
	check<<<1, 64>>>(scan, total);
	WAIT();
	int sum = 0, all = 0;
	auto s = download(scan, 64);
	auto e = download(equal, 64);
	for (int i = 0; i < 64; i++) {
		sum = i % 32 ? sum + x[i] : x[i];
		all += sum;
		unsigned mask = 0;
		for (int j = 0; j < 32; j++)
			mask |= (x[i / 32 * 32 + j] == x[i] ? 1u : 0u) << j;
		CHECK(s[i] == sum && e[i] == mask);
	}
	CHECK(download(total, 1)[0] == all && download(last, 2)[0] == 29 && download(last, 2)[1] == 27);
	puts("ok");
}
