// A value handed from one block to another, by a flag.
// bug 1: wrong scope on func --race
// bug 2: race on func --race
#include "check.h"
#include <cuda/atomic>

#if BUG == 1
typedef cuda::atomic<int, cuda::thread_scope_block> Flag;
#else
typedef cuda::atomic<int, cuda::thread_scope_device> Flag;
#endif

__global__ void hand(int *data, Flag *flag, int *got) {
	if (blockIdx.x == 0) {
		*data = 42; // BUG 1 2
		flag->store(1, BUG == 2 ? cuda::memory_order_relaxed : cuda::memory_order_release); // BUG 1
	} else {
		while (flag->load(cuda::memory_order_acquire) == 0) { // BUG 1
		}
		*got = *data; // BUG 1 2
	}
}

int main() {
	int *data, *got;
	Flag *flag;
	TRY(cudaMalloc(&data, sizeof(int)));
	TRY(cudaMalloc(&got, sizeof(int)));
	TRY(cudaMalloc(&flag, sizeof *flag));
	TRY(cudaMemset(flag, 0, sizeof *flag));
	hand<<<2, 1>>>(data, flag, got);
	WAIT();
	CHECK(download(got, 1)[0] == 42);
	puts("ok");
}
