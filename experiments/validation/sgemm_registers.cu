// The product of two matrices in single precision, of which each thread computes 4 x 4 elements in registers.
// Limited by the units of single precision.
// 256 threads; 16, 64 and 144 blocks.
#include "check.h"

__global__ void product(const float *a, const float *b, float *c, int n, int depth) {
	__shared__ float as[16][64], bs[16][64]; // as is transposed
	int t = threadIdx.x, x = t % 16 * 4, y = t / 16 * 4;
	const float *rows = a + blockIdx.y * 64 * depth, *columns = b + blockIdx.x * 64;
	float sum[4][4] = {};
	for (int k = 0; k < depth; k += 16) {
		for (int i = t; i < 1024; i += 256) {
			as[i % 16][i / 16] = rows[i / 16 * depth + k + i % 16];
			bs[i / 64][i % 64] = columns[(k + i / 64) * n + i % 64];
		}
		__syncthreads();
#pragma unroll
		for (int j = 0; j < 16; j++) {
			float4 u = *(float4 *)&as[j][y], v = *(float4 *)&bs[j][x];
			float left[4] = {u.x, u.y, u.z, u.w}, right[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
			for (int p = 0; p < 4; p++)
#pragma unroll
				for (int q = 0; q < 4; q++)
					sum[p][q] += left[p] * right[q];
		}
		__syncthreads();
	}
	for (int p = 0; p < 4; p++)
		*(float4 *)&c[(blockIdx.y * 64 + y + p) * n + blockIdx.x * 64 + x] = make_float4(sum[p][0], sum[p][1], sum[p][2], sum[p][3]);
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), n = pick(size, 256, 512, 768), depth = pick(size, 64, 128, 192);
	std::vector<float> a(n * depth), b(n * depth), want(n * n);
	for (int i = 0; i < n * depth; i++)
		a[i] = fraction(i) - 0.5f, b[i] = fraction(i + n * depth) - 0.5f;
	for (int y = 0; y < n; y++)
		for (int k = 0; k < depth; k++)
			for (int x = 0; x < n; x++)
				want[y * n + x] += a[y * depth + k] * b[k * n + x];
	float *da = upload(a), *db = upload(b), *dc = room<float>(n * n);
	launches(dim3(n / 64, n / 64), [&](dim3 grid) { product<<<grid, 256>>>(da, db, dc, n, depth); });
	same("c", download(dc, n * n), want, 1e-5);
	puts("right");
}
