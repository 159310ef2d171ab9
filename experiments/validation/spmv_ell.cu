// The product of a sparse matrix and a vector, with all rows filled up to one length and stored by columns (ELLPACK).
// Limited by the bandwidth of memory, and by loads of the vector, which are not coalesced.
// 256 threads; 32, 256 and 1,536 blocks.
#include "matrix.h"

__global__ void product(int n, int length, const int *column, const float *value, const float *x, float *y) {
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= n)
		return;
	float sum = 0;
	for (int i = 0; i < length; i++) {
		int c = column[i * n + row];
		if (c >= 0)
			sum += value[i * n + row] * x[c];
	}
	y[row] = sum;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), n = pick(size, 1 << 13, 1 << 16, 3 << 17);
	Matrix m(n, true);
	std::vector<int> columns(n * m.longest, -1);
	std::vector<float> values(n * m.longest);
	for (int row = 0; row < n; row++)
		for (int i = m.first[row]; i < m.first[row + 1]; i++) {
			columns[(i - m.first[row]) * n + row] = m.column[i];
			values[(i - m.first[row]) * n + row] = m.value[i];
		}
	int *column = upload(columns);
	float *value = upload(values), *x = upload(m.x), *y = room<float>(n);
	launches(n / 256, [&](dim3 grid) { product<<<grid, 256>>>(n, m.longest, column, value, x, y); });
	same("y", download(y, n), m.want, 1e-5);
	puts("right");
}
