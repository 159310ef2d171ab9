// A barrier of all blocks by a counter, between two phases.
// bug 1: barrier over too many blocks on sim:tiny
// bug 2: wrong scope on func --race
#include "check.h"
#include <cuda/atomic>

#if BUG == 2
#define SCOPE cuda::thread_scope_block
#else
#define SCOPE cuda::thread_scope_device
#endif

__device__ cuda::atomic<int, SCOPE> arrived;

__global__ void phases(int *a, int *b) {
	int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	a[i] = i; // BUG 2
	__syncthreads();
	if (threadIdx.x == 0) {
		arrived.fetch_add(1, cuda::memory_order_acq_rel); // BUG 2
		while (arrived.load(cuda::memory_order_acquire) < gridDim.x) { // BUG 1 2
		}
	}
	__syncthreads();
	b[i] = a[n - 1 - i];
}

int main() {
	const int blocks = BUG == 1 ? 64 : 4, n = blocks * 128;
	int *a, *b;
	TRY(cudaMalloc(&a, n * sizeof(int)));
	TRY(cudaMalloc(&b, n * sizeof(int)));
	phases<<<blocks, 128>>>(a, b);
	WAIT();
	auto got = download(b, n);
	for (int i = 0; i < n; i++)
		CHECK(got[i] == n - 1 - i);
	puts("ok");
}
