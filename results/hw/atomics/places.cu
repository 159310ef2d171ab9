// Which lines of a buffer share a unit of the L2 that performs atomics: half of all warps add to the words of one line, and the others to those of another one. Both take as
// long as one line of all warps if one unit serves both, and half as long if not. Prints a line for each pair: the first line, how many lines later the second one is, and the
// time in proportion to that of all warps on the first line.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define TRY(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void add(unsigned *p, unsigned first, unsigned second, int times) {
	unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	unsigned *mine = p + (warp % 2 ? second : first) * 32 + threadIdx.x % 32;
	for (int k = 0; k < times; k++)
		atomicAdd(mine, 1);
}

int main(int argc, char **argv) {
	unsigned *p;
	TRY(cudaMalloc(&p, 64 << 20));
	TRY(cudaMemset(p, 0, 64 << 20));
	cudaEvent_t begin, end;
	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	int blocks = argc > 1 ? 8 : 132, times = argc > 1 ? 16 : 24;
	auto us = [&](unsigned first, unsigned second) {
		float best = 1e9;
		for (int i = 0; i < (argc > 1 ? 1 : 3); i++) {
			float t;
			TRY(cudaEventRecord(begin));
			add<<<blocks, 256>>>(p, first, second, times);
			TRY(cudaEventRecord(end));
			TRY(cudaEventSynchronize(end));
			TRY(cudaEventElapsedTime(&t, begin, end));
			best = min(best, t);
		}
		return best;
	};
	us(0, 0);
	printf("first,later,time\n");
	unsigned firsts[] = {0, 3, 1000, 77777, 300000};
	for (unsigned first : firsts) {
		float one = us(first, first);
		unsigned most = argc > 1 ? 16 : 1024;
		for (unsigned later = 1; later < most; later++)
			printf("%u,%u,%.2f\n", first, later, us(first, first + later) / one);
		fflush(stdout);
	}
}
