// Loads and stores that say how caches are to keep what they access (CUDA C++ Programming Guide, "Load Functions Using Cache Hints" and "Store
// Functions Using Cache Hints"), of global memory, for all types of 1, 2, 4, 8 and 16 bytes.
#pragma once
#define __WEFT_CACHED_LOAD(name, hint) \
	template <class T> static __device__ __inline__ T name(const T *p) { \
		static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, #name " loads 1, 2, 4, 8 or 16 bytes"); \
		T v; \
		if constexpr (sizeof(T) == 16) { \
			unsigned long long bits[2]; \
			asm volatile("ld.global." hint ".v2.u64 {%0, %1}, [%2];" : "=l"(bits[0]), "=l"(bits[1]) : "l"(p) : "memory"); \
			__builtin_memcpy(&v, bits, 16); \
		} else if constexpr (sizeof(T) == 8) { \
			unsigned long long bits; \
			asm volatile("ld.global." hint ".u64 %0, [%1];" : "=l"(bits) : "l"(p) : "memory"); \
			__builtin_memcpy(&v, &bits, 8); \
		} else if constexpr (sizeof(T) == 4) { \
			unsigned bits; \
			asm volatile("ld.global." hint ".u32 %0, [%1];" : "=r"(bits) : "l"(p) : "memory"); \
			__builtin_memcpy(&v, &bits, 4); \
		} else if constexpr (sizeof(T) == 2) { \
			unsigned short bits; \
			asm volatile("ld.global." hint ".u16 %0, [%1];" : "=h"(bits) : "l"(p) : "memory"); \
			__builtin_memcpy(&v, &bits, 2); \
		} else { \
			unsigned bits; \
			asm volatile("ld.global." hint ".u8 %0, [%1];" : "=r"(bits) : "l"(p) : "memory"); \
			unsigned char byte = bits; \
			__builtin_memcpy(&v, &byte, 1); \
		} \
		return v; \
	}
#define __WEFT_CACHED_STORE(name, hint) \
	template <class T> static __device__ __inline__ void name(T *p, T v) { \
		static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, #name " stores 1, 2, 4, 8 or 16 bytes"); \
		if constexpr (sizeof(T) == 16) { \
			unsigned long long bits[2]; \
			__builtin_memcpy(bits, &v, 16); \
			asm volatile("st.global." hint ".v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(bits[0]), "l"(bits[1]) : "memory"); \
		} else if constexpr (sizeof(T) == 8) { \
			unsigned long long bits; \
			__builtin_memcpy(&bits, &v, 8); \
			asm volatile("st.global." hint ".u64 [%0], %1;" ::"l"(p), "l"(bits) : "memory"); \
		} else if constexpr (sizeof(T) == 4) { \
			unsigned bits; \
			__builtin_memcpy(&bits, &v, 4); \
			asm volatile("st.global." hint ".u32 [%0], %1;" ::"l"(p), "r"(bits) : "memory"); \
		} else if constexpr (sizeof(T) == 2) { \
			unsigned short bits; \
			__builtin_memcpy(&bits, &v, 2); \
			asm volatile("st.global." hint ".u16 [%0], %1;" ::"l"(p), "h"(bits) : "memory"); \
		} else { \
			unsigned char byte; \
			__builtin_memcpy(&byte, &v, 1); \
			asm volatile("st.global." hint ".u8 [%0], %1;" ::"l"(p), "r"((unsigned)byte) : "memory"); \
		} \
	}
__WEFT_CACHED_LOAD(__ldca, "ca")
__WEFT_CACHED_LOAD(__ldcg, "cg")
__WEFT_CACHED_LOAD(__ldcs, "cs")
__WEFT_CACHED_LOAD(__ldlu, "lu")
__WEFT_CACHED_LOAD(__ldcv, "cv")
__WEFT_CACHED_STORE(__stwb, "wb")
__WEFT_CACHED_STORE(__stcg, "cg")
__WEFT_CACHED_STORE(__stcs, "cs")
__WEFT_CACHED_STORE(__stwt, "wt")
#undef __WEFT_CACHED_LOAD
#undef __WEFT_CACHED_STORE
