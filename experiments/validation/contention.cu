// Additions to 1, 32, 1,024 and 65,536 words in random order, and to one word by compare-and-swap of one lane of each warp.
// Limited by atomics, on the same word or at random addresses.
// 256 threads; 64, 264 and 528 blocks, four additions by each thread.
#include "check.h"

template <int words> __global__ void add(unsigned *x) {
	unsigned i = blockIdx.x * 256 + threadIdx.x;
	for (int k = 0; k < 4; k++)
		atomicAdd(&x[mix(4 * i + k) % words], k + 1);
}

__global__ void addBySwaps(unsigned *x) {
	if (threadIdx.x % 32 > 0)
		return;
	unsigned old = atomicAdd(x, 0), seen;
	while ((seen = atomicCAS(x, old, old + 3)) != old)
		old = seen;
}

template <int words> void additions(int blocks, unsigned *x) {
	std::vector<unsigned> want(words);
	for (unsigned i = 0; i < blocks * 1024; i++)
		want[mix(i) % words] += i % 4 + 1;
	launches(blocks, [&](dim3 grid) {
		TRY(cudaMemset(x, 0, words * sizeof *x));
		add<words><<<grid, 256>>>(x);
	});
	same("words", download(x, words), want);
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 64, 264, 528);
	unsigned *x = room<unsigned>(1 << 16);
	additions<1>(blocks, x);
	additions<32>(blocks, x);
	additions<1024>(blocks, x);
	additions<1 << 16>(blocks, x);
	int few = blocks / 8;
	launches(few, [&](dim3 grid) {
		TRY(cudaMemset(x, 0, sizeof *x));
		addBySwaps<<<grid, 256>>>(x);
	});
	same("swaps", 0, download(x, 1)[0], few * 8 * 3u);
	puts("right");
}
