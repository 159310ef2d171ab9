// want: 1 illegal: cudaErrorIllegalAddress, then cudaErrorIllegalAddress
#include <cstdio>
__global__ void wild(int *p) { p[threadIdx.x] = 1; }
int main() {
	wild<<<1, 32>>>((int *)64);
	cudaError_t e = cudaDeviceSynchronize();
	void *p;
	printf("illegal: %s, then %s\n", cudaGetErrorName(e), cudaGetErrorName(cudaMalloc(&p, 4)));
}
