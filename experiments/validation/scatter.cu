// Moves numbers to places in random order, and fetches them back.
// Limited by uncoalesced stores, and by uncoalesced loads: each word is in another sector.
// 256 threads; 128, 512 and 4,096 blocks, one number for each thread.
#include "check.h"

__global__ void scatter(const unsigned *place, const unsigned *in, unsigned *out) {
	int i = blockIdx.x * 256 + threadIdx.x;
	out[place[i]] = in[i];
}

__global__ void gather(const unsigned *place, const unsigned *in, unsigned *out) {
	int i = blockIdx.x * 256 + threadIdx.x;
	out[i] = in[place[i]];
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 128, 512, 4096), n = blocks * 256;
	std::vector<unsigned> place(n), in(n), want(n);
	for (int i = 0; i < n; i++)
		place[i] = i, in[i] = mix(i);
	for (int i = n - 1; i > 0; i--)
		std::swap(place[i], place[mix(i) % (i + 1)]);
	for (int i = 0; i < n; i++)
		want[place[i]] = in[i];
	unsigned *p = upload(place), *d = upload(in), *moved = room<unsigned>(n), *back = room<unsigned>(n);
	launches(blocks, [&](dim3 grid) { scatter<<<grid, 256>>>(p, d, moved); });
	same("moved", download(moved, n), want);
	launches(blocks, [&](dim3 grid) { gather<<<grid, 256>>>(p, moved, back); });
	same("back", download(back, n), in);
	puts("right");
}
