// One step of a stencil of five points over a square, with the tile of a block and its border in shared memory.
// Limited by the bandwidth of memory, and by the threads that load borders.
// 32 x 8 threads; 256, 4,096 and 16,384 blocks.
#include "check.h"

__global__ void stencil(const float *in, float *out, int n) {
	__shared__ float tile[10][34];
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, i = threadIdx.y + 1, j = threadIdx.x + 1;
	tile[i][j] = in[y * n + x];
	if (threadIdx.x == 0)
		tile[i][0] = in[y * n + max(x - 1, 0)];
	if (threadIdx.x == 31)
		tile[i][33] = in[y * n + min(x + 1, n - 1)];
	if (threadIdx.y == 0)
		tile[0][j] = in[max(y - 1, 0) * n + x];
	if (threadIdx.y == 7)
		tile[9][j] = in[min(y + 1, n - 1) * n + x];
	__syncthreads();
	out[y * n + x] = 0.5f * tile[i][j] + 0.125f * (tile[i - 1][j] + tile[i + 1][j] + tile[i][j - 1] + tile[i][j + 1]);
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), n = pick(size, 256, 1024, 2048);
	std::vector<float> in(n * n), want(n * n);
	for (int i = 0; i < n * n; i++)
		in[i] = fraction(i);
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++) {
			float up = in[std::max(y - 1, 0) * n + x], down = in[std::min(y + 1, n - 1) * n + x];
			float left = in[y * n + std::max(x - 1, 0)], right = in[y * n + std::min(x + 1, n - 1)];
			want[y * n + x] = 0.5f * in[y * n + x] + 0.125f * (up + down + left + right);
		}
	float *a = upload(in), *b = room<float>(n * n);
	launches(dim3(n / 32, n / 8), [&](dim3 grid) { stencil<<<grid, dim3(32, 8)>>>(a, b, n); });
	same("out", download(b, n * n), want, 1e-6);
	puts("right");
}
