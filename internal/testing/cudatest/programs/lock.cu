// A counter behind a spin lock that one thread of each block takes.
// bug 1: lock within a warp on sim:k40
// bug 2: race on func --race
#include "check.h"
#include <cuda/atomic>

__device__ int mutex;
__device__ int counter;

__global__ void add() {
	if (threadIdx.x == 0 || BUG == 1) {
		cuda::atomic_ref<int, cuda::thread_scope_device> lock(mutex);
		while (lock.exchange(1, BUG == 2 ? cuda::memory_order_relaxed : cuda::memory_order_acquire)) { // BUG 1
		}
		counter += 1; // BUG 2
		lock.store(0, BUG == 2 ? cuda::memory_order_relaxed : cuda::memory_order_release);
	}
}

int main() {
	add<<<20, 32>>>();
	WAIT();
	int got;
	TRY(cudaMemcpyFromSymbol(&got, counter, sizeof got));
	CHECK(got == 20);
	puts("ok");
}
