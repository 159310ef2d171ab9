// bfloat16: each result is the nearest of its neighbours to the exact one, which long double holds.
#include "../programs/check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>

__global__ void compute(const __nv_bfloat16 *in, __nv_bfloat16 *out, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	__nv_bfloat16 a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
	out[4 * i] = a + b;
	out[4 * i + 1] = a * b;
	out[4 * i + 2] = __hfma(a, b, c);
	out[4 * i + 3] = __hdiv(a, b);
}

__global__ void sum(__nv_bfloat16 *x) {
	__nv_bfloat162 v = __floats2bfloat162_rn(threadIdx.x, 1);
	for (int k = 16; k > 0; k /= 2)
		v += __shfl_xor_sync(~0u, v, k);
	atomicAdd(x, __high2bfloat16(v));
	if (threadIdx.x == 0)
		x[1] = __low2bfloat16(v);
}

static bool nearest(__nv_bfloat16 r, long double exact) {
	unsigned short bits = __bfloat16_as_ushort(r);
	long double away = fabsl((long double)__bfloat162float(r) - exact);
	for (int step = -1; step <= 1; step += 2) {
		long double other = fabsl((long double)__bfloat162float(__ushort_as_bfloat16(bits + step)) - exact);
		if (other < away || other == away && bits & 1)
			return false;
	}
	return true;
}

int main() {
	const int n = 4096;
	std::vector<__nv_bfloat16> in(3 * n), out(4 * n);
	unsigned state = 1;
	for (auto &x : in) { // exponents of -15 to 16
		state = state * 1664525 + 1013904223;
		x = __ushort_as_bfloat16((state >> 31) << 15 | (112 + (state >> 16 & 31)) << 7 | (state >> 8 & 127));
	}
	__nv_bfloat16 *device_in = upload(in), *device_out = upload(out);
	compute<<<n / 128, 128>>>(device_in, device_out, n);
	WAIT();
	out = download(device_out, 4 * n);
	for (int i = 0; i < n; i++) {
		long double a = (float)in[3 * i], b = (float)in[3 * i + 1], c = (float)in[3 * i + 2];
		CHECK(a + b == 0 || nearest(out[4 * i], a + b));
		CHECK(nearest(out[4 * i + 1], a * b));
		CHECK(a * b + c == 0 || nearest(out[4 * i + 2], a * b + c));
		CHECK(nearest(out[4 * i + 3], a / b));
		CHECK(__bfloat16_as_ushort(__hfma(in[3 * i], in[3 * i + 1], in[3 * i + 2])) == __bfloat16_as_ushort(out[4 * i + 2]));
	}
	CHECK(__bfloat16_as_ushort(__float2bfloat16(1.00390625f)) == 0x3f80 && __bfloat16_as_ushort(__float2bfloat16(1.01171875f)) == 0x3f82);
	CHECK(__hisnan(__float2bfloat16(NAN)) && __hisinf(__float2bfloat16(3.4e38f)) == 1);
	__nv_bfloat16 *x = upload(std::vector<__nv_bfloat16>(2, __nv_bfloat16(0.f)));
	sum<<<1, 32>>>(x);
	WAIT();
	auto got = download(x, 2);
	CHECK((float)got[0] == 1024 / 1.f && (float)got[1] == 496);
	puts("ok");
}
