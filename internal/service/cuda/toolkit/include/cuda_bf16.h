// Numbers of 16 bits with the exponent of a float: __nv_bfloat16 and __nv_bfloat162, on both sides. Each operation is computed
// in a wider type and rounded once: float has more than twice the 8 bits of a significand, and two more, so that sums, products,
// quotients and roots that are rounded to a float first come out as if they had not been.
#pragma once
#include <cuda_runtime.h>
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))

#define __WEFT_BD static __host__ __device__ __inline__
__WEFT_BD float __weft_bf16_value(unsigned short a) { return __builtin_bit_cast(float, (unsigned)a << 16); }
// To the nearest, ties to even. All that is no number is 0x7fff, as the device gives it.
__WEFT_BD unsigned short __weft_bf16_bits(float a) {
	unsigned x = __builtin_bit_cast(unsigned, a);
	return a != a ? 0x7fff : (unsigned short)((x + 0x7fff + (x >> 16 & 1)) >> 16);
}
// A float between a and its neighbour that is odd if a is not itself a float: rounded again, it gives what a gives.
__WEFT_BD float __weft_bf16_odd(double a) {
	float near = (float)a;
	unsigned x = __builtin_bit_cast(unsigned, near);
	if (near == a || a != a || x << 1 == 0xff000000 || x & 1)
		return near;
	return __builtin_bit_cast(float, __builtin_fabs(a) > __builtin_fabs((double)near) ? x + 1 : x - 1);
}

struct __nv_bfloat16_raw {
	unsigned short x;
};
struct __attribute__((aligned(2))) __nv_bfloat16 {
	unsigned short __x;
	__nv_bfloat16() = default;
	__host__ __device__ __nv_bfloat16(float v) : __x(__weft_bf16_bits(v)) {}
	__host__ __device__ __nv_bfloat16(double v) : __x(__weft_bf16_bits(__weft_bf16_odd(v))) {}
	__host__ __device__ __nv_bfloat16(int v) : __nv_bfloat16((double)v) {}
	__host__ __device__ __nv_bfloat16(unsigned v) : __nv_bfloat16((double)v) {}
	__host__ __device__ __nv_bfloat16(__nv_bfloat16_raw v) : __x(v.x) {}
	__host__ __device__ operator float() const { return __weft_bf16_value(__x); }
	__host__ __device__ operator __nv_bfloat16_raw() const { return {__x}; }
};
struct __nv_bfloat162_raw {
	unsigned short x, y;
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
	__nv_bfloat16 x, y;
	__nv_bfloat162() = default;
	__host__ __device__ __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

__WEFT_BD __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __nv_bfloat16(__nv_bfloat16_raw{a}); }
__WEFT_BD __nv_bfloat16 __short_as_bfloat16(short a) { return __ushort_as_bfloat16((unsigned short)a); }
__WEFT_BD unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
__WEFT_BD short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }
__WEFT_BD __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
__WEFT_BD __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
__WEFT_BD __nv_bfloat16 __float2bfloat16_rz(float a) {
	return a != a ? __ushort_as_bfloat16(0x7fff) : __ushort_as_bfloat16((unsigned short)(__builtin_bit_cast(unsigned, a) >> 16));
}
__WEFT_BD __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
__WEFT_BD __nv_bfloat16 __int2bfloat16_rn(int a) { return __nv_bfloat16(a); }
__WEFT_BD __nv_bfloat16 __uint2bfloat16_rn(unsigned a) { return __nv_bfloat16(a); }
__WEFT_BD float __bfloat162float(__nv_bfloat16 a) { return (float)a; }
__WEFT_BD int __bfloat162int_rn(__nv_bfloat16 a) { return (int)__builtin_rintf((float)a); }
__WEFT_BD int __bfloat162int_rz(__nv_bfloat16 a) { return (int)(float)a; }
__WEFT_BD __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
__WEFT_BD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
__WEFT_BD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
__WEFT_BD __nv_bfloat162 __float2bfloat162_rn(float a) { return __nv_bfloat162(a, a); }
__WEFT_BD __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(a, b); }
__WEFT_BD __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __nv_bfloat162(a.x, a.y); }
__WEFT_BD float2 __bfloat1622float2(__nv_bfloat162 a) { return {(float)a.x, (float)a.y}; }
__WEFT_BD float __low2float(__nv_bfloat162 a) { return (float)a.x; }
__WEFT_BD float __high2float(__nv_bfloat162 a) { return (float)a.y; }
__WEFT_BD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
__WEFT_BD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
__WEFT_BD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
__WEFT_BD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
__WEFT_BD __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.x); }

#define __WEFT_B(name, expression) \
	__WEFT_BD __nv_bfloat16 __##name(__nv_bfloat16 a, __nv_bfloat16 b) { float x = (float)a, y = (float)b; return __nv_bfloat16(expression); } \
	__WEFT_BD __nv_bfloat162 __##name##2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__##name(a.x, b.x), __##name(a.y, b.y)); }
__WEFT_B(hadd, x + y)
__WEFT_B(hsub, x - y)
__WEFT_B(hmul, x * y)
__WEFT_B(hdiv, x / y)
__WEFT_B(hmin, x != x ? y : y != y ? x : x < y ? x : y)
__WEFT_B(hmax, x != x ? y : y != y ? x : x > y ? x : y)
__WEFT_BD __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return __hdiv2(a, b); }
// The product of two numbers of 8 bits is exact in a float. A sum with a third that is much smaller needs more bits than a
// double has only where all of them are below the odd one.
__WEFT_BD __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
	double product = (double)(float)a * (double)(float)b, addend = (double)(float)c, sum = product + addend;
	// What the sum has lost, by Knuth's exact addition: if anything, the sum is made odd towards it.
	double back = sum - product, lost = (product - (sum - back)) + (addend - back);
	unsigned long long bits = __builtin_bit_cast(unsigned long long, sum);
	if (lost != 0 && lost == lost && sum - sum == 0 && (bits & 1) == 0)
		sum = __builtin_bit_cast(double, (lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
	return __nv_bfloat16(sum);
}
__WEFT_BD __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
	return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
__WEFT_BD __nv_bfloat16 __hneg(__nv_bfloat16 a) { return __ushort_as_bfloat16(a.__x ^ 0x8000); }
__WEFT_BD __nv_bfloat16 __habs(__nv_bfloat16 a) { return __ushort_as_bfloat16(a.__x & 0x7fff); }
__WEFT_BD __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return __nv_bfloat162(__hneg(a.x), __hneg(a.y)); }
__WEFT_BD __nv_bfloat162 __habs2(__nv_bfloat162 a) { return __nv_bfloat162(__habs(a.x), __habs(a.y)); }
__WEFT_BD bool __hisnan(__nv_bfloat16 a) { return (a.__x & 0x7fff) > 0x7f80; }
__WEFT_BD int __hisinf(__nv_bfloat16 a) { return a.__x == 0x7f80 ? 1 : a.__x == 0xff80 ? -1 : 0; }
#define __WEFT_BC(name, op) \
	__WEFT_BD bool __##name(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a op (float)b; } \
	__WEFT_BD bool operator op(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a op (float)b; }
__WEFT_BC(heq, ==)
__WEFT_BC(hne, !=)
__WEFT_BC(hlt, <)
__WEFT_BC(hle, <=)
__WEFT_BC(hgt, >)
__WEFT_BC(hge, >=)
#define __WEFT_BO(op, name) \
	__WEFT_BD __nv_bfloat16 operator op(__nv_bfloat16 a, __nv_bfloat16 b) { return name(a, b); } \
	__WEFT_BD __nv_bfloat16 &operator op##=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = name(a, b); } \
	__WEFT_BD __nv_bfloat162 operator op(__nv_bfloat162 a, __nv_bfloat162 b) { return name##2(a, b); } \
	__WEFT_BD __nv_bfloat162 &operator op##=(__nv_bfloat162 &a, __nv_bfloat162 b) { return a = name##2(a, b); }
__WEFT_BO(+, __hadd)
__WEFT_BO(-, __hsub)
__WEFT_BO(*, __hmul)
__WEFT_BO(/, __hdiv)
__WEFT_BD __nv_bfloat16 operator-(__nv_bfloat16 a) { return __hneg(a); }
#define __WEFT_BF(name, f) static __device__ __inline__ __nv_bfloat16 name(__nv_bfloat16 a) { return __nv_bfloat16(f((float)a)); }
__WEFT_BF(hsqrt, sqrtf)
__WEFT_BF(hrsqrt, rsqrtf)
__WEFT_BF(hexp, expf)
__WEFT_BF(hexp2, exp2f)
__WEFT_BF(hlog, logf)
__WEFT_BF(hlog2, log2f)
__WEFT_BF(hsin, sinf)
__WEFT_BF(hcos, cosf)
__WEFT_BF(hfloor, floorf)
__WEFT_BF(hceil, ceilf)
__WEFT_BF(htrunc, truncf)
__WEFT_BF(hrint, rintf)

#define __WEFT_BS(name, type) \
	static __device__ __inline__ __nv_bfloat16 name(unsigned mask, __nv_bfloat16 v, type lane, int width = 32) { \
		return __ushort_as_bfloat16((unsigned short)name(mask, (unsigned)v.__x, lane, width)); \
	} \
	static __device__ __inline__ __nv_bfloat162 name(unsigned mask, __nv_bfloat162 v, type lane, int width = 32) { \
		return __builtin_bit_cast(__nv_bfloat162, name(mask, __builtin_bit_cast(unsigned, v), lane, width)); \
	}
__WEFT_BS(__shfl_sync, int)
__WEFT_BS(__shfl_up_sync, unsigned)
__WEFT_BS(__shfl_down_sync, unsigned)
__WEFT_BS(__shfl_xor_sync, int)

// On the word that has the number, as devices without atomics of 16 bits do it.
static __device__ __inline__ __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v) {
	unsigned long long at = (unsigned long long)p;
	unsigned *word = (unsigned *)(at & ~3ull), shift = (unsigned)(at & 2) * 8, old = *(volatile unsigned *)word, seen;
	for (;; old = seen) {
		__nv_bfloat16 before = __ushort_as_bfloat16((unsigned short)(old >> shift));
		seen = atomicCAS(word, old, (old & ~(0xffffu << shift)) | (unsigned)__hadd(before, v).__x << shift);
		if (seen == old)
			return before;
	}
}
static __device__ __inline__ __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v) {
	return __nv_bfloat162(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)); // each half by itself is atomic, as CUDA says
}
#undef __WEFT_BD
#undef __WEFT_B
#undef __WEFT_BC
#undef __WEFT_BO
#undef __WEFT_BF
#undef __WEFT_BS
#pragma pop_macro("__device__")
