// A table with open addressing: keys are inserted by compare-and-swap, and looked up; half of the lookups find nothing.
// Limited by atomics and loads at random addresses, and by divergence.
// 256 threads; 64, 512 and 2,048 blocks, one key for each thread; the table is filled by half.
#include "check.h"
#include <unordered_set>

const unsigned EMPTY = ~0u;

__global__ void insert(const unsigned *keys, unsigned *table, unsigned mask) {
	unsigned k = keys[blockIdx.x * blockDim.x + threadIdx.x];
	for (unsigned at = mix(k) & mask;; at = (at + 1) & mask) {
		unsigned old = atomicCAS(&table[at], EMPTY, k);
		if (old == EMPTY || old == k)
			return;
	}
}

__global__ void lookUp(const unsigned *keys, const unsigned *table, unsigned mask, int *found) {
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = keys[i];
	for (unsigned at = mix(k) & mask;; at = (at + 1) & mask) {
		unsigned x = table[at];
		if (x == EMPTY || x == k) {
			found[i] = x == k;
			return;
		}
	}
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 64, 512, 2048), n = blocks * 256;
	unsigned mask = 2 * n - 1;
	std::vector<unsigned> keys(n), others(n);
	for (int i = 0; i < n; i++)
		keys[i] = mix(i) >> 1, others[i] = mix(i % 2 ? i : i + n) >> 1;
	std::unordered_set<unsigned> all(keys.begin(), keys.end());
	std::vector<int> want(n);
	for (int i = 0; i < n; i++)
		want[i] = all.count(others[i]);
	unsigned *d = upload(keys), *o = upload(others), *table = room<unsigned>(2 * n);
	int *found = room<int>(n);
	launches(blocks, [&](dim3 grid) {
		TRY(cudaMemset(table, 0xff, 2 * n * sizeof *table));
		insert<<<grid, 256>>>(d, table, mask);
	});
	launches(blocks, [&](dim3 grid) { lookUp<<<grid, 256>>>(o, table, mask, found); });
	size_t filled = 0;
	for (unsigned k : download(table, 2 * n))
		filled += k != EMPTY;
	same("filled", 0, filled, all.size());
	same("found", download(found, n), want);
	puts("right");
}
