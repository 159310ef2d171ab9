// Prefix sums of a block in dynamic shared memory, with two buffers.
// bug 1: missing barrier on func --race
// bug 2: uninitialised on func
#include "check.h"

template <class T> __global__ void scan(const T *x, T *y, int n) {
	extern __shared__ T buffer[];
	T *from = buffer, *to = buffer + n;
	int t = threadIdx.x;
	if (BUG != 2 || t > 0)
		from[t] = x[t]; // BUG 1
	__syncthreads();
	for (int d = 1; d < n; d *= 2) {
		to[t] = t >= d ? from[t] + from[t - d] : from[t]; // BUG 1 2
		T *swap = from;
		from = to, to = swap;
		if (BUG != 1)
			__syncthreads();
	}
	y[t] = from[t];
}

int main() {
	const int n = 200;
	std::vector<long long> x(n);
	for (int i = 0; i < n; i++)
		x[i] = i * i;
	long long *d = upload(x), *y;
	TRY(cudaMalloc(&y, n * sizeof *y));
	scan<<<1, n, 2 * n * sizeof(long long)>>>(d, y, n);
	WAIT();
	auto got = download(y, n);
	long long sum = 0;
	for (int i = 0; i < n; i++)
		CHECK(got[i] == (sum += x[i]));
	puts("ok");
}
