// The other file of main.cu: functions and variables that its kernels use, and a kernel of its own.
#include "../../programs/check.h"
#include "parts.h"

__device__ int calls = 3;
__constant__ float table[4] = {1, 0.5f, 4, 8};
static __device__ int secret = 7; // main.cu has another one

static __device__ int half2(int x) { return x / 2; }
__device__ int half(int x) { return half2(x) + squared(secret); }
__device__ float scaled(float x, int i) {
	atomicAdd(&calls, 1);
	return x * table[i];
}

__global__ void own(int *p) {
	*p = half(10) + calls;
	printf("part %d\n", secret);
}
int launchOwn() {
	int *p, v;
	TRY(cudaMalloc(&p, sizeof *p));
	own<<<1, 1>>>(p);
	WAIT();
	TRY(cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost));
	return v;
}
