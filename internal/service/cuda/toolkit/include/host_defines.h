// The words that mark functions and variables of a device.
#pragma once
#define __HOST_DEFINES_H__ // Thrust and CUB ask whether the words are there
#ifdef __CUDA__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#endif
#if defined(__CUDA__) && defined(__has_attribute)
#if __has_attribute(grid_constant) // since clang 20; others copy such a parameter when its address is taken
#define __grid_constant__ __attribute__((grid_constant))
#endif
#endif
#ifndef __grid_constant__
#define __grid_constant__
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#ifndef __noinline__ // clang takes __noinline__ as a word of CUDA; the C++ library has it in attributes of its own
#ifndef __CUDA__
#define __noinline__
#elif !defined(__has_feature) || !__has_feature(cuda_noinline_keyword)
#define __noinline__ __attribute__((noinline))
#endif
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __thread__ __thread
#define CUDARTAPI
#define CUDART_CB
#define __device_builtin__
#define __cudart_builtin__
