// Kernels for weft launch: constants, dynamic shared memory, three dimensions, printf.
#include <cstdio>
__constant__ float factors[4] = {1, 2, 4, 8};
__device__ unsigned long long calls;

__global__ void scale(const float *in, float *out, int n) {
	extern __shared__ float room[];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	room[threadIdx.x] = i < n ? in[i] * factors[i % 4] : 0;
	__syncthreads();
	if (i < n)
		out[i] = room[threadIdx.x] + room[(threadIdx.x + 1) % blockDim.x];
	atomicAdd(&calls, 1ull);
}

__global__ void corners(int *out) {
	int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
	int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
	out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] = block * 1000 + thread;
}

__global__ void histogram(const unsigned *in, unsigned *bins, int n) {
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&bins[in[i] % 32], 1u);
}

__global__ void say(int n) {
	if (threadIdx.x == 0)
		printf("%d threads\n", n);
}
