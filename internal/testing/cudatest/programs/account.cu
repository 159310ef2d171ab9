// Transfers between accounts: each takes the locks of both, the lower number first.
// bug 1: livelock on func
// bug 2: wrong scope on func --race
#include "check.h"
#include <cuda/atomic>

#if BUG == 2
#define SCOPE cuda::thread_scope_block
#else
#define SCOPE cuda::thread_scope_device
#endif
typedef cuda::atomic<int, SCOPE> Lock;

__device__ void take(Lock &l) {
	while (l.exchange(1, cuda::memory_order_acquire)) { // BUG 1 2
	}
}

__global__ void transfer(Lock *locks, int *money, int accounts) {
	int from = blockIdx.x, to = (blockIdx.x + 1) % accounts;
	int first = min(from, to), second = max(from, to);
	take(locks[first]);
	take(locks[second]);
	money[from] -= 10; // BUG 2
	money[to] += 10; // BUG 2
	if (BUG != 1 || from != 1)
		locks[second].store(0, cuda::memory_order_release); // BUG 2
	locks[first].store(0, cuda::memory_order_release); // BUG 2
}

int main() {
	std::vector<int> money(6, 100);
	int *d = upload(money);
	Lock *locks;
	TRY(cudaMalloc(&locks, 6 * sizeof *locks));
	TRY(cudaMemset(locks, 0, 6 * sizeof *locks));
	transfer<<<6, 1>>>(locks, d, 6);
	WAIT();
	CHECK(download(d, 6) == money);
	puts("ok");
}
