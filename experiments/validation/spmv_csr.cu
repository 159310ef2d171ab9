// The product of a sparse matrix in rows and a vector: by a thread for each row, and by a warp for each row.
// The first is limited by uncoalesced loads and by the longest row of a warp, the second by lanes that have no entry.
// 128 threads; 64, 256 and 768 blocks of the first, and 32 times as many of the second.
#include "matrix.h"

__global__ void byThread(int n, const int *first, const int *column, const float *value, const float *x, float *y) {
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= n)
		return;
	float sum = 0;
	for (int i = first[row]; i < first[row + 1]; i++)
		sum += value[i] * x[column[i]];
	y[row] = sum;
}

__global__ void byWarp(int n, const int *first, const int *column, const float *value, const float *x, float *y) {
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	if (row >= n)
		return;
	float sum = 0;
	for (int i = first[row] + lane; i < first[row + 1]; i += 32)
		sum += value[i] * x[column[i]];
	for (int d = 16; d > 0; d /= 2)
		sum += __shfl_down_sync(~0u, sum, d);
	if (lane == 0)
		y[row] = sum;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), n = pick(size, 1 << 13, 1 << 15, 3 << 15);
	Matrix m(n, false);
	int *first = upload(m.first), *column = upload(m.column);
	float *value = upload(m.value), *x = upload(m.x), *y = room<float>(n), *z = room<float>(n);
	launches(n / 128, [&](dim3 grid) { byThread<<<grid, 128>>>(n, first, column, value, x, y); });
	launches(n / 4, [&](dim3 grid) { byWarp<<<grid, 128>>>(n, first, column, value, x, z); });
	same("by thread", download(y, n), m.want, 1e-5);
	same("by warp", download(z, n), m.want, 1e-5);
	puts("right");
}
