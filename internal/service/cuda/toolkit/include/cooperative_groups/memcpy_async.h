// Copies to shared memory by all threads of a group; each is a stage, for which the group waits.
#pragma once
#include <cooperative_groups.h>
#include <cuda/__weft_copies.h>
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))
namespace cooperative_groups {
template <class Group, class T, class Size> static __device__ __inline__ void memcpy_async(const Group &group, T *to, const T *from, const Size &bytes) {
	cuda::__weft::__copy(to, from, (size_t)bytes, (unsigned)group.thread_rank(), (unsigned)group.size());
	cuda::__weft::__copy_commit();
}
// Elements of arrays of different lengths: as many as both have.
template <class Group, class T, class N, class M> static __device__ __inline__ void memcpy_async(const Group &group, T *to, const N &room, const T *from, const M &have) {
	memcpy_async(group, to, from, ((size_t)room < (size_t)have ? (size_t)room : (size_t)have) * sizeof(T));
}
// All copies but those of the last stages are there, and all threads of the group see them.
template <unsigned stages, class Group> static __device__ __inline__ void wait_prior(const Group &group) {
	cuda::__weft::__copy_wait(stages);
	group.sync();
}
template <class Group> static __device__ __inline__ void wait(const Group &group) { wait_prior<0>(group); }
} // namespace cooperative_groups
#pragma pop_macro("__device__")
