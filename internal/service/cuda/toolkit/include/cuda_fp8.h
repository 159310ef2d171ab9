// Numbers of 8 bits on both sides: e4m3 (no infinity, largest 448, bias 7) and e5m2 (largest 57344, bias 15) of the OCP 8-bit floating point specification, rounded to the nearest,
// ties to even. No instruction is used, so that they are the same on every GPU.
#pragma once
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t; // what is too large: none (infinity in e5m2), or the largest number
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#define __WEFT_8 static __host__ __device__ __inline__
// The code of a number: F has P places behind the point and the bias B, and U has its bits. A number is q units of 2^(e - places), where e is its exponent, or the least one of a number
// that is not denormal; its code is q, and 2^places for each exponent above the least. So denormal numbers, and numbers that are rounded up to the next exponent, need no rule of their own.
template <class F, class U, int P, int B> __WEFT_8 __nv_fp8_storage_t __weft_fp8(F x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
	const int places = kind == __NV_E4M3 ? 3 : 2, least = kind == __NV_E4M3 ? -6 : -14;
	const unsigned largest = kind == __NV_E4M3 ? 0x7e : 0x7b;
	U bits = __builtin_bit_cast(U, x), magnitude = bits & ~((U)1 << (sizeof(U) * 8 - 1));
	unsigned sign = (unsigned)(bits >> (sizeof(U) * 8 - 8)) & 0x80, code = 0xff;
	if (x != x)
		return 0x7f;
	int e = (int)(magnitude >> P) - B;
	if (e < 17) {
		if (e < least)
			e = least;
		F q = __builtin_bit_cast(F, magnitude) * __builtin_bit_cast(F, (U)(B + places - e) << P); // exact
		const F whole = (F)((U)1 << P);                                                            // there are no numbers between whole ones from here on
		code = ((unsigned)(e - least) << places) + (unsigned)((q + whole) - whole);
	}
	if (code > largest)
		code = saturate == __NV_SATFINITE ? largest : kind == __NV_E4M3 ? 0x7f : 0x7c;
	return (__nv_fp8_storage_t)(sign | code);
}
// CUDA keeps the sign of what is no number here alone, and has another code of e5m2 for it (seen with CUDA 13 on an H200, on the host and the GPU).
__WEFT_8 __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
	if (x != x)
		return (__nv_fp8_storage_t)((__builtin_signbit(x) ? 0x80 : 0) | (k == __NV_E4M3 ? 0x7f : 0x7e));
	return __weft_fp8<double, unsigned long long, 52, 1023>(x, s, k);
}
__WEFT_8 __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t s, __nv_fp8_interpretation_t k) { return __weft_fp8<float, unsigned, 23, 127>(x, s, k); }
__WEFT_8 __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t k) { return __nv_cvt_float_to_fp8((float)__half(x), s, k); }
__WEFT_8 __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t k) { return __nv_cvt_float_to_fp8((float)__nv_bfloat16(x), s, k); }
#define __WEFT_PAIR8(name, one, type) \
	__WEFT_8 __nv_fp8x2_storage_t name(type x, __nv_saturation_t s, __nv_fp8_interpretation_t k) { return (__nv_fp8x2_storage_t)(one(x.x, s, k) | one(x.y, s, k) << 8); }
__WEFT_8 __nv_fp8_storage_t __weft_fp8_half(unsigned short x, __nv_saturation_t s, __nv_fp8_interpretation_t k) { return __nv_cvt_halfraw_to_fp8(__half_raw{x}, s, k); }
__WEFT_8 __nv_fp8_storage_t __weft_fp8_bf16(unsigned short x, __nv_saturation_t s, __nv_fp8_interpretation_t k) { return __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x}, s, k); }
__WEFT_PAIR8(__nv_cvt_double2_to_fp8x2, __nv_cvt_double_to_fp8, double2)
__WEFT_PAIR8(__nv_cvt_float2_to_fp8x2, __nv_cvt_float_to_fp8, float2)
__WEFT_PAIR8(__nv_cvt_halfraw2_to_fp8x2, __weft_fp8_half, __half2_raw)
__WEFT_PAIR8(__nv_cvt_bfloat16raw2_to_fp8x2, __weft_fp8_bf16, __nv_bfloat162_raw)

// e5m2 are the upper bits of a half; those of e4m3, put where a half has them, are a number that is 2^8 times too small.
__WEFT_8 __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
	if ((x & 0x7f) > (kind == __NV_E4M3 ? 0x7e : 0x7c))
		return {0x7fff};
	if (kind == __NV_E5M2)
		return {(unsigned short)(x << 8)};
	return __half((float)__half(__half_raw{(unsigned short)((x & 0x80) << 8 | (x & 0x7f) << 7)}) * 256);
}
__WEFT_8 __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t k) {
	return {__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, k).x, __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), k).x};
}
// Towards zero; what does not fit is the nearest that does, and what is no number is 0.
template <class I> __WEFT_8 I __weft_fp8_whole(float x, float least, float largest) { return x != x ? (I)0 : x < least ? (I)least : x > largest ? (I)largest : (I)x; }

#define __WEFT_TYPES8(type, kind) \
	struct __nv_fp8_##type { \
		__nv_fp8_storage_t __x; \
		__nv_fp8_##type() = default; \
		__host__ __device__ explicit __nv_fp8_##type(float v) : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, kind)) {} \
		__host__ __device__ explicit __nv_fp8_##type(double v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, kind)) {} \
		__host__ __device__ explicit __nv_fp8_##type(__half v) : __nv_fp8_##type((float)v) {} \
		__host__ __device__ explicit __nv_fp8_##type(__nv_bfloat16 v) : __nv_fp8_##type((float)v) {} \
		__host__ __device__ explicit __nv_fp8_##type(short v) : __nv_fp8_##type((float)v) {} \
		__host__ __device__ explicit __nv_fp8_##type(unsigned short v) : __nv_fp8_##type((float)v) {} \
		__host__ __device__ explicit __nv_fp8_##type(int v) : __nv_fp8_##type((double)v) {} \
		__host__ __device__ explicit __nv_fp8_##type(unsigned v) : __nv_fp8_##type((double)v) {} \
		__host__ __device__ explicit __nv_fp8_##type(long v) : __nv_fp8_##type((double)v) {} \
		__host__ __device__ explicit __nv_fp8_##type(unsigned long v) : __nv_fp8_##type((double)v) {} \
		__host__ __device__ explicit __nv_fp8_##type(long long v) : __nv_fp8_##type((double)v) {} \
		__host__ __device__ explicit __nv_fp8_##type(unsigned long long v) : __nv_fp8_##type((double)v) {} \
		__host__ __device__ explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, kind)); } \
		__host__ __device__ explicit operator float() const { return (float)(__half)*this; } \
		__host__ __device__ explicit operator double() const { return (float)*this; } \
		__host__ __device__ explicit operator __nv_bfloat16() const { return __nv_bfloat16((float)*this); } \
		__host__ __device__ explicit operator bool() const { return (__x & 0x7f) != 0; } \
		__host__ __device__ explicit operator char() const { return (char)(signed char)*this; } \
		__host__ __device__ explicit operator signed char() const { return __weft_fp8_whole<signed char>((float)*this, -128, 127); } \
		__host__ __device__ explicit operator unsigned char() const { return __weft_fp8_whole<unsigned char>((float)*this, 0, 255); } \
		__host__ __device__ explicit operator short() const { return __weft_fp8_whole<short>((float)*this, -32768, 32767); } \
		__host__ __device__ explicit operator unsigned short() const { return __weft_fp8_whole<unsigned short>((float)*this, 0, 65535); } \
		__host__ __device__ explicit operator int() const { return __weft_fp8_whole<int>((float)*this, -0x1p31f, 0x1p30f); } \
		__host__ __device__ explicit operator unsigned() const { return __weft_fp8_whole<unsigned>((float)*this, 0, 0x1p31f); } \
		__host__ __device__ explicit operator long() const { return (int)*this; } \
		__host__ __device__ explicit operator unsigned long() const { return (unsigned)*this; } \
		__host__ __device__ explicit operator long long() const { return (int)*this; } \
		__host__ __device__ explicit operator unsigned long long() const { return (unsigned)*this; } \
	}; \
	struct __attribute__((aligned(2))) __nv_fp8x2_##type { \
		__nv_fp8x2_storage_t __x; \
		__nv_fp8x2_##type() = default; \
		__host__ __device__ explicit __nv_fp8x2_##type(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind)) {} \
		__host__ __device__ explicit __nv_fp8x2_##type(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, kind)) {} \
		__host__ __device__ explicit __nv_fp8x2_##type(__half2 v) : __nv_fp8x2_##type(float2{(float)v.x, (float)v.y}) {} \
		__host__ __device__ explicit __nv_fp8x2_##type(__nv_bfloat162 v) : __nv_fp8x2_##type(float2{(float)v.x, (float)v.y}) {} \
		__host__ __device__ explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind)); } \
		__host__ __device__ explicit operator float2() const { return __half22float2((__half2)*this); } \
	}; \
	struct __attribute__((aligned(4))) __nv_fp8x4_##type { \
		__nv_fp8x4_storage_t __x; \
		__nv_fp8x4_##type() = default; \
		__host__ __device__ explicit __nv_fp8x4_##type(float4 v) \
			: __x(__nv_cvt_float2_to_fp8x2({v.x, v.y}, __NV_SATFINITE, kind) | (unsigned)__nv_cvt_float2_to_fp8x2({v.z, v.w}, __NV_SATFINITE, kind) << 16) {} \
		__host__ __device__ explicit __nv_fp8x4_##type(double4 v) \
			: __x(__nv_cvt_double2_to_fp8x2({v.x, v.y}, __NV_SATFINITE, kind) | (unsigned)__nv_cvt_double2_to_fp8x2({v.z, v.w}, __NV_SATFINITE, kind) << 16) {} \
		__host__ __device__ explicit __nv_fp8x4_##type(__half2 a, __half2 b) : __nv_fp8x4_##type(float4{(float)a.x, (float)a.y, (float)b.x, (float)b.y}) {} \
		__host__ __device__ explicit __nv_fp8x4_##type(__nv_bfloat162 a, __nv_bfloat162 b) : __nv_fp8x4_##type(float4{(float)a.x, (float)a.y, (float)b.x, (float)b.y}) {} \
		__host__ __device__ explicit operator float4() const { \
			__half2 a = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)__x, kind), b = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(__x >> 16), kind); \
			return {(float)a.x, (float)a.y, (float)b.x, (float)b.y}; \
		} \
	};
__WEFT_TYPES8(e4m3, __NV_E4M3)
__WEFT_TYPES8(e5m2, __NV_E5M2)
#undef __WEFT_TYPES8
#undef __WEFT_PAIR8
#undef __WEFT_8
#pragma pop_macro("__device__")
