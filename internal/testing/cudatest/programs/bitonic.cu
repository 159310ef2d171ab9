// A bitonic sort of a block, with a template for the order.
// bug 1: missing barrier on func --race
// bug 2: bounds on func
#include "check.h"

struct Less {
	__device__ bool operator()(int a, int b) const { return a < b; }
};

template <int N, class Order> __global__ void sort(int *x, Order before) {
	__shared__ int s[N];
	int t = threadIdx.x;
	s[t] = x[t];
	__syncthreads();
	for (int size = 2; size <= N; size *= 2)
		for (int d = size / 2; d > 0; d /= 2) {
			int other = BUG == 2 ? t + d : t ^ d;
			if (other > t) {
				bool up = (t & size) == 0;
				if (before(s[other], s[t]) == up) { // BUG 1 2
					int swap = s[t]; // BUG 1
					s[t] = s[other]; // BUG 1
					s[other] = swap; // BUG 1
				}
			}
			if (BUG != 1)
				__syncthreads();
		}
	x[t] = s[t];
}

int main() {
	std::vector<int> x(256);
	for (int i = 0; i < 256; i++)
		x[i] = i * 73 % 256;
	int *d = upload(x);
	sort<256><<<1, 256>>>(d, Less());
	WAIT();
	auto got = download(d, 256);
	for (int i = 0; i < 256; i++)
		CHECK(got[i] == i);
	puts("ok");
}
