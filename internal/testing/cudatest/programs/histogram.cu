// Counts of bytes, first in shared memory and then by atomics of the device.
// bug 1: race on func --race
// bug 2: bounds on func
// bug 3: uninitialised on func
#include "check.h"

__global__ void count(const unsigned char *text, int n, unsigned *bins) {
	__shared__ unsigned local[64];
	if (threadIdx.x < 64)
		local[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&local[text[i] % 64], 1u);
	__syncthreads();
	if (threadIdx.x < (BUG == 2 ? 65 : 64)) {
		unsigned v = threadIdx.x < 64 ? local[threadIdx.x] : 0;
		if (BUG == 1)
			bins[threadIdx.x] += v; // BUG 1
		else
			atomicAdd(&bins[threadIdx.x], v); // BUG 2 3
	}
}

int main() {
	std::vector<unsigned char> text(5000);
	std::vector<unsigned> want(64);
	for (int i = 0; i < 5000; i++)
		want[(text[i] = i * 7) % 64]++;
	unsigned char *d = upload(text);
	unsigned *bins;
	TRY(cudaMalloc(&bins, 64 * sizeof *bins));
	if (BUG != 3)
		TRY(cudaMemset(bins, 0, 64 * sizeof *bins));
	count<<<6, 96>>>(d, 5000, bins);
	WAIT();
	CHECK(download(bins, 64) == want);
	puts("ok");
}
