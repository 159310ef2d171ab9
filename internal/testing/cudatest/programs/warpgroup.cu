// A product of matrices by a warpgroup, by inline PTX: four warps compute 64 rows and 32 columns. f16 in, float out.
// needs compute capability 9.0
// build for sm_90a
// bug 1: race on func --race
// bug 2: missing barrier on func --race
#include "check.h"
#include <cuda_fp16.h>

const int M = 64, N = 32, K = 64; // of a tile: its rows have 128 bytes

// Where a piece of 16 bytes of a row lies in a tile with a swizzle of 128 bytes.
__device__ int place(int row, int piece) { return row * 8 + (piece ^ row % 8); }

__device__ unsigned long long descriptor(const void *tile) {
	unsigned at = (unsigned)__cvta_generic_to_shared(tile);
	return (at & 0x3FFFF) >> 4 | (unsigned long long)(1024 >> 4) << 32 | 1ull << 62;
}

__device__ void multiply(float (&d)[16], unsigned long long a, unsigned long long b, int adds) {
	asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %18, 0;\n" // BUG 1
		"wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, p, 1, 1, 0, 0;\n}"
		: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
		"+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
		: "l"(a), "l"(b), "r"(adds));
}

__global__ void product(const uint4 *a, const uint4 *b, float *c, int n, int k) {
	__shared__ __align__(1024) uint4 as[M * 8], bs[N * 8];
	float sum[16];
	int row = blockIdx.y * M, col = blockIdx.x * N;
	for (int from = 0; from < k; from += K) {
		for (int i = threadIdx.x; i < M * 8; i += blockDim.x)
			as[place(i / 8, i % 8)] = a[((row + i / 8) * k + from) / 8 + i % 8]; // BUG 2
		for (int i = threadIdx.x; i < N * 8; i += blockDim.x)
			bs[place(i / 8, i % 8)] = b[((col + i / 8) * k + from) / 8 + i % 8]; // BUG 2
		if (BUG != 1)
			asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
		__syncthreads();
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
		for (int step = 0; step < K / 16; step++)
			multiply(sum, descriptor(as) + step * 2, descriptor(bs) + step * 2, from + step > 0);
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
		if (BUG != 2)
			__syncthreads();
	}
	int lane = threadIdx.x % 32;
	for (int i = 0; i < 16; i++)
		c[(row + threadIdx.x / 32 * 16 + lane / 4 + i / 2 % 2 * 8) * n + col + i / 4 * 8 + lane % 4 * 2 + i % 2] = sum[i];
}

int main() {
	const int m = 128, n = 96, k = 192;
	std::vector<__half> a(m * k), b(n * k); // b by columns
	for (int i = 0; i < m * k; i++)
		a[i] = __float2half(i % 11 - 5);
	for (int i = 0; i < n * k; i++)
		b[i] = __float2half(i % 7 * 0.25f);
	__half *da = upload(a), *db = upload(b);
	float *dc;
	TRY(cudaMalloc(&dc, m * n * sizeof(float)));
	product<<<dim3(n / N, m / M), 128>>>((const uint4 *)da, (const uint4 *)db, dc, n, k);
	WAIT();
	auto c = download(dc, m * n);
	for (int row = 0; row < m; row++)
		for (int col = 0; col < n; col++) {
			float want = 0; // all sums are exact
			for (int i = 0; i < k; i++)
				want += __half2float(a[row * k + i]) * __half2float(b[col * k + i]);
			CHECK(c[row * n + col] == want);
		}
	puts("ok");
}
