// Two streams with events between them, copies that are not waited for, and their times.
// bug 1: uninitialised on func
// bug 2: use after free on func
#include "check.h"

__global__ void fill(int *p, int n, int v) {
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		p[i] = v + i;
}
__global__ void add(const int *a, const int *b, int *c, int n) {
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		c[i] = a[i] + b[i]; // BUG 1 2
}

int main() {
	const int n = 1000;
	int *a, *b, *c, *host;
	TRY(cudaMalloc(&a, n * sizeof(int)));
	TRY(cudaMalloc(&b, n * sizeof(int)));
	TRY(cudaMalloc(&c, n * sizeof(int)));
	TRY(cudaHostAlloc(&host, n * sizeof(int), cudaHostAllocDefault));
	cudaStream_t one, two;
	cudaEvent_t filled, begin, end;
	TRY(cudaStreamCreate(&one));
	TRY(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
	TRY(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	TRY(cudaEventRecord(begin, one));
	if (BUG != 1)
		fill<<<1, 64, 0, one>>>(a, n, 5);
	fill<<<1, 64, 0, two>>>(b, n, 7);
	TRY(cudaEventRecord(filled, two));
	TRY(cudaStreamWaitEvent(one, filled, 0));
	if (BUG == 2)
		TRY(cudaFree(b));
	add<<<1, 64, 0, one>>>(a, b, c, n);
	TRY(cudaMemcpyAsync(host, c, n * sizeof(int), cudaMemcpyDeviceToHost, one));
	TRY(cudaEventRecord(end, one));
	TRY(cudaStreamSynchronize(one));
	for (int i = 0; i < n; i++)
		CHECK(host[i] == 12 + 2 * i);
	float ms = -1;
	TRY(cudaEventElapsedTime(&ms, begin, end));
	CHECK(ms >= 0);
	CHECK(cudaEventElapsedTime(&ms, begin, filled) == cudaErrorInvalidResourceHandle);
	TRY(cudaStreamDestroy(one));
	TRY(cudaStreamDestroy(two));
	TRY(cudaEventDestroy(begin));
	TRY(cudaFreeHost(host));
	puts("ok");
}
