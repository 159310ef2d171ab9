// Reductions of the lanes that a mask names, from compute capability 8.0 on. Those of clang 19 pass mask and value to the
// instruction in the wrong order; cuda_runtime.h gives them other names.
#pragma once
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define __WEFT_REDUCE(name, type, operation) \
	static __device__ __inline__ type __reduce_##name##_sync(unsigned mask, type value) { \
		type all; \
		asm volatile("redux.sync." operation " %0, %1, %2;" : "=r"(all) : "r"(value), "r"(mask)); \
		return all; \
	}
__WEFT_REDUCE(add, unsigned, "add.u32")
__WEFT_REDUCE(add, int, "add.s32")
__WEFT_REDUCE(min, unsigned, "min.u32")
__WEFT_REDUCE(min, int, "min.s32")
__WEFT_REDUCE(max, unsigned, "max.u32")
__WEFT_REDUCE(max, int, "max.s32")
__WEFT_REDUCE(and, unsigned, "and.b32")
__WEFT_REDUCE(or, unsigned, "or.b32")
__WEFT_REDUCE(xor, unsigned, "xor.b32")
#undef __WEFT_REDUCE
#endif
