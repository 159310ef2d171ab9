// What numbers of 16 bits have in common, on both sides. cuda_fp16.h and cuda_bf16.h include it, each for its own type, after
// these definitions:
//
//	__WEFT_T, __WEFT_T2   the type, and that of a pair of it
//	__WEFT_AS(bits)       the number of some bits
//	__weft_wide(number)   the number in the type in which an operation is computed, to be rounded once
//	__weft_fma(a, b, c)   a * b + c, rounded once
//	__weft_narrow(wide)   the number nearest to one of that type; constructors are as exact for a float and a double
#define __WEFT_HD static __host__ __device__ __inline__
#define __WEFT_PAIR(name) \
	__WEFT_HD __WEFT_T2 name##2(__WEFT_T2 a, __WEFT_T2 b) { return __WEFT_T2(name(a.x, b.x), name(a.y, b.y)); }
#define __WEFT_BINARY(name, expression) \
	__WEFT_HD __WEFT_T name(__WEFT_T a, __WEFT_T b) { auto x = __weft_wide(a), y = __weft_wide(b); return __weft_narrow(expression); } \
	__WEFT_PAIR(name)
__WEFT_BINARY(__hadd, x + y)
__WEFT_BINARY(__hsub, x - y)
__WEFT_BINARY(__hmul, x * y)
__WEFT_HD __WEFT_T __hdiv(__WEFT_T a, __WEFT_T b) { return __weft_narrow(__weft_wide(a) / __weft_wide(b)); }
__WEFT_HD __WEFT_T2 __h2div(__WEFT_T2 a, __WEFT_T2 b) { return __WEFT_T2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }

__WEFT_HD __WEFT_T __hneg(__WEFT_T a) { return __WEFT_AS(a.__x ^ 0x8000); }
__WEFT_HD __WEFT_T __habs(__WEFT_T a) { return __WEFT_AS(a.__x & 0x7fff); }
__WEFT_HD __WEFT_T2 __hneg2(__WEFT_T2 a) { return __WEFT_T2(__hneg(a.x), __hneg(a.y)); }
__WEFT_HD __WEFT_T2 __habs2(__WEFT_T2 a) { return __WEFT_T2(__habs(a.x), __habs(a.y)); }
__WEFT_HD bool __hisnan(__WEFT_T a) { return (float)a != (float)a; }
__WEFT_HD int __hisinf(__WEFT_T a) { return __builtin_isinf((float)a) ? a.__x >> 15 ? -1 : 1 : 0; }

// A number wins over what is none, and +0 is greater than -0.
__WEFT_HD __WEFT_T __hmin(__WEFT_T a, __WEFT_T b) {
	float x = (float)a, y = (float)b;
	return __hisnan(a) ? b : __hisnan(b) || x < y || (x == y && a.__x >> 15) ? a : b;
}
__WEFT_HD __WEFT_T __hmax(__WEFT_T a, __WEFT_T b) {
	float x = (float)a, y = (float)b;
	return __hisnan(a) ? b : __hisnan(b) || x > y || (x == y && !(a.__x >> 15)) ? a : b;
}
__WEFT_PAIR(__hmin)
__WEFT_PAIR(__hmax)

__WEFT_HD __WEFT_T __hfma(__WEFT_T a, __WEFT_T b, __WEFT_T c) { return __weft_fma(a, b, c); }
__WEFT_HD __WEFT_T2 __hfma2(__WEFT_T2 a, __WEFT_T2 b, __WEFT_T2 c) { return __WEFT_T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }

#define __WEFT_COMPARE(name, op) \
	__WEFT_HD bool name(__WEFT_T a, __WEFT_T b) { return (float)a op (float)b; } \
	__WEFT_HD bool operator op(__WEFT_T a, __WEFT_T b) { return (float)a op (float)b; }
__WEFT_COMPARE(__heq, ==)
__WEFT_COMPARE(__hne, !=)
__WEFT_COMPARE(__hlt, <)
__WEFT_COMPARE(__hle, <=)
__WEFT_COMPARE(__hgt, >)
__WEFT_COMPARE(__hge, >=)

// Pairs: 1 where it holds and 0 else, or whether it holds of both.
#define __WEFT_COMPARE2(name) \
	__WEFT_HD __WEFT_T2 __h##name##2(__WEFT_T2 a, __WEFT_T2 b) { return __WEFT_T2(__WEFT_T(__h##name(a.x, b.x) ? 1.f : 0.f), __WEFT_T(__h##name(a.y, b.y) ? 1.f : 0.f)); } \
	__WEFT_HD bool __hb##name##2(__WEFT_T2 a, __WEFT_T2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
__WEFT_COMPARE2(eq)
__WEFT_COMPARE2(ne)
__WEFT_COMPARE2(lt)
__WEFT_COMPARE2(le)
__WEFT_COMPARE2(gt)
__WEFT_COMPARE2(ge)

// Kept within 0 and 1; what is no number becomes 0.
__WEFT_HD __WEFT_T __weft_saturate(__WEFT_T a) { return (float)a > 0 ? (float)a < 1 ? a : __WEFT_T(1.f) : __WEFT_T(0.f); }
__WEFT_HD __WEFT_T __hadd_sat(__WEFT_T a, __WEFT_T b) { return __weft_saturate(__hadd(a, b)); }
__WEFT_HD __WEFT_T __hsub_sat(__WEFT_T a, __WEFT_T b) { return __weft_saturate(__hsub(a, b)); }
__WEFT_HD __WEFT_T __hmul_sat(__WEFT_T a, __WEFT_T b) { return __weft_saturate(__hmul(a, b)); }
__WEFT_HD __WEFT_T __hfma_sat(__WEFT_T a, __WEFT_T b, __WEFT_T c) { return __weft_saturate(__hfma(a, b, c)); }
__WEFT_HD __WEFT_T __hfma_relu(__WEFT_T a, __WEFT_T b, __WEFT_T c) { __WEFT_T r = __hfma(a, b, c); return (float)r < 0 ? __WEFT_T(0.f) : r; }

#define __WEFT_OPERATOR(op, name, pair) \
	__WEFT_HD __WEFT_T operator op(__WEFT_T a, __WEFT_T b) { return name(a, b); } \
	__WEFT_HD __WEFT_T &operator op##=(__WEFT_T &a, __WEFT_T b) { return a = name(a, b); } \
	__WEFT_HD __WEFT_T2 operator op(__WEFT_T2 a, __WEFT_T2 b) { return pair(a, b); } \
	__WEFT_HD __WEFT_T2 &operator op##=(__WEFT_T2 &a, __WEFT_T2 b) { return a = pair(a, b); }
__WEFT_OPERATOR(+, __hadd, __hadd2)
__WEFT_OPERATOR(-, __hsub, __hsub2)
__WEFT_OPERATOR(*, __hmul, __hmul2)
__WEFT_OPERATOR(/, __hdiv, __h2div)
__WEFT_HD __WEFT_T operator-(__WEFT_T a) { return __hneg(a); }
__WEFT_HD __WEFT_T2 operator-(__WEFT_T2 a) { return __hneg2(a); }

#define __WEFT_FUNCTION(name, f) \
	static __device__ __inline__ __WEFT_T h##name(__WEFT_T a) { return __WEFT_T(f((float)a)); } \
	static __device__ __inline__ __WEFT_T2 h2##name(__WEFT_T2 a) { return __WEFT_T2(h##name(a.x), h##name(a.y)); }
__WEFT_FUNCTION(sqrt, sqrtf)
__WEFT_FUNCTION(rsqrt, rsqrtf)
__WEFT_FUNCTION(exp, expf)
__WEFT_FUNCTION(exp2, exp2f)
__WEFT_FUNCTION(log, logf)
__WEFT_FUNCTION(log2, log2f)
__WEFT_FUNCTION(exp10, exp10f)
__WEFT_FUNCTION(log10, log10f)
__WEFT_FUNCTION(rcp, 1 / )
__WEFT_FUNCTION(tanh, tanhf)
__WEFT_FUNCTION(sin, sinf)
__WEFT_FUNCTION(cos, cosf)
__WEFT_FUNCTION(floor, floorf)
__WEFT_FUNCTION(ceil, ceilf)
__WEFT_FUNCTION(trunc, truncf)
__WEFT_FUNCTION(rint, rintf)

#define __WEFT_SHUFFLE(name, type) \
	static __device__ __inline__ __WEFT_T name(unsigned mask, __WEFT_T v, type lane, int width = 32) { \
		return __WEFT_AS((unsigned short)name(mask, (unsigned)v.__x, lane, width)); \
	} \
	static __device__ __inline__ __WEFT_T2 name(unsigned mask, __WEFT_T2 v, type lane, int width = 32) { \
		return __builtin_bit_cast(__WEFT_T2, name(mask, __builtin_bit_cast(unsigned, v), lane, width)); \
	}
__WEFT_SHUFFLE(__shfl_sync, int)
__WEFT_SHUFFLE(__shfl_up_sync, unsigned)
__WEFT_SHUFFLE(__shfl_down_sync, unsigned)
__WEFT_SHUFFLE(__shfl_xor_sync, int)

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= __WEFT_ATOMIC_FROM
static __device__ __inline__ __WEFT_T atomicAdd(__WEFT_T *p, __WEFT_T v) {
	unsigned short r;
	asm volatile("atom.add.noftz." __WEFT_NAME " %0, [%1], %2;" : "=h"(r) : "l"(p), "h"(v.__x) : "memory");
	return __WEFT_AS(r);
}
static __device__ __inline__ __WEFT_T2 atomicAdd(__WEFT_T2 *p, __WEFT_T2 v) {
	unsigned r;
	asm volatile("atom.add.noftz." __WEFT_NAME "x2 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(__builtin_bit_cast(unsigned, v)) : "memory");
	return __builtin_bit_cast(__WEFT_T2, r);
}
#else
static __device__ __inline__ __WEFT_T atomicAdd(__WEFT_T *p, __WEFT_T v) {
#if __CUDA_ARCH__ >= 700
	unsigned short *bits = &p->__x, old = *(volatile unsigned short *)bits, seen;
	for (;; old = seen) {
		__WEFT_T before = __WEFT_AS(old);
		seen = atomicCAS(bits, old, __hadd(before, v).__x);
		if (seen == old)
			return before;
	}
#else
	// On the word that has the number, as devices without atomics of 16 bits do it.
	unsigned long long at = (unsigned long long)p;
	unsigned *word = (unsigned *)(at & ~3ull), shift = (unsigned)(at & 2) * 8, old = *(volatile unsigned *)word, seen;
	for (;; old = seen) {
		__WEFT_T before = __WEFT_AS((unsigned short)(old >> shift));
		seen = atomicCAS(word, old, (old & ~(0xffffu << shift)) | (unsigned)__hadd(before, v).__x << shift);
		if (seen == old)
			return before;
	}
#endif
}
// Each half by itself is atomic, as CUDA says.
static __device__ __inline__ __WEFT_T2 atomicAdd(__WEFT_T2 *p, __WEFT_T2 v) { return __WEFT_T2(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)); }
#endif
#undef __WEFT_HD
#undef __WEFT_PAIR
#undef __WEFT_BINARY
#undef __WEFT_COMPARE
#undef __WEFT_COMPARE2
#undef __WEFT_OPERATOR
#undef __WEFT_FUNCTION
#undef __WEFT_SHUFFLE
#undef __WEFT_T
#undef __WEFT_T2
#undef __WEFT_AS
#undef __WEFT_NAME
#undef __WEFT_ATOMIC_FROM
