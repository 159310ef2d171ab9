// What copies.cu and fresh.cu share.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define TRY(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void chase(const unsigned *p, long lines, long long *parts, unsigned *sink) {
	unsigned v = 0;
	for (int part = 0; part < 8; part++) {
		long long begin = clock64();
		for (long i = lines / 8 * part; i < lines / 8 * (part + 1); i++) {
			unsigned got; // all words are 0
			asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(got) : "l"(p + i * 32 + v) : "memory");
			v += got;
		}
		parts[part] = clock64() - begin;
	}
	*sink = v;
}
