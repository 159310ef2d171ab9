// Reductions over a group of threads of a warp.
#pragma once
#include <cooperative_groups.h>
#ifndef __WEFT_CG_REDUCE
#define __WEFT_CG_REDUCE
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))
namespace cooperative_groups {
template <class T> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { __device__ T operator()(T a, T b) const { return a < b ? a : b; } };
template <class T> struct greater { __device__ T operator()(T a, T b) const { return a > b ? a : b; } };
template <class T> struct bit_and { __device__ T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { __device__ T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { __device__ T operator()(T a, T b) const { return a ^ b; } };

template <unsigned N, class P, class T, class Op> static __device__ __inline__ T reduce(const thread_block_tile<N, P> &g, T v, Op op) {
	for (unsigned d = N / 2; d > 0; d /= 2)
		v = op(v, g.shfl_xor(v, d));
	return v;
}
template <class T, class Op> static __device__ __inline__ T reduce(const coalesced_group &g, T v, Op op) {
	T sum = g.shfl(v, 0);
	for (unsigned i = 1; i < g.size(); i++)
		sum = op(sum, g.shfl(v, i));
	return sum;
}
} // namespace cooperative_groups
#pragma pop_macro("__device__")
#endif
