// Cooperative groups: the grid, the cluster, the block, tiles of it, and the threads of a warp that came along together.
#pragma once
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <cooperative_groups/__weft_sync.h>
// What is inlined from here counts for the line of the program that calls it.
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))

namespace cooperative_groups {

#define __WEFT_CG static __device__ __inline__
#define __WEFT_CM __device__ __inline__

__WEFT_CG unsigned __weft_lane() {
	unsigned lane;
	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	return lane;
}
__WEFT_CG unsigned __weft_block_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__WEFT_CG unsigned __weft_block_size() { return blockDim.x * blockDim.y * blockDim.z; }

// The threads of a block.
struct thread_block {
	__WEFT_CM static void sync() { __syncthreads(); }
	__WEFT_CM static unsigned size() { return __weft_block_size(); }
	__WEFT_CM static unsigned num_threads() { return __weft_block_size(); }
	__WEFT_CM static unsigned thread_rank() { return __weft_block_rank(); }
	__WEFT_CM static dim3 group_index() { return blockIdx; }
	__WEFT_CM static dim3 thread_index() { return threadIdx; }
	__WEFT_CM static dim3 group_dim() { return blockDim; }
	__WEFT_CM static dim3 dim_threads() { return blockDim; }
};
__WEFT_CG thread_block this_thread_block() { return thread_block(); }

// The threads of the blocks of a cluster.
struct cluster_group {
	__WEFT_CM static unsigned __weft_rank() { unsigned r; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
	__WEFT_CM static unsigned __weft_size() { unsigned r; asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(r)); return r; }
	__WEFT_CM static unsigned block_rank() { return __weft_rank(); }
	__WEFT_CM static unsigned num_blocks() { return __weft_size(); }
	__WEFT_CM static dim3 block_index() { return dim3(__weft_rank(), 0, 0); }
	__WEFT_CM static dim3 dim_blocks() { return dim3(__weft_size(), 1, 1); }
	__WEFT_CM static unsigned thread_rank() { return block_rank() * __weft_block_size() + __weft_block_rank(); }
	__WEFT_CM static unsigned num_threads() { return num_blocks() * __weft_block_size(); }
	__WEFT_CM static unsigned size() { return num_threads(); }
	__WEFT_CM static dim3 thread_index() { return dim3(block_rank() * blockDim.x + threadIdx.x, threadIdx.y, threadIdx.z); }
	__WEFT_CM static dim3 dim_threads() { return dim3(num_blocks() * blockDim.x, blockDim.y, blockDim.z); }
	struct arrival_token {};
	__WEFT_CM static arrival_token barrier_arrive() { asm volatile("barrier.cluster.arrive;" ::: "memory"); return arrival_token(); }
	__WEFT_CM static void barrier_wait(arrival_token && = arrival_token()) { asm volatile("barrier.cluster.wait;" ::: "memory"); }
	__WEFT_CM static void sync() { barrier_arrive(); barrier_wait(); }
	template <class T> __WEFT_CM static T *map_shared_rank(T *p, int rank) {
		unsigned long long to;
		asm("mapa.u64 %0, %1, %2;" : "=l"(to) : "l"(p), "r"(rank));
		return (T *)to;
	}
	__WEFT_CM static unsigned query_shared_rank(const void *p) {
		unsigned rank;
		asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(p));
		return rank;
	}
};
__WEFT_CG cluster_group this_cluster() { return cluster_group(); }

// The threads of a grid that was launched cooperatively.
struct grid_group {
	__WEFT_CM static bool is_valid() { return true; }
	__WEFT_CM static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
	__WEFT_CM static unsigned long long size() { return num_blocks() * __weft_block_size(); }
	__WEFT_CM static unsigned long long num_threads() { return size(); }
	__WEFT_CM static unsigned long long block_rank() { return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z); }
	__WEFT_CM static unsigned long long thread_rank() { return block_rank() * __weft_block_size() + __weft_block_rank(); }
	__WEFT_CM static dim3 group_dim() { return gridDim; }
	__WEFT_CM static dim3 dim_blocks() { return gridDim; }
	__WEFT_CM static dim3 block_index() { return blockIdx; }
	__WEFT_CM static void sync() { __weft_grid_sync((unsigned)num_blocks()); }
};
__WEFT_CG grid_group this_grid() { return grid_group(); }

// Threads of a warp, by their mask. The rank of a thread is how many threads of the group have lower lanes.
struct __weft_lanes {
	unsigned mask;
	__WEFT_CM unsigned size() const { return __popc(mask); }
	__WEFT_CM unsigned num_threads() const { return __popc(mask); }
	__WEFT_CM unsigned thread_rank() const { return __popc(mask & ((1u << __weft_lane()) - 1)); }
	__WEFT_CM void sync() const { __syncwarp(mask); }
	__WEFT_CM int any(int p) const { return __any_sync(mask, p); }
	__WEFT_CM int all(int p) const { return __all_sync(mask, p); }
	__WEFT_CM unsigned meta_group_rank() const { return 0; }
	__WEFT_CM unsigned meta_group_size() const { return 1; }
	// The lane of the thread with a rank.
	__WEFT_CM unsigned lane_of(unsigned rank) const {
		unsigned left = mask;
		for (; rank > 0; rank--)
			left &= left - 1;
		return __ffs(left) - 1;
	}
	// Bits of lanes as bits of ranks.
	__WEFT_CM unsigned packed(unsigned lanes) const {
		unsigned out = 0, bit = 1;
		for (unsigned left = mask; left; left &= left - 1, bit <<= 1)
			if (lanes & left & -left)
				out |= bit;
		return out;
	}
};
// The shuffles of groups take any type that is copied by its bytes: each of its words is exchanged.
#define __WEFT_WORDS(v, exchange) \
	static_assert(sizeof(T) <= 32, "groups exchange values of at most 32 bytes"); \
	unsigned words[(sizeof(T) + 3) / 4] = {}; \
	__builtin_memcpy(words, &v, sizeof(T)); \
	_Pragma("unroll") for (unsigned &word : words) word = exchange; \
	__builtin_memcpy((void *)&v, words, sizeof(T)); \
	return v;
struct coalesced_group : __weft_lanes {
	__WEFT_CM unsigned ballot(int p) const { return packed(__ballot_sync(mask, p)); }
	template <class T> __WEFT_CM unsigned match_any(T v) const { return packed(__match_any_sync(mask, v)); }
	template <class T> __WEFT_CM T shfl(T v, unsigned rank) const { __WEFT_WORDS(v, __shfl_sync(mask, word, lane_of(rank))) }
	template <class T> __WEFT_CM T shfl_down(T v, unsigned delta) const {
		unsigned to = thread_rank() + delta;
		__WEFT_WORDS(v, __shfl_sync(mask, word, to < size() ? lane_of(to) : __weft_lane()))
	}
	template <class T> __WEFT_CM T shfl_up(T v, unsigned delta) const {
		unsigned rank = thread_rank();
		__WEFT_WORDS(v, __shfl_sync(mask, word, rank >= delta ? lane_of(rank - delta) : __weft_lane()))
	}
};
__WEFT_CG coalesced_group coalesced_threads() {
	coalesced_group g;
	g.mask = __activemask();
	return g;
}

// A part of a block or warp with N threads, a power of two of at most 32.
template <unsigned N, class Parent = void> struct thread_block_tile {
	static_assert(N > 0 && N <= 32 && (N & (N - 1)) == 0, "weft has tiles of 1, 2, 4, 8, 16 and 32 threads");
	__WEFT_CM static unsigned mask() { return N == 32 ? ~0u : ((1u << (N & 31)) - 1) << (__weft_lane() & ~(N - 1)); }
	__WEFT_CM static unsigned size() { return N; }
	__WEFT_CM static unsigned num_threads() { return N; }
	__WEFT_CM static unsigned thread_rank() { return __weft_lane() & (N - 1); }
	__WEFT_CM static unsigned meta_group_rank() { return __weft_block_rank() / N; }
	__WEFT_CM static unsigned meta_group_size() { return (__weft_block_size() + N - 1) / N; }
	__WEFT_CM static void sync() { __syncwarp(mask()); }
	__WEFT_CM static int any(int p) { return __any_sync(mask(), p); }
	__WEFT_CM static int all(int p) { return __all_sync(mask(), p); }
	__WEFT_CM static unsigned ballot(int p) { return __ballot_sync(mask(), p) >> (__weft_lane() & ~(N - 1)); }
	template <class T> __WEFT_CM static unsigned match_any(T v) { return __match_any_sync(mask(), v) >> (__weft_lane() & ~(N - 1)); }
	template <class T> __WEFT_CM static T shfl(T v, int rank) { __WEFT_WORDS(v, __shfl_sync(mask(), word, rank, N)) }
	template <class T> __WEFT_CM static T shfl_up(T v, unsigned delta) { __WEFT_WORDS(v, __shfl_up_sync(mask(), word, delta, N)) }
	template <class T> __WEFT_CM static T shfl_down(T v, unsigned delta) { __WEFT_WORDS(v, __shfl_down_sync(mask(), word, delta, N)) }
	template <class T> __WEFT_CM static T shfl_xor(T v, int lanes) { __WEFT_WORDS(v, __shfl_xor_sync(mask(), word, lanes, N)) }
	thread_block_tile() = default;
	template <class P> __WEFT_CM thread_block_tile(const thread_block_tile<N, P> &) {} // whatever it is a part of
};
template <unsigned N, class P> __WEFT_CG thread_block_tile<N, P> tiled_partition(const P &) { return thread_block_tile<N, P>(); }
__WEFT_CG coalesced_group tiled_partition(const thread_block &, unsigned n) {
	coalesced_group g;
	g.mask = n >= 32 ? ~0u : ((1u << n) - 1) << (__weft_lane() & ~(n - 1));
	return g;
}
// Any group of a block, which a function takes that does not know its kind.
class thread_group {
	unsigned lanes; // 0 for the block
public:
	__WEFT_CM thread_group(const thread_block &) : lanes(0) {}
	__WEFT_CM thread_group(const coalesced_group &g) : lanes(g.mask) {}
	template <unsigned N, class P> __WEFT_CM thread_group(const thread_block_tile<N, P> &g) : lanes(g.mask()) {}
	__WEFT_CM void sync() const {
		if (lanes)
			__syncwarp(lanes);
		else
			__syncthreads();
	}
	__WEFT_CM unsigned size() const { return lanes ? __popc(lanes) : __weft_block_size(); }
	__WEFT_CM unsigned num_threads() const { return size(); }
	__WEFT_CM unsigned thread_rank() const { return lanes ? __popc(lanes & ((1u << __weft_lane()) - 1)) : __weft_block_rank(); }
	__WEFT_CM static bool is_valid() { return true; }
};
// The threads of a group for which a value is the same.
template <class G, class T> __WEFT_CG coalesced_group labeled_partition(const G &g, T label) {
	coalesced_group part;
	part.mask = __match_any_sync(__activemask(), label);
	return part;
}
template <class G> __WEFT_CG coalesced_group binary_partition(const G &g, bool side) {
	coalesced_group part;
	unsigned mine = __activemask(), yes = __ballot_sync(mine, side);
	part.mask = side ? yes : mine & ~yes;
	return part;
}

template <class G> __WEFT_CG void sync(const G &g) { g.sync(); }
template <class G> __WEFT_CG auto thread_rank(const G &g) { return g.thread_rank(); }
template <class G> __WEFT_CG auto group_size(const G &g) { return g.size(); }

#undef __WEFT_WORDS
#undef __WEFT_CG
#undef __WEFT_CM
} // namespace cooperative_groups
#pragma pop_macro("__device__")
#include <cooperative_groups/reduce.h>
