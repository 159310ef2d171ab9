// want: 0 refused: cudaErrorInvalidConfiguration, cudaErrorInvalidValue, cudaErrorCooperativeLaunchTooLarge, cudaSuccess
#include <cstdio>
__global__ void k(int *p) {
	extern __shared__ int s[];
	s[threadIdx.x] = 1;
	*p = s[0];
}
int main() {
	int *p;
	cudaMalloc(&p, 4);
	k<<<1, 2048>>>(p);
	const char *block = cudaGetErrorName(cudaGetLastError());
	k<<<1, 32, 60000>>>(p);
	const char *shared = cudaGetErrorName(cudaGetLastError());
	void *args[] = {&p};
	const char *grid = cudaGetErrorName(cudaLaunchCooperativeKernel((void *)k, 1 << 20, 1024, args, 4096));
	cudaGetLastError();
	cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);
	k<<<1, 32, 60000>>>(p);
	printf("refused: %s, %s, %s, %s\n", block, shared, grid, cudaGetErrorName(cudaDeviceSynchronize()));
}
