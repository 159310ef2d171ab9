// A program goes on after cudaDeviceReset: kernels and variables are loaded again, and memory is new.
#include "../programs/check.h"

__device__ int counter = 5;

__global__ void count(int *p) { p[threadIdx.x] = atomicAdd(&counter, 1); }
__global__ void say() { printf("said before the reset\n"); }

static int sum(const int *p) {
	int s = 0;
	for (int i = 0; i < 32; i++)
		s += p[i];
	return s;
}

int main() {
	for (int round = 0; round < 3; round++) {
		int *managed, *pinned, *device, value;
		TRY(cudaMallocManaged(&managed, 1 << 20));
		TRY(cudaMallocHost(&pinned, 128));
		TRY(cudaMalloc(&device, 128));
		count<<<1, 32>>>(managed);
		count<<<1, 32>>>(pinned);
		count<<<1, 32>>>(device);
		WAIT();
		CHECK(sum(managed) == 32 * 5 + 31 * 16);
		CHECK(sum(pinned) == 32 * 37 + 31 * 16);
		CHECK(sum(download(device, 32).data()) == 32 * 69 + 31 * 16);
		TRY(cudaMemcpyFromSymbol(&value, counter, sizeof value));
		CHECK(value == 5 + 96);
		say<<<1, 1>>>();
		TRY(cudaDeviceReset());
		CHECK(cudaFree(device) == cudaErrorInvalidValue);
		CHECK(cudaGetLastError() == cudaErrorInvalidValue);
	}
	puts("ok");
}
