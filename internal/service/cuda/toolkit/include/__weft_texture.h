// Textures of linear memory: an object is the address of its first texel.
#pragma once
template <class T> static __device__ __inline__ T tex1Dfetch(cudaTextureObject_t object, int x) { return ((const T *)object)[x]; }
template <class T> static __device__ __inline__ void tex1Dfetch(T *p, cudaTextureObject_t object, int x) { *p = ((const T *)object)[x]; }
