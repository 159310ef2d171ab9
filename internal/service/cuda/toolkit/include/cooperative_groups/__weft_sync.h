// The barrier of all blocks of a grid. The last block of a round lets the others go on.
#pragma once
#include <cuda/atomic>
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))
namespace cooperative_groups {
static __device__ unsigned __weft_grid_arrived, __weft_grid_round;

static __device__ __inline__ void __weft_grid_sync(unsigned blocks) {
	__syncthreads();
	if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
		cuda::atomic_ref<unsigned, cuda::thread_scope_device> arrived(__weft_grid_arrived), round(__weft_grid_round);
		unsigned now = round.load(cuda::memory_order_relaxed);
		if (arrived.fetch_add(1, cuda::memory_order_acq_rel) == blocks - 1) {
			arrived.store(0, cuda::memory_order_relaxed);
			round.store(now + 1, cuda::memory_order_release);
		} else {
			while (round.load(cuda::memory_order_acquire) == now) {
			}
		}
	}
	__syncthreads();
}
} // namespace cooperative_groups
#pragma pop_macro("__device__")
