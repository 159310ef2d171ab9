// A sparse matrix times a vector, a warp for each row, with read-only loads.
#include "check.h"

struct Matrix {
	const int *row, *col;
	const float *value;
	int rows;
};

__global__ void __launch_bounds__(128) multiply(const Matrix m, const float *__restrict__ x, float *__restrict__ y) {
	int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	if (warp >= m.rows)
		return;
	float sum = 0;
	for (int e = m.row[warp] + lane; e < m.row[warp + 1]; e += 32)
		sum += m.value[e] * __ldg(&x[m.col[e]]);
	for (int d = 16; d > 0; d /= 2)
		sum += __shfl_xor_sync(~0u, sum, d);
	if (lane == 0)
		y[warp] = sum;
}

int main() {
	const int n = 60;
	std::vector<int> row, col;
	std::vector<float> value, x(n), want(n);
	for (int i = 0; i < n; i++) {
		row.push_back(col.size());
		x[i] = i % 4;
		for (int j = i % 3; j < n; j += 1 + i % 5)
			col.push_back(j), value.push_back(i % 2 + 1), want[i] += (i % 2 + 1) * (j % 4);
	}
	row.push_back(col.size());
	Matrix m = {upload(row), upload(col), upload(value), n};
	float *dx = upload(x), *dy;
	TRY(cudaMalloc(&dy, n * sizeof(float)));
	multiply<<<15, 128>>>(m, dx, dy);
	WAIT();
	CHECK(download(dy, n) == want);
	puts("ok");
}
