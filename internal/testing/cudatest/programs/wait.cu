// A block that waits until the others have counted up to their number.
// bug 1: barrier over too many blocks on sim:tiny
// bug 2: livelock on func
#include "check.h"

__global__ void gather(int *count, int *out) {
	if (blockIdx.x == 0) {
		int want = gridDim.x - (BUG == 2 ? 0 : 1);
		while (atomicAdd(count, 0) < want) { // BUG 1 2
		}
		*out = atomicAdd(count, 0);
	} else {
		atomicAdd(count, 1);
		while (BUG == 1 && atomicAdd(count, 0) < gridDim.x - 1) { // BUG 1
		}
	}
}

int main() {
	int *count, *out, blocks = BUG == 1 ? 40 : 6;
	TRY(cudaMalloc(&count, sizeof(int)));
	TRY(cudaMalloc(&out, sizeof(int)));
	TRY(cudaMemset(count, 0, sizeof(int)));
	gather<<<blocks, 1>>>(count, out);
	WAIT();
	CHECK(download(out, 1)[0] == blocks - 1);
	puts("ok");
}
