// A product of matrices on tensor cores, by inline PTX: a warp computes 16 rows and 8 columns. f16 in, float out.
// needs compute capability 8.0
// bug 1: missing barrier on func --race
// bug 2: uninitialised on func
#include "check.h"
#include <cuda_fp16.h>

const int M = 16, N = 8, K = 16; // of an instruction

__device__ void load4(unsigned (&a)[4], const void *row) {
	unsigned at = (unsigned)__cvta_generic_to_shared(row);
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(at)); // BUG 2
}

__device__ void load2(unsigned (&b)[2], const void *row) {
	unsigned at = (unsigned)__cvta_generic_to_shared(row);
	asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(b[0]), "=r"(b[1]) : "r"(at));
}

__device__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
		: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
		: "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void product(const __half *a, const __half *b, float *c, int n, int k) {
	__shared__ __align__(16) __half as[4 * M][K], bs[K][N]; // four warps, one under the other
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.y * 4 * M, col = blockIdx.x * N;
	float sum[4] = {};
	for (int from = 0; from < k; from += K) {
		for (int i = threadIdx.x; i < 4 * M * K; i += blockDim.x)
			if (BUG != 2 || i % K < 8)
				as[i / K][i % K] = a[(row + i / K) * k + from + i % K]; // BUG 1
		for (int i = threadIdx.x; i < K * N; i += blockDim.x)
			bs[i / N][i % N] = b[(from + i / N) * n + col + i % N]; // BUG 1
		__syncthreads();
		unsigned x[4], y[2];
		load4(x, &as[warp * M + lane % 16][lane / 16 * 8]);
		load2(y, &bs[lane % 16][0]);
		multiply(sum, x, y);
		if (BUG != 1)
			__syncthreads();
	}
	float *to = c + (row + warp * M + lane / 4) * n + col + lane % 4 * 2;
	to[0] = sum[0], to[1] = sum[1], to[8 * n] = sum[2], to[8 * n + 1] = sum[3];
}

int main() {
	const int m = 128, n = 24, k = 48;
	std::vector<__half> a(m * k), b(k * n);
	for (int i = 0; i < m * k; i++)
		a[i] = __float2half(i % 11 - 5);
	for (int i = 0; i < k * n; i++)
		b[i] = __float2half(i % 7 * 0.25f);
	__half *da = upload(a), *db = upload(b);
	float *dc;
	TRY(cudaMalloc(&dc, m * n * sizeof(float)));
	product<<<dim3(n / N, m / (4 * M)), 128>>>(da, db, dc, n, k);
	WAIT();
	auto c = download(dc, m * n);
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			float want = 0; // exact, since all are multiples of a quarter
			for (int l = 0; l < k; l++)
				want += __half2float(a[i * k + l]) * __half2float(b[l * n + j]);
			CHECK(c[i * n + j] == want);
		}
	puts("ok");
}
