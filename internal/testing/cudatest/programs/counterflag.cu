// The last block to finish adds up what all blocks have left in memory.
// bug 1: race on func --race
// bug 2: wrong scope on func --race
#include "check.h"

__device__ unsigned finished;

__global__ void sum(const int *x, int *parts, int *out) {
	__shared__ bool last;
	int v = x[blockIdx.x * 32 + threadIdx.x];
	for (int d = 16; d > 0; d /= 2)
		v += __shfl_down_sync(~0u, v, d);
	if (threadIdx.x == 0) {
		parts[blockIdx.x] = v; // BUG 1 2
		if (BUG == 2)
			__threadfence_block();
		else if (BUG != 1)
			__threadfence();
		last = atomicAdd(&finished, 1) == gridDim.x - 1;
		if (last) {
			if (BUG != 1)
				__threadfence();
			int all = 0;
			for (int b = 0; b < gridDim.x; b++)
				all += parts[b]; // BUG 1 2
			*out = all;
		}
	}
}

int main() {
	std::vector<int> x(320, 3);
	int *d = upload(x), *parts, *out;
	TRY(cudaMalloc(&parts, 10 * sizeof(int)));
	TRY(cudaMalloc(&out, sizeof(int)));
	sum<<<10, 32>>>(d, parts, out);
	WAIT();
	CHECK(download(out, 1)[0] == 960);
	puts("ok");
}
