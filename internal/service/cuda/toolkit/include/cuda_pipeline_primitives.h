// Asynchronous copies of a thread to shared memory, in groups.
#pragma once
#include <cuda/__weft_copies.h>
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))
// size is 4, 8 or 16; the last zfill bytes of it become zero.
static __device__ __inline__ void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zfill = 0) {
	unsigned bytes = (unsigned)(size - zfill);
	if (size == 4)
		cuda::__weft::__copy_piece<4>(to, from, bytes);
	else if (size == 8)
		cuda::__weft::__copy_piece<8>(to, from, bytes);
	else if (size == 16)
		cuda::__weft::__copy_piece<16>(to, from, bytes);
	else
		__builtin_trap();
}
static __device__ __inline__ void __pipeline_commit() { cuda::__weft::__copy_commit(); }
static __device__ __inline__ void __pipeline_wait_prior(size_t groups) { cuda::__weft::__copy_wait((unsigned)groups); }
#pragma pop_macro("__device__")
