// A bitonic sort. Steps within 1,024 elements are done in shared memory, and each step over a greater distance by a launch.
// Limited by barriers in shared memory, and by the bandwidth of memory else.
// 512 threads, two elements each; 16, 64 and 256 blocks. The last two kernels are launched many times.
#include "check.h"

__device__ void order(unsigned &a, unsigned &b, bool up) {
	if ((a > b) == up) {
		unsigned swap = a;
		a = b, b = swap;
	}
}

// Does the steps of distances d, d / 2, ..., 1 of blocks of so many elements.
__device__ void steps(unsigned *s, int first, int elements, int d) {
	for (; d > 0; d /= 2) {
		int i = 2 * threadIdx.x - (threadIdx.x & (d - 1));
		order(s[i], s[i + d], ((first + i) & elements) == 0);
		__syncthreads();
	}
}

__global__ void sortTiles(const unsigned *in, unsigned *out) {
	__shared__ unsigned s[1024];
	int first = blockIdx.x * 1024, t = threadIdx.x;
	s[t] = in[first + t], s[t + 512] = in[first + t + 512];
	__syncthreads();
	for (int elements = 2; elements <= 1024; elements *= 2)
		steps(s, first, elements, elements / 2);
	out[first + t] = s[t], out[first + t + 512] = s[t + 512];
}

__global__ void far(unsigned *x, int elements, int d) {
	int t = blockIdx.x * 512 + threadIdx.x, i = 2 * t - (t & (d - 1));
	unsigned a = x[i], b = x[i + d];
	order(a, b, (i & elements) == 0);
	x[i] = a, x[i + d] = b;
}

__global__ void near(unsigned *x, int elements) {
	__shared__ unsigned s[1024];
	int first = blockIdx.x * 1024, t = threadIdx.x;
	s[t] = x[first + t], s[t + 512] = x[first + t + 512];
	__syncthreads();
	steps(s, first, elements, 512);
	x[first + t] = s[t], x[first + t + 512] = s[t + 512];
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 16, 64, 256), n = blocks * 1024;
	std::vector<unsigned> x(n);
	for (int i = 0; i < n; i++)
		x[i] = mix(i);
	unsigned *in = upload(x), *out = room<unsigned>(n);
	TRY(cudaMemset(out, 0, n * sizeof *out));
	far<<<1, 512>>>(out, 2048, 1024);
	near<<<1, 512>>>(out, 2048);
	launches(blocks, [&](dim3 grid) { sortTiles<<<grid, 512>>>(in, out); });
	for (int elements = 2048; elements <= n; elements *= 2) {
		for (int d = elements / 2; d > 512; d /= 2)
			far<<<blocks, 512>>>(out, elements, d);
		near<<<blocks, 512>>>(out, elements);
	}
	WAIT();
	std::sort(x.begin(), x.end());
	same("out", download(out, n), x);
	puts("right");
}
