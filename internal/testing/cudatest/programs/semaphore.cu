// A semaphore whose count lies under a lock: blocks that find it empty let go of the lock and try again. Without a pause between two tries
// the block that would raise the count never gets the lock, if it shares an SM with one that tries: a fence waits for all accesses of its SM,
// also for the vain compare-and-swap of the other block, whose next one is then under way when the fence is over and the lock is released.
// bug 1: livelock on sim:tiny --set=sm.count=1 --budget=3000000
#include "check.h"

struct Semaphore {
	unsigned count, lock;
};

__device__ bool locked(Semaphore *s) {
	if (atomicCAS(&s->lock, 0, 1) != 0) // BUG 1
		return false;
	__threadfence();
	return true;
}

__device__ void unlock(Semaphore *s) {
	__threadfence();
	atomicExch(&s->lock, 0);
}

__device__ void pause(unsigned &ns) {
#if BUG != 1
#if __CUDA_ARCH__ >= 700
	__nanosleep(ns);
#endif
	ns = ns < 8000 ? ns * 2 : 100;
#endif
}

__global__ void work(Semaphore *s, unsigned *order, unsigned *place, int rounds) {
	__shared__ bool done;
	bool first = threadIdx.x == 0;
	unsigned ns = 100;
	for (int i = 0; i < rounds; i++) {
		if (first)
			done = false;
		for (bool ended = false; !ended;) {
			__syncthreads();
			if (first && locked(s)) {
				if (blockIdx.x == 1) // raises the count
					s->count++, done = true;
				else if (s->count > 0) // lowers it
					s->count--, done = true;
				if (done)
					order[(*place)++] = blockIdx.x;
				unlock(s);
			}
			if (first && !done)
				pause(ns);
			__syncthreads();
			ended = done;
		}
		__syncthreads();
	}
}

int main() {
	Semaphore *s;
	unsigned *order, *place;
	const int rounds = 5;
	TRY(cudaMalloc(&s, sizeof *s));
	TRY(cudaMalloc(&order, 2 * rounds * sizeof *order));
	TRY(cudaMalloc(&place, sizeof *place));
	TRY(cudaMemset(s, 0, sizeof *s));
	TRY(cudaMemset(place, 0, sizeof *place));
	work<<<2, 32>>>(s, order, place, rounds);
	WAIT();
	auto o = download(order, 2 * rounds);
	int count = 0;
	for (unsigned block : o) {
		count += block == 1 ? 1 : -1;
		CHECK(count >= 0);
	}
	CHECK(count == 0 && download(place, 1)[0] == 2 * rounds && download(&s->count, 1)[0] == 0);
	puts("ok");
}
