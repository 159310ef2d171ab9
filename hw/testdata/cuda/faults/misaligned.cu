// want: 1 misaligned: cudaErrorMisalignedAddress
#include <cstdio>
__global__ void odd(char *p) { *(volatile int *)(p + 1 + threadIdx.x) = 1; }
int main() {
	char *p;
	cudaMalloc(&p, 64);
	odd<<<1, 1>>>(p);
	printf("misaligned: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
