// Scans over a group of threads of a warp: each thread gets what its values and those of the ranks before it are together.
#pragma once
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))
namespace cooperative_groups {
template <class G, class T, class Op> static __device__ __inline__ T inclusive_scan(const G &g, T v, Op op) {
	unsigned rank = g.thread_rank();
	for (unsigned d = 1; d < g.size(); d *= 2) {
		T before = g.shfl_up(v, d);
		if (rank >= d)
			v = op(before, v);
	}
	return v;
}
template <class G, class T> static __device__ __inline__ T inclusive_scan(const G &g, T v) { return inclusive_scan(g, v, plus<T>()); }
// The first thread, before which there is none, gets a value of zero bytes.
template <class G, class T, class Op> static __device__ __inline__ T exclusive_scan(const G &g, T v, Op op) {
	T before = g.shfl_up(inclusive_scan(g, v, op), 1);
	return g.thread_rank() == 0 ? T() : before;
}
template <class G, class T> static __device__ __inline__ T exclusive_scan(const G &g, T v) { return exclusive_scan(g, v, plus<T>()); }
} // namespace cooperative_groups
#pragma pop_macro("__device__")
