// The area of a circle by random points, with a generator (xorshift) in registers of each thread.
// Limited by integer arithmetic.
// 256 threads; 66, 264 and 1,056 blocks; 64, 128 and 128 points for each thread.
#include "check.h"

__device__ __host__ inline unsigned inside(unsigned seed, int points) {
	unsigned s = mix(seed) | 1, count = 0;
	for (int i = 0; i < points; i++) {
		s ^= s << 13, s ^= s >> 17, s ^= s << 5;
		unsigned x = s & 0xffff, y = s >> 16;
		count += x * x / 2 + y * y / 2 < 0x7fffffff;
	}
	return count;
}

__global__ void points(int each, unsigned *counts) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	counts[i] = inside(i, each);
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 66, 264, 1056), each = pick(size, 64, 128, 128), n = blocks * 256;
	std::vector<unsigned> want(n);
	double all = 0;
	for (int i = 0; i < n; i++)
		all += want[i] = inside(i, each);
	unsigned *counts = room<unsigned>(n);
	launches(blocks, [&](dim3 grid) { points<<<grid, 256>>>(each, counts); });
	same("counts", download(counts, n), want);
	same("pi", 0, 4 * all / n / each, M_PI, 0.02);
	puts("right");
}
