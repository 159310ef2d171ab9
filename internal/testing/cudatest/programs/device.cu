// What a program asks of the device before it launches: properties, attributes, occupancy.
#include "check.h"

__global__ void k(float *x, int n) {
	extern __shared__ float s[];
	s[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x] * n;
}

int main() {
	int count, sms, blocks, grid, block, warp;
	cudaDeviceProp p;
	cudaFuncAttributes a;
	size_t free, total, later;
	TRY(cudaGetDeviceCount(&count));
	TRY(cudaGetDeviceProperties(&p, 0));
	TRY(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	TRY(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0));
	CHECK(count == 1 && sms == p.multiProcessorCount && warp == 32 && p.totalGlobalMem > 0 && p.major >= 3);
	TRY(cudaFuncGetAttributes(&a, k));
	CHECK(a.sharedSizeBytes == 0 && a.maxThreadsPerBlock == 1024 && a.numRegs > 0);
	TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, 128, 4096));
	CHECK(blocks > 0 && blocks * 128 <= p.maxThreadsPerMultiProcessor && blocks * 4096 <= (int)p.sharedMemPerMultiprocessor);
	TRY(cudaOccupancyMaxPotentialBlockSize(&grid, &block, k));
	CHECK(grid >= sms && block % 32 == 0);
	TRY(cudaMemGetInfo(&free, &total));
	float *x;
	TRY(cudaMalloc(&x, 1 << 20));
	TRY(cudaMemGetInfo(&later, &total));
	CHECK(0 < free && free <= total && 0 < later && later <= total); // a driver takes memory in pieces of its own
	cudaPointerAttributes at;
	TRY(cudaPointerGetAttributes(&at, x + 5));
	CHECK(at.type == cudaMemoryTypeDevice && at.device == 0);
	TRY(cudaPointerGetAttributes(&at, &p));
	CHECK(at.type == cudaMemoryTypeUnregistered);
	std::vector<float> v(64);
	for (int i = 0; i < 64; i++)
		v[i] = i;
	TRY(cudaMemcpy(x, v.data(), 256, cudaMemcpyDefault));
	k<<<1, 64, 64 * sizeof(float)>>>(x, 2);
	WAIT();
	CHECK(download(x, 64)[0] == 126 && download(x, 64)[63] == 0);
	TRY(cudaDeviceReset());
	puts("ok");
}
