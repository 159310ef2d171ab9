// A merge sort from sorted stretches of 256 numbers on. Each thread finds the place of one number by a binary search in the other
// stretch of its pair. Limited by the latency of loads that depend on each other, and by caches.
// 256 threads; 64, 256 and 1,024 blocks. Each merge is a launch.
#include "check.h"

__global__ void merge(const unsigned *in, unsigned *out, int width) {
	int i = blockIdx.x * 256 + threadIdx.x, start = i & ~(2 * width - 1);
	bool second = i & width;
	const unsigned *other = in + (second ? start : start + width);
	unsigned x = in[i];
	int low = 0, high = width;
	while (low < high) {
		int middle = (low + high) / 2;
		if (other[middle] < x || (second && other[middle] == x))
			low = middle + 1;
		else
			high = middle;
	}
	out[start + (i & (width - 1)) + low] = x;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 64, 256, 1024), n = blocks * 256;
	std::vector<unsigned> x(n);
	for (int i = 0; i < n; i++)
		x[i] = mix(i) % (n / 2);
	for (int i = 0; i < n; i += 256)
		std::sort(x.begin() + i, x.begin() + i + 256);
	unsigned *from = upload(x), *to = room<unsigned>(n);
	merge<<<1, 256>>>(from, to, 256);
	for (int width = 256; width < n; width *= 2) {
		merge<<<blocks, 256>>>(from, to, width);
		std::swap(from, to);
	}
	WAIT();
	std::sort(x.begin(), x.end());
	same("sorted", download(from, n), x);
	puts("right");
}
