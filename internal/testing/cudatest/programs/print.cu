// printf in kernels, and assertions that hold.
#include "check.h"
#include <cassert>

__global__ void say(const float *x, int n) {
	int i = threadIdx.x;
	assert(n == 3);
	if (i < n)
		printf("%d of %d: %5.2f %s %c %llu\n", i, n, x[i], i % 2 ? "odd" : "even", 'a' + i, 1ull << (40 + i));
}

int main() {
	float *d = upload(std::vector<float>{1.5f, -2.25f, 100});
	puts("before");
	say<<<1, 4>>>(d, 3);
	WAIT();
	puts("ok");
}
