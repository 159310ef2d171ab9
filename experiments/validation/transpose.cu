// The transpose of a square matrix: as it comes, with stores that are n apart, and by tiles in shared memory.
// The first is limited by uncoalesced stores, the second by the bandwidth of memory.
// 32 x 8 threads; 64, 1,024 and 4,096 blocks.
#include "check.h"

__global__ void plain(const float *in, float *out, int n) {
	int x = blockIdx.x * 32 + threadIdx.x;
	for (int j = threadIdx.y; j < 32; j += 8) {
		int y = blockIdx.y * 32 + j;
		out[x * n + y] = in[y * n + x];
	}
}

__global__ void tiled(const float *in, float *out, int n) {
	__shared__ float tile[32][33];
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
	for (int j = threadIdx.y; j < 32; j += 8)
		tile[j][threadIdx.x] = in[(y + j) * n + x];
	__syncthreads();
	x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32;
	for (int j = threadIdx.y; j < 32; j += 8)
		out[(y + j) * n + x] = tile[threadIdx.x][j];
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), n = pick(size, 256, 1024, 2048);
	std::vector<float> in(n * n), want(n * n);
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++)
			want[x * n + y] = in[y * n + x] = fraction(y * n + x);
	float *a = upload(in), *b = room<float>(n * n), *c = room<float>(n * n);
	launches(dim3(n / 32, n / 32), [&](dim3 grid) { plain<<<grid, dim3(32, 8)>>>(a, b, n); });
	launches(dim3(n / 32, n / 32), [&](dim3 grid) { tiled<<<grid, dim3(32, 8)>>>(a, c, n); });
	same("plain", download(b, n * n), want);
	same("tiled", download(c, n * n), want);
	puts("right");
}
