// Dot products of small integers, and the functions that CUDA names DPX: maxima and minima of sums and of three numbers, also of pairs of
// 16-bit numbers, and limited to 0 and more (relu). The latter are there on both sides.
#pragma once

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610
#define __WEFT_DOT(name, instruction, type, types) \
	static __device__ __inline__ type name(type a, type b, type c) { \
		type sum; \
		asm(instruction "." types "." types " %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c)); \
		return sum; \
	}
#define __WEFT_DOTS(name, instruction, fours, ufours) \
	__WEFT_DOT(name, instruction, int, "s32") \
	__WEFT_DOT(name, instruction, unsigned, "u32") \
	static __device__ __inline__ int name(fours a, char4 b, int c) { return name(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c); } \
	static __device__ __inline__ unsigned name(ufours a, uchar4 b, unsigned c) { return name(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c); }
__WEFT_DOTS(__dp4a, "dp4a", char4, uchar4)
__WEFT_DOTS(__dp2a_lo, "dp2a.lo", short2, ushort2)
__WEFT_DOTS(__dp2a_hi, "dp2a.hi", short2, ushort2)
#undef __WEFT_DOTS
#undef __WEFT_DOT
#endif

#define __WEFT_DPX static __host__ __device__ __inline__
typedef short __weft_shorts __attribute__((ext_vector_type(2)));
typedef unsigned short __weft_ushorts __attribute__((ext_vector_type(2)));
// Numbers as they are, and pairs in a word; sums wrap.
#define __WEFT_OF_s32(x) ((int)(x))
#define __WEFT_OF_u32(x) ((unsigned)(x))
#define __WEFT_OF_s16x2(x) __builtin_bit_cast(__weft_shorts, (unsigned)(x))
#define __WEFT_OF_u16x2(x) __builtin_bit_cast(__weft_ushorts, (unsigned)(x))
#define __WEFT_SUM_s32(a, b) ((int)((unsigned)(a) + (unsigned)(b)))
#define __WEFT_SUM_u32(a, b) ((a) + (b))
#define __WEFT_SUM_s16x2(a, b) __builtin_bit_cast(unsigned, __WEFT_OF_u16x2(a) + __WEFT_OF_u16x2(b))
#define __WEFT_SUM_u16x2 __WEFT_SUM_s16x2

#define __WEFT_EXTREME(type, kind, which) \
	__WEFT_DPX type __weft_##which##_##kind(type a, type b) { return __builtin_bit_cast(type, __builtin_elementwise_##which(__WEFT_OF_##kind(a), __WEFT_OF_##kind(b))); } \
	__WEFT_DPX type __vi##which##3_##kind(type a, type b, type c) { return __weft_##which##_##kind(__weft_##which##_##kind(a, b), c); } \
	__WEFT_DPX type __viadd##which##_##kind(type a, type b, type c) { return __weft_##which##_##kind(__WEFT_SUM_##kind(a, b), c); }
#define __WEFT_EXTREMES(type, kind) __WEFT_EXTREME(type, kind, max) __WEFT_EXTREME(type, kind, min)
__WEFT_EXTREMES(int, s32)
__WEFT_EXTREMES(unsigned, u32)
__WEFT_EXTREMES(unsigned, s16x2)
__WEFT_EXTREMES(unsigned, u16x2)
#undef __WEFT_EXTREMES
#undef __WEFT_EXTREME

#define __WEFT_RELU(type, kind, which) \
	__WEFT_DPX type __vi##which##_##kind##_relu(type a, type b) { return __weft_max_##kind(__weft_##which##_##kind(a, b), 0); } \
	__WEFT_DPX type __vi##which##3_##kind##_relu(type a, type b, type c) { return __weft_max_##kind(__vi##which##3_##kind(a, b, c), 0); } \
	__WEFT_DPX type __viadd##which##_##kind##_relu(type a, type b, type c) { return __weft_max_##kind(__viadd##which##_##kind(a, b, c), 0); }
__WEFT_RELU(int, s32, max)
__WEFT_RELU(int, s32, min)
__WEFT_RELU(unsigned, s16x2, max)
__WEFT_RELU(unsigned, s16x2, min)
#undef __WEFT_RELU

// These also say whether it was the first number, or both were equal.
#define __WEFT_WHICH(type, kind, which, compare) \
	__WEFT_DPX type __vib##which##_##kind(type a, type b, bool *first) { return *first = a compare b, __weft_##which##_##kind(a, b); }
#define __WEFT_WHICH2(kind, which, compare) \
	__WEFT_DPX unsigned __vib##which##_##kind(unsigned a, unsigned b, bool *high, bool *low) { \
		*high = __WEFT_OF_##kind(a)[1] compare __WEFT_OF_##kind(b)[1]; \
		*low = __WEFT_OF_##kind(a)[0] compare __WEFT_OF_##kind(b)[0]; \
		return __weft_##which##_##kind(a, b); \
	}
__WEFT_WHICH(int, s32, max, >=)
__WEFT_WHICH(int, s32, min, <=)
__WEFT_WHICH(unsigned, u32, max, >=)
__WEFT_WHICH(unsigned, u32, min, <=)
__WEFT_WHICH2(s16x2, max, >=)
__WEFT_WHICH2(s16x2, min, <=)
__WEFT_WHICH2(u16x2, max, >=)
__WEFT_WHICH2(u16x2, min, <=)
#undef __WEFT_WHICH2
#undef __WEFT_WHICH
#undef __WEFT_OF_s32
#undef __WEFT_OF_u32
#undef __WEFT_OF_s16x2
#undef __WEFT_OF_u16x2
#undef __WEFT_SUM_s32
#undef __WEFT_SUM_u32
#undef __WEFT_SUM_s16x2
#undef __WEFT_SUM_u16x2
#undef __WEFT_DPX
