// Numbers of 8 bits: what each code stands for, from the definition of the formats, and for each number the code that is nearest to it of all, as a search finds it.
#include "../programs/check.h"
#include <cuda_fp8.h>
#include <math.h>

// value returns what a code stands for: 1 sign, then 4 or 5 exponent bits with the bias 7 or 15, then the rest.
static double value(unsigned code, __nv_fp8_interpretation_t kind) {
	int places = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15, exponent = (code & 0x7f) >> places, mantissa = code & ((1 << places) - 1);
	double sign = code & 0x80 ? -1 : 1;
	if (kind == __NV_E4M3 ? (code & 0x7f) == 0x7f : exponent == 31 && mantissa)
		return NAN;
	if (kind == __NV_E5M2 && exponent == 31)
		return sign * INFINITY;
	return exponent ? sign * ldexp((1 << places) + mantissa, exponent - bias - places) : sign * ldexp(mantissa, 1 - bias - places);
}

// nearest returns the code of x by a search among all finite codes with its sign. What is beyond the middle between the largest and what would come next is too large.
static unsigned nearest(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
	unsigned sign = signbit(x) ? 0x80 : 0, largest = kind == __NV_E4M3 ? 0x7e : 0x7b, best = 0;
	if (isnan(x))
		return 0x7f;
	double a = fabs(x), next = kind == __NV_E4M3 ? 480 : 65536;
	for (unsigned c = 1; c <= largest; c++) {
		double now = fabs(value(c, kind) - a), before = fabs(value(best, kind) - a);
		if (now < before || now == before && c % 2 == 0)
			best = c;
	}
	double away = fabs(next - a), last = fabs(value(largest, kind) - a);
	bool over = a >= next || away < last || away == last && largest % 2 == 1; // next would have the even code
	if (over)
		best = saturate == __NV_SATFINITE ? largest : kind == __NV_E4M3 ? 0x7f : 0x7c;
	return sign | best;
}

struct result {
	unsigned char codes[8]; // from double and float, e4m3 and e5m2, that saturate and not
	float back[2];
	unsigned short halves[2];
	__nv_fp8x4_e4m3 four;
	signed char small;
	unsigned short large;
};

static __host__ __device__ result convert(double x, unsigned char code) {
	result r;
	int i = 0;
	for (int kind = 0; kind < 2; kind++)
		for (int saturate = 0; saturate < 2; saturate++) {
			r.codes[i++] = __nv_cvt_double_to_fp8(x, (__nv_saturation_t)saturate, (__nv_fp8_interpretation_t)kind);
			r.codes[i++] = __nv_cvt_float_to_fp8((float)x, (__nv_saturation_t)saturate, (__nv_fp8_interpretation_t)kind);
		}
	__nv_fp8_e4m3 a;
	__nv_fp8_e5m2 b;
	a.__x = b.__x = code;
	r.back[0] = (float)a, r.back[1] = (float)b;
	r.halves[0] = __half_as_ushort((__half)a), r.halves[1] = __half_as_ushort((__half)b);
	r.four = __nv_fp8x4_e4m3(float4{(float)a, 1, 2, (float)x});
	r.small = (signed char)b, r.large = (unsigned short)b;
	return r;
}

__global__ void compute(const double *in, result *out, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = convert(in[i], (unsigned char)i);
}

static bool same(float a, double b) { return isnan(b) ? isnan(a) : a == b && signbit(a) == signbit(b); }

static bool right(const result &r, double x, unsigned char code) {
	int i = 0;
	for (int kind = 0; kind < 2; kind++)
		for (int saturate = 0; saturate < 2; saturate++) {
			auto s = (__nv_saturation_t)saturate;
			auto k = (__nv_fp8_interpretation_t)kind;
			unsigned of_double = isnan(x) ? (signbit(x) ? 0x80 : 0) | (k == __NV_E4M3 ? 0x7f : 0x7e) : nearest(x, s, k); // no number: as CUDA 13 has it on an H200
			if (r.codes[i++] != of_double || r.codes[i++] != nearest((float)x, s, k))
				return false;
		}
	double a = value(code, __NV_E4M3), b = value(code, __NV_E5M2);
	if (!same(r.back[0], a) || !same(r.back[1], b) || !same((float)__ushort_as_half(r.halves[0]), a) || !same((float)__ushort_as_half(r.halves[1]), b))
		return false;
	double low = isnan(b) ? 0 : b < -128 ? -128 : b > 127 ? 127 : trunc(b), high = isnan(b) ? 0 : b < 0 ? 0 : b > 65535 ? 65535 : trunc(b);
	unsigned first = isnan(a) ? 0x7f : code, last = nearest((float)x, __NV_SATFINITE, __NV_E4M3);
	return r.small == low && r.large == high && r.four.__x == (first | nearest(1, __NV_SATFINITE, __NV_E4M3) << 8 | nearest(2, __NV_SATFINITE, __NV_E4M3) << 16 | last << 24);
}

int main() {
	std::vector<double> in;
	for (int kind = 0; kind < 2; kind++)
		for (unsigned c = 0; c < 256; c++) { // each number, the middle to the next, and what is a little more and less
			auto k = (__nv_fp8_interpretation_t)kind;
			double v = value(c, k), middle = (v + value(c + 1, k)) / 2;
			for (double x : {v, middle, nextafter(middle, 0), nextafter(middle, 1e9), (double)nextafterf((float)middle, 0)})
				in.push_back(x);
		}
	unsigned state = 1;
	while (in.size() % 256 || in.size() < 4096) {
		state = state * 1664525 + 1013904223;
		in.push_back(ldexp(1 + (state >> 8) * 0x1p-24, (int)(state % 40) - 22) * (state & 0x80 ? -1 : 1));
	}
	in[0] = 1e300, in[1] = -1e300, in[2] = INFINITY, in[3] = -INFINITY, in[4] = NAN, in[5] = 1e-310, in[6] = -0.0, in[7] = 464, in[8] = 61440, in[9] = -NAN;
	int n = (int)in.size();
	std::vector<result> out(n);
	double *device_in = upload(in);
	result *device_out = upload(out);
	compute<<<n / 256, 256>>>(device_in, device_out, n);
	out = download(device_out, n);
	for (int i = 0; i < n; i++)
		if (!right(out[i], in[i], (unsigned char)i) || !right(convert(in[i], (unsigned char)i), in[i], (unsigned char)i)) {
			printf("wrong for %a and code %d\n", in[i], i % 256);
			return 1;
		}
	printf("ok\n");
}
