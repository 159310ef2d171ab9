// The atomic functions of CUDA, which order nothing, for a device, a block and the whole system.
#pragma once
#define __WEFT_ATOMIC(suffix, scope, T) \
	static __device__ __inline__ T atomicExch##suffix(T *p, T v) { return __scoped_atomic_exchange_n(p, v, __ATOMIC_RELAXED, scope); } \
	static __device__ __inline__ T atomicCAS##suffix(T *p, T old, T v) { \
		__scoped_atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope); \
		return old; \
	} \
	static __device__ __inline__ T atomicAdd##suffix(T *p, T v) { return __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, scope); } \
	static __device__ __inline__ T atomicMin##suffix(T *p, T v) { return __scoped_atomic_fetch_min(p, v, __ATOMIC_RELAXED, scope); } \
	static __device__ __inline__ T atomicMax##suffix(T *p, T v) { return __scoped_atomic_fetch_max(p, v, __ATOMIC_RELAXED, scope); } \
	static __device__ __inline__ T atomicAnd##suffix(T *p, T v) { return __scoped_atomic_fetch_and(p, v, __ATOMIC_RELAXED, scope); } \
	static __device__ __inline__ T atomicOr##suffix(T *p, T v) { return __scoped_atomic_fetch_or(p, v, __ATOMIC_RELAXED, scope); } \
	static __device__ __inline__ T atomicXor##suffix(T *p, T v) { return __scoped_atomic_fetch_xor(p, v, __ATOMIC_RELAXED, scope); }
#define __WEFT_ATOMICS(suffix, scope, part) \
	__WEFT_ATOMIC(suffix, scope, int) \
	__WEFT_ATOMIC(suffix, scope, unsigned) \
	__WEFT_ATOMIC(suffix, scope, unsigned long long) \
	__WEFT_ATOMIC(suffix, scope, long long) \
	__WEFT_ATOMIC(suffix, scope, unsigned long) \
	static __device__ __inline__ int atomicSub##suffix(int *p, int v) { return atomicAdd##suffix(p, -v); } \
	static __device__ __inline__ unsigned atomicSub##suffix(unsigned *p, unsigned v) { return atomicAdd##suffix(p, -v); } \
	static __device__ __inline__ float atomicAdd##suffix(float *p, float v) { return __nvvm_atom_##part##add_gen_f(p, v); } \
	static __device__ __inline__ double atomicAdd##suffix(double *p, double v) { return __nvvm_atom_##part##add_gen_d(p, v); } \
	static __device__ __inline__ unsigned atomicInc##suffix(unsigned *p, unsigned v) { return __nvvm_atom_##part##inc_gen_ui(p, v); } \
	static __device__ __inline__ unsigned atomicDec##suffix(unsigned *p, unsigned v) { return __nvvm_atom_##part##dec_gen_ui(p, v); } \
	static __device__ __inline__ float atomicExch##suffix(float *p, float v) { \
		return __builtin_bit_cast(float, atomicExch##suffix((unsigned *)p, __builtin_bit_cast(unsigned, v))); \
	}
__WEFT_ATOMICS(, __MEMORY_SCOPE_DEVICE, )
__WEFT_ATOMICS(_block, __MEMORY_SCOPE_WRKGRP, cta_)
__WEFT_ATOMICS(_system, __MEMORY_SCOPE_SYSTEM, sys_)
static __device__ __inline__ unsigned short atomicCAS(unsigned short *p, unsigned short old, unsigned short v) {
	unsigned short r;
	asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(r) : "l"(p), "h"(old), "h"(v) : "memory");
	return r;
}
#undef __WEFT_ATOMIC
#undef __WEFT_ATOMICS
