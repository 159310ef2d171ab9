// Numbers of 16 bits: __half and __half2, on both sides. Arithmetic of the device is that of f16, each operation rounded once.
#pragma once
#include <cuda_runtime.h>
#include <__weft_odd.h>
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
	__host__ __device__ __half(double v) : __x(__builtin_bit_cast(unsigned short, (_Float16)v)) {}
	__host__ __device__ __half(int v) : __half((float)v) {}
	__host__ __device__ __half(unsigned v) : __half((float)v) {}
	__host__ __device__ __half(__half_raw v) : __x(v.x) {}
	__host__ __device__ operator float() const { return (float)__builtin_bit_cast(_Float16, __x); }
	__host__ __device__ operator __half_raw() const { return {__x}; }
};
struct __attribute__((aligned(4))) __half2_raw {
	unsigned short x, y;
};
struct __attribute__((aligned(4))) __half2 {
	__half x, y;
	__half2() = default;
	__host__ __device__ __half2(__half a, __half b) : x(a), y(b) {}
	__host__ __device__ __half2(__half2_raw v) : x(__half_raw{v.x}), y(__half_raw{v.y}) {}
	__host__ __device__ operator __half2_raw() const { return {x.__x, y.__x}; }
};
typedef __half half;
typedef __half2 half2;

#define __WEFT_HD static __host__ __device__ __inline__
__WEFT_HD _Float16 __weft_wide(__half a) { return __builtin_bit_cast(_Float16, a.__x); }
__WEFT_HD __half __weft_narrow(_Float16 a) { return __half(__half_raw{__builtin_bit_cast(unsigned short, a)}); }
// The instruction, where the device has it; else, and on the host, a sum that is rounded twice as if once.
__WEFT_HD __half __weft_fma(__half a, __half b, __half c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
	unsigned short r;
	asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
	return __half(__half_raw{r});
#else
	return __half(__weft_odd_fma((float)a, (float)b, (float)c));
#endif
}

__WEFT_HD __half __float2half(float a) { return __half(a); }
__WEFT_HD __half __float2half_rn(float a) { return __half(a); }
__WEFT_HD __half __double2half(double a) { return __half(a); }
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
__WEFT_HD __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
__WEFT_HD __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
__WEFT_HD __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
__WEFT_HD __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
__WEFT_HD __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
__WEFT_HD __half __short_as_half(short a) { return __ushort_as_half((unsigned short)a); }
__WEFT_HD float __low2float(__half2 a) { return (float)a.x; }
__WEFT_HD float __high2float(__half2 a) { return (float)a.y; }

#undef __WEFT_HD
#define __WEFT_T __half
#define __WEFT_T2 __half2
#define __WEFT_AS(bits) __ushort_as_half(bits)
#define __WEFT_NAME "f16"
#define __WEFT_ATOMIC_FROM 700 // the architecture that has atom.add.noftz.f16
#include <__weft_number16.h>
#pragma pop_macro("__device__")
