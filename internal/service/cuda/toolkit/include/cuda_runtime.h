// CUDA for programs that weft builds by clang: the runtime API, and everything that is there on a device without an include.
#pragma once
#define __CUDA_RUNTIME_H__ // headers of programs ask whether these are there
#define __CUDA_RUNTIME_API_H__
#ifdef __CUDA__
#include <__clang_cuda_math_forward_declares.h>
#endif
#ifdef __cplusplus
// The C and C++ libraries first, as nvcc includes them for every program.
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmath>
#include <cstdlib>
#include <utility>
#endif
// Files of the host have none of these: headers of programs then bring what the host lacks.
#ifdef __CUDA__
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
// Many programs ask whether nvcc compiles them, and mean whether the compiler knows kernels.
#ifndef __NVCC__
#define __NVCC__ 1
#endif
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#endif
#include <cuda.h>
#include <host_defines.h>
#include <vector_types.h>
#include <vector_functions.h>
#include <driver_types.h>
#include <cuda_runtime_api.h>

#ifdef __CUDA__
// What is inlined from here counts for the line of the program that calls it.
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))
#include <__clang_cuda_builtin_vars.h>
// Its arguments are those between <<< and >>>; the others tell weft where that is.
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0, const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()) __asm__("__weftPushCallConfiguration");
#include <__weft_libdevice.h>
// Of an old CUDA, so that its functions on parts of a word are those of __weft_simd.h, and no instructions that GPUs no longer have.
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 9010
#include <__clang_cuda_device_functions.h>
#pragma pop_macro("CUDA_VERSION")
#include <__clang_cuda_math.h>
#include <__weft_device.h>
#include <__clang_cuda_cmath.h>
#define __reduce_add_sync __weft_clang_reduce_add_sync
#define __reduce_min_sync __weft_clang_reduce_min_sync
#define __reduce_max_sync __weft_clang_reduce_max_sync
#define __reduce_and_sync __weft_clang_reduce_and_sync
#define __reduce_or_sync __weft_clang_reduce_or_sync
#define __reduce_xor_sync __weft_clang_reduce_xor_sync
#include <__clang_cuda_intrinsics.h>
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync
#include <__weft_reduce.h>
#include <__clang_cuda_complex_builtins.h>
#include <__weft_atomics.h>
#include <__weft_cached.h>
#include <__weft_integers.h>
#include <__weft_texture.h>
#include <__weft_image.h>
#pragma pop_macro("__device__")
#endif
#ifdef __cplusplus
#ifdef __CUDA__
#include <__weft_host_math.h>
#endif
#include <__weft_texture.h>
#include <__weft_templates.h>
#endif
