// A barrier with a flag for each block, which the first block gathers and answers.
// bug 1: barrier over too many blocks on sim:tiny
// bug 2: livelock on func
#include "check.h"

__device__ volatile int in[256], out[256];

__device__ void meet(int round) {
	__threadfence();
	__syncthreads();
	if (blockIdx.x == 0) {
		for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x)
			while (b > 0 && in[b] != round) { // BUG 1 2
			}
		__syncthreads();
		for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x)
			out[b] = round;
	} else if (threadIdx.x == 0) {
		in[blockIdx.x] = BUG == 2 && blockIdx.x == 2 ? round - 1 : round;
		while (out[blockIdx.x] != round) { // BUG 1 2
		}
	}
	__syncthreads();
	__threadfence();
}

__global__ void rounds(int *x) {
	for (int r = 1; r <= 3; r++) {
		if (threadIdx.x == 0)
			atomicAdd(&x[(blockIdx.x + r) % gridDim.x], r);
		meet(r);
	}
}

int main() {
	const int blocks = BUG == 1 ? 200 : 4;
	std::vector<int> zeros(blocks);
	int *x = upload(zeros);
	rounds<<<blocks, 64>>>(x);
	WAIT();
	for (int v : download(x, blocks))
		CHECK(v == 6);
	puts("ok");
}
