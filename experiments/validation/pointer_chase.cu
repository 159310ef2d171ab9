// Follows a random circle of pointers, one in each line of 128 bytes: by one thread, and by a warp of each SM. Each launch goes on
// where the last one ended. Limited by latency: of the L1 cache, of the L2 cache, where all lines were loaded before, and of memory.
// 32 threads; one block, and 132 blocks. Circles of 512 lines (64 KB), 65,536 (8 MB) and 1,048,576 (128 MB).
#include "check.h"

__global__ void one(const unsigned *next, int steps, unsigned *place) {
	if (threadIdx.x > 0)
		return;
	unsigned at = *place;
	for (int i = 0; i < steps; i++)
		at = next[at * 32];
	*place = at;
}

__global__ void many(const unsigned *next, int steps, unsigned *places) {
	unsigned t = blockIdx.x * 32 + threadIdx.x, at = places[t];
	for (int i = 0; i < steps; i++)
		at = next[at * 32];
	places[t] = at;
}

// Loads a word of each line.
__global__ void touch(const unsigned *lines, unsigned *sums) {
	unsigned t = blockIdx.x * 256 + threadIdx.x;
	sums[t] = lines[t * 32] + 1;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), steps = pick(size, 4096, 1000, 1000), some = 50, n = 132 * 32;
	unsigned lines = pick(size, 1 << 9, 1 << 16, 1 << 20);
	std::vector<unsigned> order(lines), next(lines * 32), starts(n), want(n);
	for (unsigned i = 0; i < lines; i++)
		order[i] = i;
	for (unsigned i = lines - 1; i > 0; i--)
		std::swap(order[i], order[mix(i) % (i + 1)]);
	for (unsigned i = 0; i < lines; i++)
		next[order[i] * 32] = order[(i + 1) % lines];
	// The lanes of a warp are far from each other in the circle. Those of the first block follow it in one launch more.
	for (unsigned t = 0; t < n; t++) {
		unsigned start = t % 32 * (lines / 32) + t / 32 * (lines / 32) / 132;
		starts[t] = order[start];
		want[t] = order[(start + (t < 32 ? 4 : 3) * some) % lines];
	}
	unsigned *d = upload(next), *other = room<unsigned>(lines * 32), *sums = room<unsigned>(lines);
	unsigned *place = upload(std::vector<unsigned>{order[0]}), *places = upload(starts);
	TRY(cudaMemset(other, 0, lines * 128));
	// What is too large for the L2 cache shall not be there in part.
	launches(lines / 256, [&](dim3 grid) { touch<<<grid, 256>>>(size == 3 ? other : d, sums); });
	launches(1, [&](dim3 grid) { one<<<grid, 32>>>(d, steps, place); });
	launches(132, [&](dim3 grid) { many<<<grid, 32>>>(d, some, places); });
	same("place", 0, download(place, 1)[0], order[4 * steps % lines]);
	same("places", download(places, n), want);
	puts("right");
}
