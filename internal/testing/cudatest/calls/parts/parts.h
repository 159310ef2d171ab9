// What the files of a program of several parts share.
#pragma once
extern __device__ int calls;       // of part.cu
extern __constant__ float table[4]; // of part.cu
__device__ float scaled(float x, int i);
__device__ int half(int x);
inline __device__ int squared(int x) { return x * x; } // which both files have
