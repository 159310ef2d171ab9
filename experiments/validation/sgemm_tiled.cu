// The product of two square matrices in single precision, by tiles of 16 x 16 in shared memory, one element for each thread.
// Limited by loads of shared memory: two for each multiplication.
// 16 x 16 threads; 64, 256 and 576 blocks.
#include "check.h"

__global__ void product(const float *a, const float *b, float *c, int n) {
	__shared__ float as[16][16], bs[16][16];
	int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
	float sum = 0;
	for (int k = 0; k < n; k += 16) {
		as[y][x] = a[row * n + k + x];
		bs[y][x] = b[(k + y) * n + column];
		__syncthreads();
#pragma unroll
		for (int j = 0; j < 16; j++)
			sum += as[y][j] * bs[j][x];
		__syncthreads();
	}
	c[row * n + column] = sum;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), n = pick(size, 128, 256, 384);
	std::vector<float> a(n * n), b(n * n), want(n * n);
	for (int i = 0; i < n * n; i++)
		a[i] = fraction(i) - 0.5f, b[i] = fraction(i + n * n) - 0.5f;
	for (int y = 0; y < n; y++)
		for (int k = 0; k < n; k++)
			for (int x = 0; x < n; x++)
				want[y * n + x] += a[y * n + k] * b[k * n + x];
	float *da = upload(a), *db = upload(b), *dc = room<float>(n * n);
	launches(dim3(n / 16, n / 16), [&](dim3 grid) { product<<<grid, dim3(16, 16)>>>(da, db, dc, n); });
	same("c", download(dc, n * n), want, 1e-5);
	puts("right");
}
