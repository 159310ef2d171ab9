// The sum of a vector: by threads that step through it, then by shuffles within each warp, and then over the warps of a block.
// Limited by the bandwidth of memory; the second kernel, with one block, by latency.
// 256 threads; 132, 264 and 528 blocks.
#include "check.h"

__device__ float ofBlock(float sum) {
	__shared__ float warps[8];
	for (int d = 16; d > 0; d /= 2)
		sum += __shfl_down_sync(~0u, sum, d);
	if (threadIdx.x % 32 == 0)
		warps[threadIdx.x / 32] = sum;
	__syncthreads();
	if (threadIdx.x == 0)
		for (int i = 1; i < 8; i++)
			sum += warps[i];
	return sum;
}

__global__ void sums(const float *x, int n, float *partial) {
	float sum = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum += x[i];
	sum = ofBlock(sum);
	if (threadIdx.x == 0)
		partial[blockIdx.x] = sum;
}

__global__ void total(const float *partial, int n, float *result) {
	float sum = 0;
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		sum += partial[i];
	sum = ofBlock(sum);
	if (threadIdx.x == 0)
		*result = sum;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), n = pick(size, 1 << 17, 1 << 21, 1 << 23), blocks = pick(size, 132, 264, 528);
	std::vector<float> x(n);
	double want = 0;
	for (int i = 0; i < n; i++)
		want += x[i] = fraction(i);
	float *d = upload(x), *partial = room<float>(blocks), *result = room<float>(1);
	launches(blocks, [&](dim3 grid) { sums<<<grid, 256>>>(d, n, partial); });
	launches(1, [&](dim3 grid) { total<<<grid, 256>>>(partial, blocks, result); });
	same<double>("sum", 0, download(result, 1)[0], want, 1e-5);
	puts("right");
}
