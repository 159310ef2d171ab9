// Copies to shared memory that go on while the thread does, for cuda::barrier, cuda::pipeline, <cuda_pipeline.h> and cooperative groups. Before compute capability 8.0, and where
// the destination is not shared or the source not global memory, a copy is done when the call returns.
#pragma once
#include <cuda/atomic>
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))
namespace cuda {
namespace __weft {
#define __WEFT_COPY static __device__ __inline__
__WEFT_COPY unsigned __shared(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
// The first bytes of size come from memory, the rest are zero.
template <int size> __WEFT_COPY void __copy_piece(void *to, const void *from, unsigned bytes) {
	asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(__shared(to)), "l"(__cvta_generic_to_global(from)), "n"(size), "r"(bytes) : "memory");
}
__WEFT_COPY void __copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// All but the last n groups of the thread have landed.
__WEFT_COPY void __copy_wait(unsigned n) {
#define __WEFT_WAIT(n) \
	case n: asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory"); break;
	switch (n) { // it takes a constant; to wait for more than asked is right
		__WEFT_WAIT(0) __WEFT_WAIT(1) __WEFT_WAIT(2) __WEFT_WAIT(3) __WEFT_WAIT(4) __WEFT_WAIT(5) __WEFT_WAIT(6) __WEFT_WAIT(7)
	default: asm volatile("cp.async.wait_group 8;" ::: "memory");
	}
#undef __WEFT_WAIT
}
#else
template <int size> __WEFT_COPY void __copy_piece(void *to, const void *from, unsigned bytes) {
	for (unsigned i = 0; i < size; i += 4)
		((unsigned *)to)[i / 4] = i < bytes ? ((const unsigned *)from)[i / 4] : 0;
}
__WEFT_COPY void __copy_commit() {}
__WEFT_COPY void __copy_wait(unsigned) {}
#endif

__WEFT_COPY void __copy_bytes(char *to, const char *from, size_t bytes, unsigned rank, unsigned threads) {
	for (size_t i = rank; i < bytes; i += threads)
		to[i] = from[i];
}
template <int size> __WEFT_COPY void __copy_pieces(char *to, const char *from, size_t bytes, unsigned rank, unsigned threads) {
	for (size_t i = (size_t)rank * size; i < bytes; i += (size_t)threads * size)
		__copy_piece<size>(to + i, from + i, size);
}
// The threads of a group, of which rank is this one, copy together, in the largest pieces that addresses and length allow.
__WEFT_COPY void __copy(void *to, const void *from, size_t bytes, unsigned rank, unsigned threads) {
	size_t at = (size_t)to | (size_t)from | bytes;
	if (at & 3 || !__isShared(to) || !__isGlobal(from))
		__copy_bytes((char *)to, (const char *)from, bytes, rank, threads);
	else if (at & 7)
		__copy_pieces<4>((char *)to, (const char *)from, bytes, rank, threads);
	else if (at & 15)
		__copy_pieces<8>((char *)to, (const char *)from, bytes, rank, threads);
	else
		__copy_pieces<16>((char *)to, (const char *)from, bytes, rank, threads);
}
#undef __WEFT_COPY
} // namespace __weft

// A number of bytes that is a multiple of N, as both addresses are.
template <size_t N> struct aligned_size_t {
	size_t value;
	__host__ __device__ explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
	__host__ __device__ constexpr operator size_t() const { return value; }
	static constexpr size_t align = N;
};
} // namespace cuda
#pragma pop_macro("__device__")
