// z = a * x + y in single precision, one element for each thread.
// Limited by the bandwidth of memory: 12 bytes for each multiplication and addition.
// 256 threads; 256, 4,096 and 16,384 blocks.
#include "check.h"

__global__ void saxpy(int n, float a, const float *x, const float *y, float *z) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		z[i] = a * x[i] + y[i];
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), n = pick(size, 1 << 16, 1 << 20, 1 << 22);
	std::vector<float> x(n), y(n), want(n);
	for (int i = 0; i < n; i++) {
		x[i] = fraction(i), y[i] = fraction(i + n);
		want[i] = 2.5f * x[i] + y[i];
	}
	float *dx = upload(x), *dy = upload(y), *dz = room<float>(n);
	launches(n / 256, [&](dim3 grid) { saxpy<<<grid, 256>>>(n, 2.5f, dx, dy, dz); });
	same("z", download(dz, n), want, 1e-6);
	puts("right");
}
