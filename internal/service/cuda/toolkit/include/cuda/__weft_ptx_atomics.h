// The atomic operations of PTX by scope and order, as the mapping of C++'s orders to PTX prescribes: what is sequentially
// consistent is an acquire operation (a store: a relaxed one) behind fence.sc.
#pragma once
#include <cuda_runtime.h>

// What is inlined from here counts for the line of the program that calls it.
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))
namespace cuda {
namespace __weft {

enum __order { __relaxed, __consume, __acquire, __release, __acq_rel, __seq_cst };

template <int size> struct __bits;
template <> struct __bits<1> { typedef unsigned char type; };
template <> struct __bits<2> { typedef unsigned short type; };
template <> struct __bits<4> { typedef unsigned type; };
template <> struct __bits<8> { typedef unsigned long long type; };

#ifdef __CUDA__
#define __WEFT_D static __device__ __inline__

#define __WEFT_LOAD(scope, T, t, c, R) \
	__WEFT_D T load(const T *p, int order) { \
		R r; \
		if (order == __seq_cst) \
			asm volatile("fence.sc." scope ";" : : : "memory"); \
		if (order == __relaxed) \
			asm volatile("ld.relaxed." scope "." t " %0, [%1];" : "=" c(r) : "l"(p) : "memory"); \
		else \
			asm volatile("ld.acquire." scope "." t " %0, [%1];" : "=" c(r) : "l"(p) : "memory"); \
		return (T)r; \
	}
#define __WEFT_STORE(scope, T, t, c, R) \
	__WEFT_D void store(T *p, T v, int order) { \
		if (order == __seq_cst) \
			asm volatile("fence.sc." scope ";" : : : "memory"); \
		if (order == __release || order == __acq_rel) \
			asm volatile("st.release." scope "." t " [%0], %1;" : : "l"(p), c((R)v) : "memory"); \
		else \
			asm volatile("st.relaxed." scope "." t " [%0], %1;" : : "l"(p), c((R)v) : "memory"); \
	}
#define __WEFT_RMW(scope, name, op, T, t, c) \
	__WEFT_D T name(T *p, T v, int order) { \
		T r; \
		if (order == __seq_cst) \
			asm volatile("fence.sc." scope ";" : : : "memory"); \
		if (order == __relaxed) \
			asm volatile("atom.relaxed." scope "." op "." t " %0, [%1], %2;" : "=" c(r) : "l"(p), c(v) : "memory"); \
		else if (order == __release) \
			asm volatile("atom.release." scope "." op "." t " %0, [%1], %2;" : "=" c(r) : "l"(p), c(v) : "memory"); \
		else if (order == __acq_rel) \
			asm volatile("atom.acq_rel." scope "." op "." t " %0, [%1], %2;" : "=" c(r) : "l"(p), c(v) : "memory"); \
		else \
			asm volatile("atom.acquire." scope "." op "." t " %0, [%1], %2;" : "=" c(r) : "l"(p), c(v) : "memory"); \
		return r; \
	}
#define __WEFT_CAS(scope, T, t, c) \
	__WEFT_D T cas(T *p, T old, T v, int order) { \
		T r; \
		if (order == __seq_cst) \
			asm volatile("fence.sc." scope ";" : : : "memory"); \
		if (order == __relaxed) \
			asm volatile("atom.relaxed." scope ".cas." t " %0, [%1], %2, %3;" : "=" c(r) : "l"(p), c(old), c(v) : "memory"); \
		else if (order == __release) \
			asm volatile("atom.release." scope ".cas." t " %0, [%1], %2, %3;" : "=" c(r) : "l"(p), c(old), c(v) : "memory"); \
		else if (order == __acq_rel) \
			asm volatile("atom.acq_rel." scope ".cas." t " %0, [%1], %2, %3;" : "=" c(r) : "l"(p), c(old), c(v) : "memory"); \
		else \
			asm volatile("atom.acquire." scope ".cas." t " %0, [%1], %2, %3;" : "=" c(r) : "l"(p), c(old), c(v) : "memory"); \
		return r; \
	}
#define __WEFT_SCOPE(name, scope) \
	struct name { \
		__WEFT_D void fence(int order) { \
			if (order == __seq_cst) \
				asm volatile("fence.sc." scope ";" : : : "memory"); \
			else if (order != __relaxed) \
				asm volatile("fence.acq_rel." scope ";" : : : "memory"); \
		} \
		__WEFT_LOAD(scope, unsigned char, "u8", "h", unsigned short) \
		__WEFT_LOAD(scope, unsigned short, "u16", "h", unsigned short) \
		__WEFT_LOAD(scope, unsigned, "u32", "r", unsigned) \
		__WEFT_LOAD(scope, unsigned long long, "u64", "l", unsigned long long) \
		__WEFT_STORE(scope, unsigned char, "u8", "h", unsigned short) \
		__WEFT_STORE(scope, unsigned short, "u16", "h", unsigned short) \
		__WEFT_STORE(scope, unsigned, "u32", "r", unsigned) \
		__WEFT_STORE(scope, unsigned long long, "u64", "l", unsigned long long) \
		__WEFT_RMW(scope, exchange, "exch", unsigned, "b32", "r") \
		__WEFT_RMW(scope, exchange, "exch", unsigned long long, "b64", "l") \
		__WEFT_CAS(scope, unsigned, "b32", "r") \
		__WEFT_CAS(scope, unsigned long long, "b64", "l") \
		__WEFT_RMW(scope, add, "add", unsigned, "u32", "r") \
		__WEFT_RMW(scope, add, "add", unsigned long long, "u64", "l") \
		__WEFT_RMW(scope, add, "add", float, "f32", "f") \
		__WEFT_RMW(scope, add, "add", double, "f64", "d") \
		__WEFT_RMW(scope, least, "min", int, "s32", "r") \
		__WEFT_RMW(scope, least, "min", unsigned, "u32", "r") \
		__WEFT_RMW(scope, least, "min", long long, "s64", "l") \
		__WEFT_RMW(scope, least, "min", unsigned long long, "u64", "l") \
		__WEFT_RMW(scope, most, "max", int, "s32", "r") \
		__WEFT_RMW(scope, most, "max", unsigned, "u32", "r") \
		__WEFT_RMW(scope, most, "max", long long, "s64", "l") \
		__WEFT_RMW(scope, most, "max", unsigned long long, "u64", "l") \
		__WEFT_RMW(scope, both, "and", unsigned, "b32", "r") \
		__WEFT_RMW(scope, both, "and", unsigned long long, "b64", "l") \
		__WEFT_RMW(scope, either, "or", unsigned, "b32", "r") \
		__WEFT_RMW(scope, either, "or", unsigned long long, "b64", "l") \
		__WEFT_RMW(scope, differ, "xor", unsigned, "b32", "r") \
		__WEFT_RMW(scope, differ, "xor", unsigned long long, "b64", "l") \
	};
__WEFT_SCOPE(__system, "sys")
__WEFT_SCOPE(__device, "gpu")
__WEFT_SCOPE(__block, "cta")
template <int scope> struct __ptx : __system {};
template <> struct __ptx<1> : __device {};
template <> struct __ptx<2> : __block {};
#undef __WEFT_SCOPE
#undef __WEFT_CAS
#undef __WEFT_RMW
#undef __WEFT_STORE
#undef __WEFT_LOAD
#undef __WEFT_D
#endif

} // namespace __weft
} // namespace cuda
#pragma pop_macro("__device__")
