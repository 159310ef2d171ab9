// Roundings that leave the last bit set if anything was lost, so that a second rounding, to a type with at least two bits fewer,
// comes out as if it had been the only one (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
#pragma once
#include <cuda_runtime.h>

#define __WEFT_ODD static __host__ __attribute__((device, nodebug)) __inline__
// A float for a double.
__WEFT_ODD float __weft_odd_float(double a) {
	float near = (float)a;
	unsigned x = __builtin_bit_cast(unsigned, near);
	if (near == a || a != a || x << 1 == 0xff000000 || x & 1)
		return near;
	return __builtin_bit_cast(float, __builtin_fabs(a) > __builtin_fabs((double)near) ? x + 1 : x - 1);
}
// a * b + c as a double, for numbers of which the product is exact in one.
__WEFT_ODD double __weft_odd_fma(double a, double b, double c) {
	double product = a * b, sum = product + c;
	// What the sum has lost, by Knuth's exact addition.
	double back = sum - product, lost = (product - (sum - back)) + (c - back);
	unsigned long long bits = __builtin_bit_cast(unsigned long long, sum);
	if (lost != 0 && sum - sum == 0 && (bits & 1) == 0)
		sum = __builtin_bit_cast(double, (lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
	return sum;
}
#undef __WEFT_ODD
