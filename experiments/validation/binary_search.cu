// Looks for random numbers in a sorted array, one for each thread.
// Limited by the latency of loads that depend on each other, and from the large size on by memory.
// 256 threads; 32, 256 and 792 blocks; arrays of 2^16, 2^20 and 2^24 numbers.
#include "check.h"

__global__ void search(const unsigned *sorted, int n, const unsigned *keys, int *place) {
	int i = blockIdx.x * blockDim.x + threadIdx.x, low = 0, high = n;
	unsigned k = keys[i];
	while (low < high) {
		int middle = low + (high - low) / 2;
		if (sorted[middle] < k)
			low = middle + 1;
		else
			high = middle;
	}
	place[i] = low;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), n = 1 << pick(size, 16, 20, 24), blocks = pick(size, 32, 256, 792), m = blocks * 256;
	std::vector<unsigned> sorted(n), keys(m);
	unsigned gap = 0xffffffffu / n;
	for (int i = 0; i < n; i++)
		sorted[i] = i * gap + mix(i) % gap;
	std::vector<int> want(m);
	for (int i = 0; i < m; i++) {
		keys[i] = mix(i + n);
		want[i] = std::lower_bound(sorted.begin(), sorted.end(), keys[i]) - sorted.begin();
	}
	unsigned *s = upload(sorted), *k = upload(keys);
	int *place = room<int>(m);
	launches(blocks, [&](dim3 grid) { search<<<grid, 256>>>(s, n, k, place); });
	same("place", download(place, m), want);
	puts("right");
}
