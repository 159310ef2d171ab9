// Two threads of two blocks that write in turn.
// bug 1: livelock on func
// bug 2: livelock on sim:tiny
#include "check.h"
#include <cuda/atomic>

__global__ void play(cuda::atomic<int> *turn, int *log, int rounds) {
	for (int r = 0; r < rounds; r++) {
		int want = 2 * r + blockIdx.x;
		while (turn->load() != want) { // BUG 1 2
		}
		log[want] = blockIdx.x;
		if (BUG == 1 && r == 2)
			turn->store(want);
		else if (BUG == 2 && blockIdx.x == 1)
			turn->store(want + 2);
		else
			turn->store(want + 1);
	}
}

int main() {
	cuda::atomic<int> *turn;
	int *log;
	TRY(cudaMallocManaged(&turn, sizeof *turn));
	TRY(cudaMalloc(&log, 20 * sizeof(int)));
	turn->store(0);
	play<<<2, 1>>>(turn, log, 10);
	WAIT();
	CHECK(turn->load() == 20);
	auto got = download(log, 20);
	for (int i = 0; i < 20; i++)
		CHECK(got[i] == i % 2);
	puts("ok");
}
