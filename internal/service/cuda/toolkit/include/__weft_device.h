// What devices have besides mathematics: printf, assert, malloc, the block's index as a dim3, spaces of addresses.
#pragma once
extern "C" {
__device__ int vprintf(const char *format, const char *arguments);
__device__ void free(void *p) __attribute__((nothrow));
__device__ void *malloc(size_t size) __attribute__((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t size) __attribute__((noreturn));
static __device__ __inline__ void __assert_fail(const char *message, const char *file, unsigned line, const char *function) {
	__assertfail(message, file, line, function, sizeof(char));
}
__device__ int printf(const char *, ...);
}
namespace std {
static __device__ __inline__ void free(void *p) { ::free(p); }
static __device__ __inline__ void *malloc(size_t size) { return ::malloc(size); }
}

#define __WEFT_INDEX(kind) \
	__device__ inline __cuda_builtin_##kind##_t::operator dim3() const { return dim3(x, y, z); } \
	__device__ inline __cuda_builtin_##kind##_t::operator uint3() const { return {x, y, z}; }
__WEFT_INDEX(threadIdx)
__WEFT_INDEX(blockIdx)
__WEFT_INDEX(blockDim)
__WEFT_INDEX(gridDim)
#undef __WEFT_INDEX

static __device__ __inline__ unsigned __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
static __device__ __inline__ unsigned __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
static __device__ __inline__ unsigned __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
static __device__ __inline__ unsigned __isLocal(const void *p) { return __nvvm_isspacep_local(p); }

#define __WEFT_ADDRESS(space, n) \
	static __device__ __inline__ size_t __cvta_generic_to_##space(const void *p) { return (size_t)(void __attribute__((address_space(n))) *)p; } \
	static __device__ __inline__ void *__cvta_##space##_to_generic(size_t p) { return (void *)(void __attribute__((address_space(n))) *)p; }
__WEFT_ADDRESS(global, 1)
__WEFT_ADDRESS(shared, 3)
__WEFT_ADDRESS(constant, 4)
__WEFT_ADDRESS(local, 5)
#undef __WEFT_ADDRESS

// The smaller and the larger of two numbers, on both sides. Of int clang's headers have those of devices.
static __host__ __inline__ int min(int a, int b) { return a < b ? a : b; }
static __host__ __inline__ int max(int a, int b) { return a > b ? a : b; }
static __host__ __device__ __inline__ unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
static __host__ __device__ __inline__ unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
static __host__ __device__ __inline__ unsigned min(int a, unsigned b) { return (unsigned)a < (unsigned)b ? (unsigned)a : (unsigned)b; }
static __host__ __device__ __inline__ unsigned max(int a, unsigned b) { return (unsigned)a > (unsigned)b ? (unsigned)a : (unsigned)b; }
static __host__ __device__ __inline__ unsigned min(unsigned a, int b) { return (unsigned)a < (unsigned)b ? (unsigned)a : (unsigned)b; }
static __host__ __device__ __inline__ unsigned max(unsigned a, int b) { return (unsigned)a > (unsigned)b ? (unsigned)a : (unsigned)b; }
static __host__ __device__ __inline__ long min(long a, long b) { return a < b ? a : b; }
static __host__ __device__ __inline__ long max(long a, long b) { return a > b ? a : b; }
static __host__ __device__ __inline__ unsigned long min(unsigned long a, unsigned long b) { return a < b ? a : b; }
static __host__ __device__ __inline__ unsigned long max(unsigned long a, unsigned long b) { return a > b ? a : b; }
static __host__ __device__ __inline__ unsigned long min(long a, unsigned long b) { return (unsigned long)a < (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
static __host__ __device__ __inline__ unsigned long max(long a, unsigned long b) { return (unsigned long)a > (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
static __host__ __device__ __inline__ unsigned long min(unsigned long a, long b) { return (unsigned long)a < (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
static __host__ __device__ __inline__ unsigned long max(unsigned long a, long b) { return (unsigned long)a > (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
static __host__ __device__ __inline__ long long min(long long a, long long b) { return a < b ? a : b; }
static __host__ __device__ __inline__ long long max(long long a, long long b) { return a > b ? a : b; }
static __host__ __device__ __inline__ unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
static __host__ __device__ __inline__ unsigned long long max(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
static __host__ __device__ __inline__ unsigned long long min(long long a, unsigned long long b) { return (unsigned long long)a < (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
static __host__ __device__ __inline__ unsigned long long max(long long a, unsigned long long b) { return (unsigned long long)a > (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
static __host__ __device__ __inline__ unsigned long long min(unsigned long long a, long long b) { return (unsigned long long)a < (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
static __host__ __device__ __inline__ unsigned long long max(unsigned long long a, long long b) { return (unsigned long long)a > (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
static __host__ __device__ __inline__ float min(float a, float b) { return __builtin_fminf(a, b); }
static __host__ __device__ __inline__ float max(float a, float b) { return __builtin_fmaxf(a, b); }
static __host__ __device__ __inline__ double min(double a, double b) { return __builtin_fmin(a, b); }
static __host__ __device__ __inline__ double max(double a, double b) { return __builtin_fmax(a, b); }
static __host__ __device__ __inline__ double min(float a, double b) { return __builtin_fmin(a, b); }
static __host__ __device__ __inline__ double max(float a, double b) { return __builtin_fmax(a, b); }
static __host__ __device__ __inline__ double min(double a, float b) { return __builtin_fmin(a, b); }
static __host__ __device__ __inline__ double max(double a, float b) { return __builtin_fmax(a, b); }

// Overloads for single precision that clang's headers declare and leave to NVIDIA's.
#define __WEFT_OVER(name) static __device__ __inline__ float name(float x) { return name##f(x); }
__WEFT_OVER(acosh) __WEFT_OVER(asinh) __WEFT_OVER(atanh) __WEFT_OVER(cbrt) __WEFT_OVER(erfc) __WEFT_OVER(erf) __WEFT_OVER(exp2)
__WEFT_OVER(expm1) __WEFT_OVER(lgamma) __WEFT_OVER(log1p) __WEFT_OVER(log2) __WEFT_OVER(logb) __WEFT_OVER(nearbyint) __WEFT_OVER(rint)
__WEFT_OVER(round) __WEFT_OVER(tgamma) __WEFT_OVER(trunc)
#undef __WEFT_OVER
#define __WEFT_OVER(name) static __device__ __inline__ float name(float x, float y) { return name##f(x, y); }
__WEFT_OVER(copysign) __WEFT_OVER(fdim) __WEFT_OVER(fmax) __WEFT_OVER(fmin) __WEFT_OVER(hypot) __WEFT_OVER(nextafter) __WEFT_OVER(remainder)
#undef __WEFT_OVER
static __device__ __inline__ float fma(float x, float y, float z) { return fmaf(x, y, z); }
static __device__ __inline__ int ilogb(float x) { return ilogbf(x); }
static __device__ __inline__ long long llrint(float x) { return llrintf(x); }
static __device__ __inline__ long lrint(float x) { return lrintf(x); }
static __device__ __inline__ long long llround(float x) { return llroundf(x); }
static __device__ __inline__ long lround(float x) { return lroundf(x); }
static __device__ __inline__ float scalbn(float x, int n) { return scalbnf(x, n); }
static __device__ __inline__ float scalbln(float x, long n) { return scalblnf(x, n); }
static __device__ __inline__ double nan(const char *) { return __builtin_nan(""); }
static __device__ __inline__ float nanf(const char *) { return __builtin_nanf(""); }

// Overloads for single precision of functions that only devices have.
static __device__ __inline__ float rsqrt(float x) { return rsqrtf(x); }
static __device__ __inline__ float rcbrt(float x) { return rcbrtf(x); }
static __device__ __inline__ float sinpi(float x) { return sinpif(x); }
static __device__ __inline__ float cospi(float x) { return cospif(x); }
static __device__ __inline__ void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }
static __device__ __inline__ void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
static __device__ __inline__ float normcdf(float x) { return normcdff(x); }
static __device__ __inline__ float erfcx(float x) { return erfcxf(x); }
static __device__ __inline__ float exp10(float x) { return exp10f(x); }
static __device__ __inline__ int mulhi(int a, int b) { return __mulhi(a, b); }
