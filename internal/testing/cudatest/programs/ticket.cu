// A lock by tickets: the warps are served in the order in which they came.
// bug 1: lock within a warp on sim:k40
// bug 2: livelock on func
#include "check.h"
#include <cuda/atomic>

struct Ticket {
	cuda::atomic<unsigned, cuda::thread_scope_device> next, serving;
};

__global__ void append(Ticket *lock, int *list, int *length) {
	if (BUG != 1 && threadIdx.x % 32 != 0)
		return;
	unsigned mine = lock->next.fetch_add(1, cuda::memory_order_relaxed);
	while (lock->serving.load(cuda::memory_order_acquire) != mine) { // BUG 1 2
	}
	list[*length] = blockIdx.x;
	*length += 1;
	if (BUG != 2 || mine != 2)
		lock->serving.store(mine + 1, cuda::memory_order_release);
}

int main() {
	Ticket *lock;
	int *list, *length;
	TRY(cudaMalloc(&lock, sizeof *lock));
	TRY(cudaMalloc(&list, 1024 * sizeof(int)));
	TRY(cudaMalloc(&length, sizeof(int)));
	TRY(cudaMemset(lock, 0, sizeof *lock));
	TRY(cudaMemset(length, 0, sizeof(int)));
	append<<<4, 96>>>(lock, list, length);
	WAIT();
	CHECK(download(length, 1)[0] == 12);
	int blocks[4] = {};
	for (int b : download(list, 12))
		blocks[b]++;
	CHECK(blocks[0] == 3 && blocks[3] == 3);
	puts("ok");
}
