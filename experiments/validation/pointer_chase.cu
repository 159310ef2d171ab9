// Follows a random circle of pointers, one in each line of 128 bytes: by one thread, and by a warp of every SM.
// Limited by latency: of the L1 cache, of the L2 cache, and of memory. 32 threads; one block, and 132 blocks.
// Circles of 1,024 lines (128 KB), 65,536 (8 MB) and 1,048,576 (128 MB).
#include "check.h"

__global__ void one(const unsigned *next, int steps, unsigned *end) {
	if (threadIdx.x > 0)
		return;
	unsigned at = 0;
	for (int i = 0; i < steps; i++)
		at = next[at * 32];
	*end = at;
}

__global__ void many(const unsigned *next, unsigned lines, int steps, unsigned *ends) {
	unsigned t = blockIdx.x * 32 + threadIdx.x, at = t * 127 % lines;
	for (int i = 0; i < steps; i++)
		at = next[at * 32];
	ends[t] = at;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), steps = pick(size, 2048, 1000, 1000), some = pick(size, 100, 100, 100), n = 132 * 32;
	unsigned lines = pick(size, 1 << 10, 1 << 16, 1 << 20);
	std::vector<unsigned> order(lines), next(lines * 32);
	for (unsigned i = 0; i < lines; i++)
		order[i] = i;
	for (unsigned i = lines - 1; i > 0; i--)
		std::swap(order[i], order[mix(i) % (i + 1)]);
	for (unsigned i = 0; i < lines; i++)
		next[order[i] * 32] = order[(i + 1) % lines];
	auto follow = [&](unsigned at, int steps) {
		while (steps-- > 0)
			at = next[at * 32];
		return at;
	};
	std::vector<unsigned> want(n);
	for (unsigned t = 0; t < n; t++)
		want[t] = follow(t * 127 % lines, some);
	unsigned *d = upload(next), *end = room<unsigned>(1), *ends = room<unsigned>(n);
	launches(1, [&](dim3 grid) { one<<<grid, 32>>>(d, steps, end); });
	launches(132, [&](dim3 grid) { many<<<grid, 32>>>(d, lines, some, ends); });
	same("end", 0, download(end, 1)[0], follow(0, steps));
	same("ends", download(ends, n), want);
	puts("right");
}
