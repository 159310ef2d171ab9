// a = b + s * c in double precision, by a fixed number of threads that step through the vectors.
// Limited by the bandwidth of memory.
// 256 threads; 132, 528 and 1,056 blocks.
#include "check.h"

__global__ void triad(int n, double s, const double *b, const double *c, double *a) {
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		a[i] = b[i] + s * c[i];
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), n = pick(size, 1 << 16, 1 << 20, 1 << 22);
	std::vector<double> b(n), c(n), want(n);
	for (int i = 0; i < n; i++) {
		b[i] = fraction(i), c[i] = fraction(i + n);
		want[i] = b[i] + 0.4 * c[i];
	}
	double *db = upload(b), *dc = upload(c), *da = room<double>(n);
	launches(pick(size, 132, 528, 1056), [&](dim3 grid) { triad<<<grid, 256>>>(n, 0.4, db, dc, da); });
	same("a", download(da, n), want, 1e-14);
	puts("right");
}
