// What clang's own CUDA headers ask of NVIDIA's libdevice, under the names that they use.
#pragma once
#include <__weft_math.h>

#define __WEFT_NV static __device__ __inline__ __attribute__((always_inline))

// Arithmetic with a rounding: to nearest, to zero, up, down. LLVM calls the last two rp and rm.
#define __WEFT_ROUNDINGS(f) f(rn, rn) f(rz, rz) f(ru, rp) f(rd, rm)
#define __WEFT_ARITHMETIC(r, l) \
	__WEFT_NV float __nv_fadd_##r(float a, float b) { return __nvvm_add_##l##_f(a, b); } \
	__WEFT_NV float __nv_fsub_##r(float a, float b) { return __nvvm_add_##l##_f(a, -b); } \
	__WEFT_NV float __nv_fmul_##r(float a, float b) { return __nvvm_mul_##l##_f(a, b); } \
	__WEFT_NV float __nv_fdiv_##r(float a, float b) { return __nvvm_div_##l##_f(a, b); } \
	__WEFT_NV float __nv_frcp_##r(float a) { return __nvvm_rcp_##l##_f(a); } \
	__WEFT_NV float __nv_fsqrt_##r(float a) { return __nvvm_sqrt_##l##_f(a); } \
	__WEFT_NV float __nv_fmaf_##r(float a, float b, float c) { return __nvvm_fma_##l##_f(a, b, c); } \
	__WEFT_NV float __nv_fmaf_ieee_##r(float a, float b, float c) { return __nvvm_fma_##l##_f(a, b, c); } \
	__WEFT_NV double __nv_dadd_##r(double a, double b) { return __nvvm_add_##l##_d(a, b); } \
	__WEFT_NV double __nv_dsub_##r(double a, double b) { return __nvvm_add_##l##_d(a, -b); } \
	__WEFT_NV double __nv_dmul_##r(double a, double b) { return __nvvm_mul_##l##_d(a, b); } \
	__WEFT_NV double __nv_ddiv_##r(double a, double b) { return __nvvm_div_##l##_d(a, b); } \
	__WEFT_NV double __nv_drcp_##r(double a) { return __nvvm_rcp_##l##_d(a); } \
	__WEFT_NV double __nv_dsqrt_##r(double a) { return __nvvm_sqrt_##l##_d(a); } \
	__WEFT_NV double __nv_fma_##r(double a, double b, double c) { return __nvvm_fma_##l##_d(a, b, c); } \
	__WEFT_NV float __nv_double2float_##r(double a) { return __nvvm_d2f_##l(a); } \
	__WEFT_NV int __nv_double2int_##r(double a) { return __nvvm_d2i_##l(a); } \
	__WEFT_NV unsigned __nv_double2uint_##r(double a) { return __nvvm_d2ui_##l(a); } \
	__WEFT_NV long long __nv_double2ll_##r(double a) { return __nvvm_d2ll_##l(a); } \
	__WEFT_NV unsigned long long __nv_double2ull_##r(double a) { return __nvvm_d2ull_##l(a); } \
	__WEFT_NV int __nv_float2int_##r(float a) { return __nvvm_f2i_##l(a); } \
	__WEFT_NV unsigned __nv_float2uint_##r(float a) { return __nvvm_f2ui_##l(a); } \
	__WEFT_NV long long __nv_float2ll_##r(float a) { return __nvvm_f2ll_##l(a); } \
	__WEFT_NV unsigned long long __nv_float2ull_##r(float a) { return __nvvm_f2ull_##l(a); } \
	__WEFT_NV float __nv_int2float_##r(int a) { return __nvvm_i2f_##l(a); } \
	__WEFT_NV float __nv_uint2float_##r(unsigned a) { return __nvvm_ui2f_##l(a); } \
	__WEFT_NV float __nv_ll2float_##r(long long a) { return __nvvm_ll2f_##l(a); } \
	__WEFT_NV float __nv_ull2float_##r(unsigned long long a) { return __nvvm_ull2f_##l(a); } \
	__WEFT_NV double __nv_ll2double_##r(long long a) { return __nvvm_ll2d_##l(a); } \
	__WEFT_NV double __nv_ull2double_##r(unsigned long long a) { return __nvvm_ull2d_##l(a); }
__WEFT_ROUNDINGS(__WEFT_ARITHMETIC)
__WEFT_NV double __nv_int2double_rn(int a) { return a; }
__WEFT_NV double __nv_uint2double_rn(unsigned a) { return a; }

// Bits and integers.
__WEFT_NV int __nv_abs(int a) { return a < 0 ? -a : a; }
__WEFT_NV long long __nv_llabs(long long a) { return a < 0 ? -a : a; }
__WEFT_NV int __nv_min(int a, int b) { return a < b ? a : b; }
__WEFT_NV int __nv_max(int a, int b) { return a > b ? a : b; }
__WEFT_NV unsigned __nv_umin(unsigned a, unsigned b) { return a < b ? a : b; }
__WEFT_NV unsigned __nv_umax(unsigned a, unsigned b) { return a > b ? a : b; }
__WEFT_NV long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
__WEFT_NV long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
__WEFT_NV unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
__WEFT_NV unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
__WEFT_NV unsigned __nv_brev(unsigned a) { return __builtin_bitreverse32(a); }
__WEFT_NV unsigned long long __nv_brevll(unsigned long long a) { return __builtin_bitreverse64(a); }
__WEFT_NV int __nv_clz(int a) { return a ? __builtin_clz(a) : 32; }
__WEFT_NV int __nv_clzll(long long a) { return a ? __builtin_clzll(a) : 64; }
__WEFT_NV int __nv_ffs(int a) { return __builtin_ffs(a); }
__WEFT_NV int __nv_ffsll(long long a) { return __builtin_ffsll(a); }
__WEFT_NV int __nv_popc(unsigned a) { return __builtin_popcount(a); }
__WEFT_NV int __nv_popcll(unsigned long long a) { return __builtin_popcountll(a); }
__WEFT_NV unsigned __nv_byte_perm(unsigned a, unsigned b, unsigned c) { return __nvvm_prmt(a, b, c); }
__WEFT_NV int __nv_mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
__WEFT_NV unsigned __nv_umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
__WEFT_NV long long __nv_mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
__WEFT_NV unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b) { return __weft_mulhi(a, b); }
__WEFT_NV int __nv_mul24(int a, int b) { return (int)((long long)((a << 8) >> 8) * ((b << 8) >> 8)); }
__WEFT_NV unsigned __nv_umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
__WEFT_NV int __nv_hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
__WEFT_NV int __nv_rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
__WEFT_NV unsigned __nv_uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
__WEFT_NV unsigned __nv_urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
__WEFT_NV unsigned __nv_sad(int a, int b, unsigned c) { return c + (a < b ? (unsigned)b - a : (unsigned)a - b); }
__WEFT_NV unsigned __nv_usad(unsigned a, unsigned b, unsigned c) { return c + (a < b ? b - a : a - b); }

// Bits of floats.
__WEFT_NV int __nv_float_as_int(float a) { return __builtin_bit_cast(int, a); }
__WEFT_NV unsigned __nv_float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
__WEFT_NV float __nv_int_as_float(int a) { return __builtin_bit_cast(float, a); }
__WEFT_NV float __nv_uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
__WEFT_NV long long __nv_double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
__WEFT_NV double __nv_longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
__WEFT_NV int __nv_double2hiint(double a) { return (int)(__weft_bits(a) >> 32); }
__WEFT_NV int __nv_double2loint(double a) { return (int)__weft_bits(a); }
__WEFT_NV double __nv_hiloint2double(int hi, int lo) { return __weft_double(((unsigned long long)(unsigned)hi << 32) | (unsigned)lo); }

// What one instruction or a few compute, in both precisions: the name in double precision, with f for single.
#define __WEFT_BOTH1(name) \
	__WEFT_NV float __nv_##name##f(float x) { return __builtin_##name##f(x); } \
	__WEFT_NV double __nv_##name(double x) { return __builtin_##name(x); }
#define __WEFT_BOTH2(name) \
	__WEFT_NV float __nv_##name##f(float x, float y) { return __builtin_##name##f(x, y); } \
	__WEFT_NV double __nv_##name(double x, double y) { return __builtin_##name(x, y); }
__WEFT_BOTH1(fabs)
__WEFT_BOTH1(floor)
__WEFT_BOTH1(ceil)
__WEFT_BOTH1(trunc)
__WEFT_BOTH1(rint)
__WEFT_BOTH1(nearbyint)
__WEFT_BOTH2(copysign)
__WEFT_BOTH2(fmin)
__WEFT_BOTH2(fmax)
__WEFT_NV float __nv_sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
__WEFT_NV double __nv_sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
__WEFT_NV float __nv_fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__WEFT_NV double __nv_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
__WEFT_NV float __nv_saturatef(float a) { return __nvvm_saturate_f(a); }
__WEFT_NV int __nv_isnanf(float x) { return x != x; }
__WEFT_NV int __nv_isnand(double x) { return x != x; }
__WEFT_NV int __nv_isinff(float x) { return __builtin_fabsf(x) == __builtin_inff(); }
__WEFT_NV int __nv_isinfd(double x) { return __builtin_fabs(x) == __builtin_inf(); }
__WEFT_NV int __nv_finitef(float x) { return __builtin_fabsf(x) < __builtin_inff(); }
__WEFT_NV int __nv_isfinited(double x) { return __builtin_fabs(x) < __builtin_inf(); }
__WEFT_NV int __nv_signbitf(float x) { return (int)(__weft_bits(x) >> 31); }
__WEFT_NV int __nv_signbitd(double x) { return (int)(__weft_bits(x) >> 63); }

// Approximations of the hardware.
__WEFT_NV float __nv_fast_cosf(float x) { return __nvvm_cos_approx_f(x); }
__WEFT_NV float __nv_fast_sinf(float x) { return __nvvm_sin_approx_f(x); }
__WEFT_NV void __nv_fast_sincosf(float x, float *s, float *c) { *s = __nvvm_sin_approx_f(x), *c = __nvvm_cos_approx_f(x); }
__WEFT_NV float __nv_fast_tanf(float x) { return __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)); }
__WEFT_NV float __nv_fast_log2f(float x) { return __nvvm_lg2_approx_f(x); }
__WEFT_NV float __nv_fast_logf(float x) { return __nvvm_lg2_approx_f(x) * 0x1.62e43p-1f; }
__WEFT_NV float __nv_fast_log10f(float x) { return __nvvm_lg2_approx_f(x) * 0x1.344136p-2f; }
__WEFT_NV float __nv_fast_exp10f(float x) { return __nvvm_ex2_approx_f(x * 0x1.a934fp+1f); }
__WEFT_NV float __nv_fast_expf(float x) { return __nvvm_ex2_approx_f(x * 0x1.715476p+0f); }
__WEFT_NV float __nv_fast_powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
__WEFT_NV float __nv_fast_fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
__WEFT_NV float __nv_frsqrt_rn(float x) { return (float)(1.0 / __builtin_sqrt((double)x)); }

#include <__weft_simd.h>
#include <__weft_functions.h>
