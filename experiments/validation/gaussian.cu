// Elimination of a system of equations, column by column: a launch for the factors of the rows, and one for the rest.
// Limited by launches, since each does little, and by the bandwidth of the L2 cache.
// 256 threads in one block; 16 x 16 threads in 16, 64 and 256 blocks. A pair of launches for each column.
#include "check.h"

__global__ void factors(const float *a, float *m, int n, int k) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i > k && i < n)
		m[i] = a[i * (n + 1) + k] / a[k * (n + 1) + k];
}

// The right side of the equations is column n.
__global__ void rest(float *a, const float *m, int n, int k) {
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
	if (y <= k || x < k)
		return;
	float factor = m[y];
	a[y * (n + 1) + x] -= factor * a[k * (n + 1) + x];
	if (x == n - 1)
		a[y * (n + 1) + n] -= factor * a[k * (n + 1) + n];
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), n = pick(size, 64, 128, 256), width = n + 1;
	std::vector<float> a(n * width);
	for (int i = 0; i < n * width; i++)
		a[i] = fraction(i) + (i / width == i % width ? n : 0);
	float *d = upload(a), *m = room<float>(n);
	for (int k = 0; k < n - 1; k++) {
		factors<<<1, 256>>>(d, m, n, k);
		rest<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(d, m, n, k);
	}
	WAIT();
	auto got = download(d, a.size());
	for (int y = 0; y < n; y++) {
		for (int k = 0; k < y; k++) {
			float factor = a[y * width + k] / a[k * width + k];
			for (int x = k; x < width; x++)
				a[y * width + x] -= factor * a[k * width + x];
		}
		for (int x = y; x < width; x++)
			same("a", y * width + x, got[y * width + x], a[y * width + x], 1e-4);
	}
	puts("right");
}
