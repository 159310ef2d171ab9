// A product of matrices of 8-bit floats on tensor cores, by inline PTX: a warp multiplies e4m3 by e5m2, adds in f16, and brings the sums to their rows by
// stmatrix.
// needs compute capability 9.0
// build for sm_90a
// bug 1: race on func --race
// bug 2: misaligned on func
#include "check.h"
#include <cuda_fp16.h>
#include <cuda_fp8.h>

const int M = 16, N = 8, K = 32; // of an instruction

// Rows of a, and columns of b, have k bytes. Each warp has 16 rows and 16 columns.
__global__ void product(const unsigned *a, const unsigned *b, __half *c, int n, int k) {
	__shared__ __align__(16) __half tile[M][2 * N + 8]; // rows that begin in different banks
	int lane = threadIdx.x, row = blockIdx.y * M + lane / 4, col = blockIdx.x * 2 * N + lane / 4, words = k / 4, at = lane % 4;
	unsigned sum[4] = {};
	for (int from = 0; from < words; from += K / 4, at += K / 4)
		for (int half = 0; half < 2; half++)
			asm volatile("mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
				: "+r"(sum[2 * half]), "+r"(sum[2 * half + 1])
				: "r"(a[row * words + at]), "r"(a[(row + 8) * words + at]), "r"(a[row * words + at + 4]), "r"(a[(row + 8) * words + at + 4]),
				"r"(b[(col + half * N) * words + at]), "r"(b[(col + half * N) * words + at + 4]));
	int skewed = BUG == 2 ? lane % 16 : 0;
	unsigned to = (unsigned)__cvta_generic_to_shared(&tile[lane % 16][lane / 16 * N + skewed]);
	asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(sum[0]), "r"(sum[1]), "r"(sum[2]), "r"(sum[3]) : "memory"); // BUG 1 2
	if (BUG != 1)
		__syncwarp();
	for (int i = lane; i < M * 2 * N; i += 32)
		c[(blockIdx.y * M + i / (2 * N)) * n + blockIdx.x * 2 * N + i % (2 * N)] = tile[i / (2 * N)][i % (2 * N)];
}

int main() {
	const int m = 48, n = 64, k = 96;
	std::vector<__nv_fp8_e4m3> a(m * k);
	std::vector<__nv_fp8_e5m2> b(n * k);
	for (int i = 0; i < m * k; i++)
		a[i] = __nv_fp8_e4m3((i % 13 - 6) * 0.125f);
	for (int i = 0; i < n * k; i++)
		b[i] = __nv_fp8_e5m2(float(i % 7 - 3));
	auto *da = upload(a);
	auto *db = upload(b);
	__half *dc;
	TRY(cudaMalloc(&dc, m * n * sizeof(__half)));
	product<<<dim3(n / (2 * N), m / M), 32>>>((unsigned *)da, (unsigned *)db, dc, n, k);
	WAIT();
	auto c = download(dc, m * n);
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			float want = 0; // exact, since all are multiples of an eighth
			for (int l = 0; l < k; l++)
				want += float(a[i * k + l]) * float(b[j * k + l]);
			CHECK(__half2float(c[i * n + j]) == want);
		}
	puts("ok");
}
