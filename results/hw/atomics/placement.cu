// Where small buffers lie, and what additions to random words of a kilobyte cost by where it begins: an aligned kilobyte has two units for atomics, and one that begins
// in the middle of two has four, if pieces of 256 bytes go to two units in turn. Prints lines "what,at,value": the distance in bytes of each of six buffers of eight bytes from the
// one allocated before it, the place of the first in its kilobyte, and ns of one warp's atomic for a kilobyte that begins 0, 128 ... 896 bytes after an aligned one. Takes less than a second.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define TRY(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)

__device__ unsigned mix(unsigned x) {
	x ^= x >> 16, x *= 0x7feb352d, x ^= x >> 15, x *= 0x846ca68b;
	return x ^ x >> 16;
}

__global__ void add(unsigned *p, int times) {
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	for (int k = 0; k < times; k++)
		atomicAdd(p + mix(thread * 64 + k) % 256, 1);
}

int main(int argc, char **argv) {
	printf("what,at,value\n");
	unsigned long long last = 0;
	for (int i = 0; i < 6; i++) {
		void *p;
		TRY(cudaMalloc(&p, 8));
		unsigned long long at = (unsigned long long)p;
		if (i == 0)
			printf("place in a kilobyte,0,%llu\n", at % 1024);
		else
			printf("distance,%d,%lld\n", i, (long long)(at - last));
		last = at;
	}
	const int bytes = 2 << 20, blocks = 132, times = argc > 1 ? 8 : 32;
	char *p;
	TRY(cudaMalloc(&p, bytes));
	TRY(cudaMemset(p, 0, bytes));
	cudaEvent_t begin, end;
	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	auto ms = [&](int at, int n) {
		float best = 1e9;
		for (int i = 0; i < (argc > 1 ? 1 : 5); i++) {
			float t;
			TRY(cudaEventRecord(begin));
			add<<<blocks, 256>>>((unsigned *)(p + at), n);
			TRY(cudaEventRecord(end));
			TRY(cudaEventSynchronize(end));
			TRY(cudaEventElapsedTime(&t, begin, end));
			best = t < best ? t : best;
		}
		return best;
	};
	ms(0, times);
	unsigned long long added = 0;
	for (int at = 0; at < 1024; at += 128) {
		float empty = ms(at, 0), t = ms(at, times);
		printf("ns of a warp,%d,%.3f\n", at, (t - empty) * 1e6 / (double(blocks) * 8 * times));
	}
	unsigned *words = (unsigned *)malloc(bytes);
	TRY(cudaMemcpy(words, p, bytes, cudaMemcpyDeviceToHost));
	for (int i = 0; i < bytes / 4; i++)
		added += words[i];
	unsigned long long want = 9ull * (argc > 1 ? 1 : 5) * blocks * 256 * times;
	if (added != want) {
		printf("%llu additions, not %llu\n", added, want);
		return 1;
	}
}
