// Looks for random numbers in a tree whose nodes have 32 keys, by a warp for each: a vote finds the child.
// Limited by the latency of loads that depend on each other, each of them coalesced.
// 128 threads; 256, 2,048 and 8,192 blocks; trees of 2^10, 2^15 and 2^20 numbers, with 2, 3 and 4 levels.
#include "check.h"

// Level l of the tree has 32^(l + 1) keys, the last of every stretch of numbers; the last level is that of the numbers.
__global__ void search(const unsigned *tree, int levels, const unsigned *keys, int *place) {
	int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, node = 0;
	unsigned k = keys[i];
	for (int l = 0, width = 32; l < levels; l++, width *= 32) {
		unsigned less = __ballot_sync(~0u, tree[node * 32 + lane] < k);
		node = node * 32 + min(__popc(less), 31);
		tree += width;
	}
	if (lane == 0)
		place[i] = node;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), levels = size + 1, n = 1 << 5 * levels, m = pick(size, 1 << 10, 1 << 13, 1 << 15);
	std::vector<unsigned> sorted(n), keys(m), tree;
	unsigned gap = 0xffffffffu / n;
	for (int i = 0; i < n; i++)
		sorted[i] = i * gap + mix(i) % gap;
	for (int l = 0, width = 32; l < levels; l++, width *= 32)
		for (int i = 1; i <= width; i++)
			tree.push_back(sorted[(size_t)n / width * i - 1]);
	std::vector<int> want(m);
	for (int i = 0; i < m; i++) {
		keys[i] = mix(i + n);
		int at = std::lower_bound(sorted.begin(), sorted.end(), keys[i]) - sorted.begin();
		want[i] = std::min(at, n - 1);
	}
	unsigned *t = upload(tree), *k = upload(keys);
	int *place = room<int>(m);
	launches(m / 4, [&](dim3 grid) { search<<<grid, 128>>>(t, levels, k, place); });
	same("place", download(place, m), want);
	puts("right");
}
