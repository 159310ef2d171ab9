// The most value that fits into a bag of each capacity: a launch for each thing that may be packed.
// Limited by launches in the small size, and by the bandwidth of the L2 cache.
// 256 threads; 64, 512 and 8,192 blocks, one capacity for each thread; 16 things.
#include "check.h"

__global__ void pack(const int *in, int *out, int weight, int value) {
	int c = blockIdx.x * 256 + threadIdx.x, best = in[c];
	if (c >= weight)
		best = max(best, in[c - weight] + value);
	out[c] = best;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 64, 512, 8192), n = blocks * 256, things = 16;
	std::vector<int> best(n);
	int *from = upload(best), *to = room<int>(n);
	pack<<<1, 256>>>(from, to, 1, 1);
	for (int i = 0; i < things; i++) {
		int weight = 1 + mix(i) % (n / 8), value = 1 + mix(~i) % 1000;
		pack<<<blocks, 256>>>(from, to, weight, value);
		std::swap(from, to);
		for (int c = n - 1; c >= weight; c--)
			best[c] = std::max(best[c], best[c - weight] + value);
	}
	WAIT();
	same("best", download(from, n), best);
	puts("right");
}
