// A queue of work that the blocks of a persistent kernel share: divisors of numbers, each of which adds work.
// bug 1: livelock on func
#include "check.h"
#include <cuda/atomic>

struct Queue {
	cuda::atomic<int, cuda::thread_scope_device> head, tail, open;
	cuda::atomic<int, cuda::thread_scope_device> item[512];
};

__global__ void work(Queue *q, int *seen) {
	while (q->open.load(cuda::memory_order_acquire) > 0) { // BUG 1
		int at = q->head.load(cuda::memory_order_relaxed);
		if (at >= q->tail.load(cuda::memory_order_acquire) || !q->head.compare_exchange_strong(at, at + 1)) // BUG 1
			continue;
		int n;
		while ((n = q->item[at].load(cuda::memory_order_acquire)) == 0) { // BUG 1
		}
		atomicAdd(seen, 1);
		for (int d = 2; d < n; d++)
			if (n % d == 0) {
				q->open.fetch_add(1, cuda::memory_order_relaxed);
				q->item[q->tail.fetch_add(1)].store(d, cuda::memory_order_release);
			}
		if (BUG != 1 || n != 6)
			q->open.fetch_sub(1, cuda::memory_order_release);
	}
}

int main() {
	Queue *q;
	int *seen;
	TRY(cudaMallocManaged(&q, sizeof *q));
	TRY(cudaMallocManaged(&seen, sizeof *seen));
	memset((void *)q, 0, sizeof *q);
	*seen = 0;
	q->item[0].store(24), q->tail.store(1), q->open.store(1);
	work<<<3, 1>>>(q, seen);
	WAIT();
	CHECK(*seen == 20 && q->tail.load() == 20);
	puts("ok");
}
