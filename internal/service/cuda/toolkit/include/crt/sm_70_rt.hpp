// Matches of any type, which clang's headers expect here, and waiting.
#pragma once
#define __WEFT_MATCH(T, bits, cast) \
	static __device__ __inline__ unsigned __match_any_sync(unsigned mask, T v) { return __match##bits##_any_sync(mask, (cast)v); } \
	static __device__ __inline__ unsigned __match_all_sync(unsigned mask, T v, int *pred) { return __match##bits##_all_sync(mask, (cast)v, pred); }
__WEFT_MATCH(int, 32, unsigned)
__WEFT_MATCH(unsigned, 32, unsigned)
__WEFT_MATCH(long, 64, unsigned long long)
__WEFT_MATCH(unsigned long, 64, unsigned long long)
__WEFT_MATCH(long long, 64, unsigned long long)
__WEFT_MATCH(unsigned long long, 64, unsigned long long)
static __device__ __inline__ unsigned __match_any_sync(unsigned mask, float v) { return __match32_any_sync(mask, __builtin_bit_cast(unsigned, v)); }
static __device__ __inline__ unsigned __match_any_sync(unsigned mask, double v) { return __match64_any_sync(mask, __builtin_bit_cast(unsigned long long, v)); }
static __device__ __inline__ unsigned __match_all_sync(unsigned mask, float v, int *pred) { return __match32_all_sync(mask, __builtin_bit_cast(unsigned, v), pred); }
static __device__ __inline__ unsigned __match_all_sync(unsigned mask, double v, int *pred) { return __match64_all_sync(mask, __builtin_bit_cast(unsigned long long, v), pred); }
static __device__ __inline__ void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" : : "r"(ns)); }
#undef __WEFT_MATCH
