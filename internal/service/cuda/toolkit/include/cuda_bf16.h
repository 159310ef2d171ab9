// Numbers of 16 bits with the exponent of a float: __nv_bfloat16 and __nv_bfloat162, on both sides. Each operation is computed
// in a wider type and rounded once: float has more than twice the 8 bits of a significand, and two more, so that sums, products,
// quotients and roots that are rounded to a float first come out as if they had not been.
#pragma once
#include <cuda_runtime.h>
#include <__weft_odd.h>
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

struct __nv_bfloat16_raw {
	unsigned short x;
};
struct __attribute__((aligned(2))) __nv_bfloat16 {
	unsigned short __x;
	__nv_bfloat16() = default;
	__host__ __device__ __nv_bfloat16(float v) : __x(__weft_bf16_bits(v)) {}
	__host__ __device__ __nv_bfloat16(double v) : __x(__weft_bf16_bits(__weft_odd_float(v))) {}
	__host__ __device__ __nv_bfloat16(int v) : __nv_bfloat16((double)v) {}
	__host__ __device__ __nv_bfloat16(unsigned v) : __nv_bfloat16((double)v) {}
	__host__ __device__ __nv_bfloat16(__nv_bfloat16_raw v) : __x(v.x) {}
	__host__ __device__ operator float() const { return __weft_bf16_value(__x); }
	__host__ __device__ operator __nv_bfloat16_raw() const { return {__x}; }
};
struct __attribute__((aligned(4))) __nv_bfloat162_raw {
	unsigned short x, y;
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
	__nv_bfloat16 x, y;
	__nv_bfloat162() = default;
	__host__ __device__ __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
	__host__ __device__ __nv_bfloat162(__nv_bfloat162_raw v) : x(__nv_bfloat16_raw{v.x}), y(__nv_bfloat16_raw{v.y}) {}
	__host__ __device__ operator __nv_bfloat162_raw() const { return {x.__x, y.__x}; }
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

__WEFT_BD float __weft_wide(__nv_bfloat16 a) { return (float)a; }
__WEFT_BD __nv_bfloat16 __weft_narrow(float a) { return __nv_bfloat16(a); }
__WEFT_BD __nv_bfloat16 __weft_fma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return __nv_bfloat16(__weft_odd_fma((float)a, (float)b, (float)c)); }
#undef __WEFT_BD
#define __WEFT_T __nv_bfloat16
#define __WEFT_T2 __nv_bfloat162
#define __WEFT_AS(bits) __ushort_as_bfloat16(bits)
#define __WEFT_NAME "bf16"
#define __WEFT_ATOMIC_FROM 900 // the architecture that has atom.add.noftz.bf16
#include <__weft_number16.h>
#pragma pop_macro("__device__")
