// A product of matrices by a warpgroup, of which both are stored by k, as for a gradient: the tensor core reads them transposed, negates the
// first, and adds in f16.
// needs compute capability 9.0
// build for sm_90a
// bug 1: race on func --race
#include "check.h"
#include <cuda_fp16.h>

const int M = 64, N = 32, K = 64; // of a tile: its lines are numbers k of M or N rows, 128 or 64 bytes

// Where a piece of 16 bytes of a line lies in a tile with a swizzle of so many bytes.
__device__ int place(int line, int piece, int swizzle) {
	return swizzle == 128 ? line * 8 + (piece ^ line % 8) : line * 4 + (piece ^ line / 2 % 4);
}

__device__ unsigned long long descriptor(const void *tile, int swizzle) {
	unsigned at = (unsigned)__cvta_generic_to_shared(tile);
	return (at & 0x3FFFF) >> 4 | (unsigned long long)(8 * swizzle >> 4) << 32 | (swizzle == 128 ? 1ull : 2ull) << 62;
}

__device__ void multiply(unsigned (&d)[8], unsigned long long a, unsigned long long b) {
	asm volatile("{\n.reg .pred p;\nsetp.eq.b32 p, 0, 0;\n" // BUG 1
		"wgmma.mma_async.sync.aligned.m64n32k16.f16.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, -1, 1, 1, 1;\n}"
		: "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]) : "l"(a), "l"(b));
}

__global__ void product(const uint4 *a, const uint4 *b, __half2 *c, int m, int n, int k) {
	__shared__ __align__(1024) uint4 as[K * 8], bs[K * 4];
	unsigned sum[8] = {};
	int row = blockIdx.y * M, col = blockIdx.x * N;
	for (int from = 0; from < k; from += K) {
		for (int i = threadIdx.x; i < K * 8; i += blockDim.x)
			as[place(i / 8, i % 8, 128)] = a[((from + i / 8) * m + row) / 8 + i % 8];
		for (int i = threadIdx.x; i < K * 4; i += blockDim.x)
			bs[place(i / 4, i % 4, 64)] = b[((from + i / 4) * n + col) / 8 + i % 4];
		if (BUG != 1)
			asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
		__syncthreads();
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
		for (int step = 0; step < K / 16; step++)
			multiply(sum, descriptor(as, 128) + step * 128, descriptor(bs, 64) + step * 64);
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
		__syncthreads();
	}
	int lane = threadIdx.x % 32;
	for (int i = 0; i < 8; i++)
		c[((row + threadIdx.x / 32 * 16 + lane / 4 + i % 2 * 8) * n + col + i / 2 * 8 + lane % 4 * 2) / 2] = *(__half2 *)&sum[i];
}

int main() {
	const int m = 128, n = 96, k = 192;
	std::vector<__half> a(k * m), b(k * n);
	for (int i = 0; i < k * m; i++)
		a[i] = __float2half(i * 7 % 5 - 2);
	for (int i = 0; i < k * n; i++)
		b[i] = __float2half(i % 7 * 0.5f - 1);
	__half *da = upload(a), *db = upload(b);
	__half *dc;
	TRY(cudaMalloc(&dc, m * n * sizeof(__half)));
	product<<<dim3(n / N, m / M), 128>>>((const uint4 *)da, (const uint4 *)db, (__half2 *)dc, m, n, k);
	WAIT();
	auto c = download(dc, m * n);
	for (int row = 0; row < m; row++)
		for (int col = 0; col < n; col++) {
			float want = 0; // all sums are exact
			for (int i = 0; i < k; i++)
				want -= __half2float(a[i * m + row]) * __half2float(b[i * n + col]);
			CHECK(__half2float(c[row * n + col]) == want);
		}
	puts("ok");
}
