// Numbers of 16 bits: __half and __half2, on both sides. Arithmetic of the device is that of f16, each operation rounded once.
#pragma once
#include <cuda_runtime.h>
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))

struct __half_raw {
	unsigned short x;
};
struct __attribute__((aligned(2))) __half {
	unsigned short __x;
	__half() = default;
	__host__ __device__ __half(float v) : __x(__builtin_bit_cast(unsigned short, (_Float16)v)) {}
	__host__ __device__ __half(double v) : __half((float)v) {}
	__host__ __device__ __half(int v) : __half((float)v) {}
	__host__ __device__ __half(unsigned v) : __half((float)v) {}
	__host__ __device__ __half(__half_raw v) : __x(v.x) {}
	__host__ __device__ operator float() const { return (float)__builtin_bit_cast(_Float16, __x); }
	__host__ __device__ operator __half_raw() const { return {__x}; }
};
struct __attribute__((aligned(4))) __half2 {
	__half x, y;
	__half2() = default;
	__host__ __device__ __half2(__half a, __half b) : x(a), y(b) {}
};
typedef __half half;
typedef __half2 half2;

#define __WEFT_HD static __host__ __device__ __inline__
__WEFT_HD _Float16 __weft_f16(__half a) { return __builtin_bit_cast(_Float16, a.__x); }
__WEFT_HD __half __weft_half(_Float16 a) { return __half(__half_raw{__builtin_bit_cast(unsigned short, a)}); }

__WEFT_HD __half __float2half(float a) { return __half(a); }
__WEFT_HD __half __float2half_rn(float a) { return __half(a); }
__WEFT_HD __half __double2half(double a) { return __weft_half((_Float16)a); }
__WEFT_HD float __half2float(__half a) { return (float)a; }
__WEFT_HD __half __int2half_rn(int a) { return __half((float)a); }
__WEFT_HD int __half2int_rn(__half a) { return (int)__builtin_rintf((float)a); }
__WEFT_HD int __half2int_rz(__half a) { return (int)(float)a; }
__WEFT_HD unsigned short __half_as_ushort(__half a) { return a.__x; }
__WEFT_HD short __half_as_short(__half a) { return (short)a.__x; }
__WEFT_HD __half __ushort_as_half(unsigned short a) { return __half(__half_raw{a}); }
__WEFT_HD __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
__WEFT_HD __half2 make_half2(__half a, __half b) { return __half2(a, b); }
__WEFT_HD __half2 __half2half2(__half a) { return __half2(a, a); }
__WEFT_HD __half2 __float2half2_rn(float a) { return __half2(a, a); }
__WEFT_HD __half2 __floats2half2_rn(float a, float b) { return __half2(a, b); }
__WEFT_HD __half2 __float22half2_rn(float2 a) { return __half2(a.x, a.y); }
__WEFT_HD float2 __half22float2(__half2 a) { return {(float)a.x, (float)a.y}; }
__WEFT_HD __half __low2half(__half2 a) { return a.x; }
__WEFT_HD __half __high2half(__half2 a) { return a.y; }
__WEFT_HD float __low2float(__half2 a) { return (float)a.x; }
__WEFT_HD float __high2float(__half2 a) { return (float)a.y; }

#define __WEFT_H(name, expression) \
	__WEFT_HD __half __##name(__half a, __half b) { _Float16 x = __weft_f16(a), y = __weft_f16(b); return __weft_half(expression); } \
	__WEFT_HD __half2 __##name##2(__half2 a, __half2 b) { return __half2(__##name(a.x, b.x), __##name(a.y, b.y)); }
__WEFT_H(hadd, x + y)
__WEFT_H(hsub, x - y)
__WEFT_H(hmul, x * y)
__WEFT_H(hdiv, x / y)
__WEFT_H(hmin, x != x ? y : y != y ? x : x < y ? x : y)
__WEFT_H(hmax, x != x ? y : y != y ? x : x > y ? x : y)
__WEFT_HD __half2 __h2div(__half2 a, __half2 b) { return __hdiv2(a, b); }
// One rounding: a product of two of 11 bits, and the sum, are exact enough in double precision.
__WEFT_HD __half __hfma(__half a, __half b, __half c) { return __weft_half((_Float16)((double)(float)a * (double)(float)b + (double)(float)c)); }
__WEFT_HD __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
__WEFT_HD __half __hneg(__half a) { return __ushort_as_half(a.__x ^ 0x8000); }
__WEFT_HD __half __habs(__half a) { return __ushort_as_half(a.__x & 0x7fff); }
__WEFT_HD __half2 __hneg2(__half2 a) { return __half2(__hneg(a.x), __hneg(a.y)); }
#define __WEFT_HC(name, op) \
	__WEFT_HD bool __##name(__half a, __half b) { return __weft_f16(a) op __weft_f16(b); } \
	__WEFT_HD bool operator op(__half a, __half b) { return __weft_f16(a) op __weft_f16(b); }
__WEFT_HC(heq, ==)
__WEFT_HC(hne, !=)
__WEFT_HC(hlt, <)
__WEFT_HC(hle, <=)
__WEFT_HC(hgt, >)
__WEFT_HC(hge, >=)
__WEFT_HD bool __hisnan(__half a) { return (float)a != (float)a; }
#define __WEFT_HO(op, name) \
	__WEFT_HD __half operator op(__half a, __half b) { return name(a, b); } \
	__WEFT_HD __half &operator op##=(__half &a, __half b) { return a = name(a, b); } \
	__WEFT_HD __half2 operator op(__half2 a, __half2 b) { return name##2(a, b); }
__WEFT_HO(+, __hadd)
__WEFT_HO(-, __hsub)
__WEFT_HO(*, __hmul)
__WEFT_HO(/, __hdiv)
__WEFT_HD __half operator-(__half a) { return __hneg(a); }
#define __WEFT_HF(name, f) static __device__ __inline__ __half name(__half a) { return __half(f((float)a)); }
__WEFT_HF(hsqrt, sqrtf)
__WEFT_HF(hrsqrt, rsqrtf)
__WEFT_HF(hexp, expf)
__WEFT_HF(hexp2, exp2f)
__WEFT_HF(hlog, logf)
__WEFT_HF(hlog2, log2f)
__WEFT_HF(hsin, sinf)
__WEFT_HF(hcos, cosf)
__WEFT_HF(hfloor, floorf)
__WEFT_HF(hceil, ceilf)
__WEFT_HF(htrunc, truncf)
__WEFT_HF(hrint, rintf)
#undef __WEFT_HD
#undef __WEFT_H
#undef __WEFT_HC
#undef __WEFT_HO
#undef __WEFT_HF
#pragma pop_macro("__device__")
