// What the programs of this folder share. BUG is 0, or the number of the fault that is planted.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <vector>
#ifndef BUG
#define BUG 0
#endif

#define TRY(call) \
	do { \
		cudaError_t e = (call); \
		if (e != cudaSuccess) { \
			printf("%s: %s\n", #call, cudaGetErrorString(e)); \
			exit(1); \
		} \
	} while (0)

// Waits for the kernel before it.
#define WAIT() \
	do { \
		TRY(cudaGetLastError()); \
		TRY(cudaDeviceSynchronize()); \
	} while (0)

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			printf("line %d: %s is false\n", __LINE__, #condition); \
			exit(1); \
		} \
	} while (0)

template <class T> T *upload(const std::vector<T> &v) {
	T *p;
	TRY(cudaMalloc(&p, v.size() * sizeof(T)));
	TRY(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
	return p;
}
template <class T> std::vector<T> download(const T *p, size_t n) {
	std::vector<T> v(n);
	TRY(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
	return v;
}
