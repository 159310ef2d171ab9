// Arithmetic of numbers of 16 bits, on both sides.
#include "check.h"
#include <cuda_fp16.h>

__global__ void axpy(__half a, const __half *x, __half2 *y, int n) {
	int i = threadIdx.x;
	if (i < n)
		y[i] = __hfma2(__half2half2(a), __halves2half2(x[2 * i], x[2 * i + 1]), y[i]) + __float2half2_rn(0.5f);
}

int main() {
	std::vector<__half> x(40);
	std::vector<__half2> y(20);
	for (int i = 0; i < 40; i++)
		x[i] = __float2half(i * 0.25f);
	for (int i = 0; i < 20; i++)
		y[i] = __floats2half2_rn(i, -i);
	__half *dx = upload(x);
	__half2 *dy = upload(y);
	axpy<<<1, 32>>>(__float2half(3), dx, dy, 20);
	WAIT();
	auto got = download(dy, 20);
	for (int i = 0; i < 20; i++) {
		__half low = __hfma(__float2half(3), x[2 * i], y[i].x) + __float2half(0.5f);
		CHECK(got[i].x == low && __half2float(low) == 3 * (2 * i) * 0.25f + i + 0.5f);
		CHECK(__high2float(got[i]) == 3 * (2 * i + 1) * 0.25f - i + 0.5f);
	}
	puts("ok");
}
