// A sum over a block by a tree in shared memory.
// bug 1: missing barrier on func --race
// bug 2: bounds on func
#include "check.h"

__global__ void sum(const int *x, int *out) {
	__shared__ int s[128];
	int t = threadIdx.x;
	s[t] = x[blockIdx.x * 128 + t];
	__syncthreads();
	for (int d = 64; d > 0; d /= 2) {
		if (BUG == 2 || t < d)
			s[t] += s[t + d]; // BUG 1 2
		if (BUG != 1)
			__syncthreads();
	}
	if (t == 0)
		out[blockIdx.x] = s[0];
}

int main() {
	std::vector<int> x(512);
	for (int i = 0; i < 512; i++)
		x[i] = i;
	int *d = upload(x), *out;
	TRY(cudaMalloc(&out, 4 * sizeof(int)));
	sum<<<4, 128>>>(d, out);
	WAIT();
	auto got = download(out, 4);
	CHECK(got[0] + got[1] + got[2] + got[3] == 512 * 511 / 2);
	puts("ok");
}
