// Letter boxes that kernels find by pointers in memory: one block fills each and another empties it, in rounds of fewer boxes.
// bug 1: race on func --race
#include "check.h"
#include <cuda/atomic>

struct Boxes {
	int *letter, *got;
	cuda::atomic<int, cuda::thread_scope_device> *full;
};

const int COUNT = 48;

__global__ void exchange(const Boxes *boxes, int round) {
	int i = threadIdx.x;
	if (blockIdx.x == 0) {
		boxes->letter[i] = round * 100 + i; // BUG 1
		boxes->full[i].store(round, BUG == 1 ? cuda::memory_order_relaxed : cuda::memory_order_release);
	} else {
		while (boxes->full[i].load(cuda::memory_order_acquire) != round) {
		}
		boxes->got[i] = boxes->letter[i]; // BUG 1
	}
}

// It reads what earlier launches have released, and releases nothing but one word.
__global__ void count(const Boxes *boxes, int *total) {
	int full = boxes->full[threadIdx.x].load(cuda::memory_order_relaxed);
	__threadfence();
	if (full > 0)
		atomicAdd(total, 1);
}

int main() {
	Boxes boxes;
	TRY(cudaMalloc(&boxes.letter, COUNT * sizeof(int)));
	TRY(cudaMalloc(&boxes.got, COUNT * sizeof(int)));
	TRY(cudaMalloc(&boxes.full, COUNT * sizeof *boxes.full));
	TRY(cudaMemset(boxes.full, 0, COUNT * sizeof *boxes.full));
	Boxes *where = upload(std::vector<Boxes>{boxes});
	int *total = upload(std::vector<int>{0});
	for (int round = 1, boxesOfRound = COUNT; boxesOfRound > 0; round++, boxesOfRound /= 2) {
		exchange<<<2, boxesOfRound>>>(where, round);
		count<<<1, COUNT>>>(where, total);
		WAIT();
		std::vector<int> got = download(boxes.got, boxesOfRound);
		for (int i = 0; i < boxesOfRound; i++)
			CHECK(got[i] == round * 100 + i);
	}
	CHECK(download(total, 1)[0] == 6 * COUNT);
	puts("ok");
}
