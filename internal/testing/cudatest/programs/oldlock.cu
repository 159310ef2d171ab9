// The same with the classical atomics and fences.
// bug 1: lock within a warp on sim:k40
// bug 2: race on func --race
#include "check.h"

__device__ int mutex, total[4];

__global__ void add(int n) {
	for (int turn = 0; turn < n; turn++) {
		if (BUG != 1 && threadIdx.x % 32 != turn % 32)
			continue;
		while (atomicCAS(&mutex, 0, 1) != 0) { // BUG 1
		}
		if (BUG != 2)
			__threadfence();
		total[turn % 4]++; // BUG 2
		if (BUG != 2)
			__threadfence();
		atomicExch(&mutex, 0);
	}
}

int main() {
	add<<<3, 64>>>(8);
	WAIT();
	int got[4];
	TRY(cudaMemcpyFromSymbol(got, total, sizeof got));
	CHECK(got[0] == 12 && got[3] == 12);
	puts("ok");
}
