// Numbers of 16 bits: each result is the nearest of its neighbours to the exact one, which long double holds. -DHALF tries __half,
// else __nv_bfloat16.
#include "../programs/check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>

#ifdef HALF
typedef __half number;
typedef __half2 pair;
const int places = 10, bias = 15, first = 8, exponents = 14; // exponents of -7 to 6: products and sums are below 2^15
static number of_bits(unsigned short bits) { return __ushort_as_half(bits); }
static unsigned short bits_of(number v) { return __half_as_ushort(v); }
#else
typedef __nv_bfloat16 number;
typedef __nv_bfloat162 pair;
const int places = 7, bias = 127, first = 112, exponents = 32; // exponents of -15 to 16
static number of_bits(unsigned short bits) { return __ushort_as_bfloat16(bits); }
static unsigned short bits_of(number v) { return __bfloat16_as_ushort(v); }
#endif

__global__ void compute(const number *in, number *out, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	number a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
	out[4 * i] = a + b;
	out[4 * i + 1] = a * b;
	out[4 * i + 2] = __hfma(a, b, c);
	out[4 * i + 3] = __hdiv(a, b);
}

__global__ void sum(number *x) {
	pair v(number((float)threadIdx.x), number(1.f));
	for (int k = 16; k > 0; k /= 2)
		v += __shfl_xor_sync(~0u, v, k);
	atomicAdd(x, v.y);
	if (threadIdx.x == 0)
		x[1] = v.x;
}

static bool nearest(number r, long double exact) {
	unsigned short bits = bits_of(r);
	long double away = fabsl((long double)(float)r - exact);
	for (int step = -1; step <= 1; step += 2) {
		long double other = fabsl((long double)(float)of_bits(bits + step) - exact);
		if (other < away || other == away && bits & 1)
			return false;
	}
	return true;
}

int main() {
	const int n = 4096;
	std::vector<number> in(3 * n), out(4 * n);
	unsigned state = 1;
	for (auto &x : in) {
		state = state * 1664525 + 1013904223;
		x = of_bits((state >> 31) << 15 | (first + (state >> 20) % exponents) << places | (state >> 8 & ((1 << places) - 1)));
	}
	number *device_in = upload(in), *device_out = upload(out);
	compute<<<n / 128, 128>>>(device_in, device_out, n);
	WAIT();
	out = download(device_out, 4 * n);
	for (int i = 0; i < n; i++) {
		long double a = (float)in[3 * i], b = (float)in[3 * i + 1], c = (float)in[3 * i + 2];
		CHECK(a + b == 0 || nearest(out[4 * i], a + b));
		CHECK(nearest(out[4 * i + 1], a * b));
		CHECK(a * b + c == 0 || nearest(out[4 * i + 2], a * b + c));
		CHECK(nearest(out[4 * i + 3], a / b));
#ifndef __NVCC__ // which has it on the device alone
		CHECK(bits_of(__hfma(in[3 * i], in[3 * i + 1], in[3 * i + 2])) == bits_of(out[4 * i + 2]));
#endif
	}
	CHECK(bits_of(number(1 + ldexpf(1, -places - 1))) == bias << places && bits_of(number(1 + ldexpf(3, -places - 1))) == (bias << places) + 2);
	// A double that a float between it and the number would round to a tie.
	CHECK(bits_of(number(1 + ldexp(1, -places - 1) + ldexp(1, -40))) == (bias << places) + 1);
	CHECK(bits_of(number(1 + ldexp(1, -places - 1) - ldexp(1, -40))) == bias << places);
	CHECK(__hisnan(number(NAN)) && __hisinf(number(3.4e38f)) == 1 && __hisinf(-number(INFINITY)) == -1);
	number zero(0.f), one(1.f);
	CHECK(bits_of(__hmin(zero, -zero)) == 0x8000 && bits_of(__hmin(-zero, zero)) == 0x8000 && bits_of(__hmax(zero, -zero)) == 0 && bits_of(__hmax(-zero, zero)) == 0);
	CHECK(__hmin(number(NAN), one) == one && __hmax(one, number(NAN)) == one && __hmin(-one, one) == -one && __hmax(-one, one) == one);
	number *x = upload(std::vector<number>(2, number(0.f)));
	sum<<<1, 32>>>(x);
	WAIT();
	auto got = download(x, 2);
	CHECK((float)got[0] == 1024 && (float)got[1] == 496);
	puts("ok");
}
