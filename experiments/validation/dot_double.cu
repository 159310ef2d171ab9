// The product of two vectors in double precision, with a sum of the block in shared memory and an atomic addition of doubles.
// Limited by the bandwidth of memory.
// 256 threads; 132, 264 and 528 blocks.
#include "check.h"

__global__ void dot(const double *x, const double *y, int n, double *result) {
	__shared__ double s[256];
	int t = threadIdx.x;
	double sum = 0;
	for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
		sum += x[i] * y[i];
	s[t] = sum;
	__syncthreads();
	for (int d = 128; d > 0; d /= 2) {
		if (t < d)
			s[t] += s[t + d];
		__syncthreads();
	}
	if (t == 0)
		atomicAdd(result, s[0]);
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), n = pick(size, 1 << 17, 1 << 20, 1 << 22), blocks = pick(size, 132, 264, 528);
	std::vector<double> x(n), y(n);
	double want = 0;
	for (int i = 0; i < n; i++) {
		x[i] = fraction(i), y[i] = fraction(i + n) - 0.25;
		want += x[i] * y[i];
	}
	double *dx = upload(x), *dy = upload(y), *result = room<double>(1);
	launches(blocks, [&](dim3 grid) {
		TRY(cudaMemset(result, 0, sizeof *result));
		dot<<<grid, 256>>>(dx, dy, n, result);
	});
	same("dot", 0, download(result, 1)[0], want, 1e-12);
	puts("right");
}
