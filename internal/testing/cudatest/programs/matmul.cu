// A product of matrices by tiles in shared memory.
// bug 1: missing barrier on func --race
// bug 2: uninitialised on func
#include "check.h"

template <int T> __global__ void product(const double *a, const double *b, double *c, int n) {
	__shared__ double as[T][T], bs[T][T];
	int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, col = blockIdx.x * T + x;
	double sum = 0;
	for (int k = 0; k < n; k += T) {
		as[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0; // BUG 1
		if (BUG != 2 || y > 0)
			bs[y][x] = k + y < n && col < n ? b[(k + y) * n + col] : 0; // BUG 1
		__syncthreads();
		for (int i = 0; i < T; i++)
			sum += as[y][i] * bs[i][x]; // BUG 1 2
		if (BUG != 1)
			__syncthreads();
	}
	if (row < n && col < n)
		c[row * n + col] = sum;
}

int main() {
	const int n = 20;
	std::vector<double> a(n * n), b(n * n);
	for (int i = 0; i < n * n; i++)
		a[i] = i % 7, b[i] = i % 5;
	double *da = upload(a), *db = upload(b), *dc;
	TRY(cudaMalloc(&dc, n * n * sizeof(double)));
	product<8><<<dim3(3, 3), dim3(8, 8)>>>(da, db, dc, n);
	WAIT();
	auto c = download(dc, n * n);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			double want = 0;
			for (int k = 0; k < n; k++)
				want += a[i * n + k] * b[k * n + j];
			CHECK(c[i * n + j] == want);
		}
	puts("ok");
}
