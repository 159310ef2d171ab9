// A ring through which one block sends numbers to another.
// bug 1: livelock on func
// bug 2: wrong scope on func --race
#include "check.h"
#include <cuda/atomic>

#if BUG == 2
#define SCOPE cuda::thread_scope_block
#else
#define SCOPE cuda::thread_scope_device
#endif
const int size = 4;

struct Ring {
	cuda::atomic<int, SCOPE> head, tail;
	int slot[size];
};

__global__ void pipe(Ring *r, int n, int *sum) {
	for (int i = 0; i < n; i++) {
		if (blockIdx.x == 0) {
			while (i - r->head.load(cuda::memory_order_acquire) >= size) { // BUG 1 2
			}
			r->slot[i % size] = i * i; // BUG 2
			r->tail.store(i + 1, cuda::memory_order_release); // BUG 2
		} else {
			while (r->tail.load(cuda::memory_order_acquire) <= i) { // BUG 1 2
			}
			*sum += r->slot[i % size]; // BUG 2
			if (BUG != 1)
				r->head.store(i + 1, cuda::memory_order_release); // BUG 2
		}
	}
}

int main() {
	Ring *r;
	int *sum;
	TRY(cudaMalloc(&r, sizeof *r));
	TRY(cudaMalloc(&sum, sizeof(int)));
	TRY(cudaMemset(r, 0, sizeof *r));
	TRY(cudaMemset(sum, 0, sizeof(int)));
	pipe<<<2, 1>>>(r, 20, sum);
	WAIT();
	CHECK(download(sum, 1)[0] == 19 * 20 * 39 / 6);
	puts("ok");
}
