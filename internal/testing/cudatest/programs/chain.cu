// Blocks that pass a sum along, each waiting for the one before it.
// bug 1: barrier over too many blocks on sim:tiny
// bug 2: livelock on func
#include "check.h"

__global__ void chain(const int *x, volatile int *state, int *sums) {
	// With the fault, a block waits for the one behind it, which may have no place yet.
	int b = blockIdx.x, before = BUG == 1 ? gridDim.x - b : b, at = BUG == 1 ? gridDim.x - 1 - b : b;
	if (before > 0)
		while (state[at - 1] == 0) { // BUG 1 2
		}
	__threadfence();
	sums[at] = (at > 0 ? atomicAdd(&sums[at - 1], 0) : 0) + x[at];
	__threadfence();
	if (BUG != 2 || b != 2)
		state[at] = 1;
}

int main() {
	const int n = BUG == 1 ? 100 : 5;
	std::vector<int> x(n, 2), zero(n);
	int *d = upload(x), *state = upload(zero), *sums = upload(zero);
	chain<<<n, 1>>>(d, state, sums);
	WAIT();
	CHECK(download(sums, n)[n - 1] == 2 * n);
	puts("ok");
}
