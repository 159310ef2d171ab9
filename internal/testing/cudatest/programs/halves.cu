// Numbers of 16 bits in words, by the permutations and shifts of bytes.
// bug 1: misaligned on func
// bug 2: bounds on func
#include "check.h"

__global__ void swap(const unsigned short *in, unsigned *out, int n) {
	int i = threadIdx.x;
	if (i >= n + (BUG == 2))
		return;
	unsigned v = *(const unsigned *)(in + 2 * i + (BUG == 1)); // BUG 1 2
	out[i] = __byte_perm(v, 0, 0x1032) ^ __funnelshift_l(v, v, 4) ^ __brev(v);
}

int main() {
	std::vector<unsigned short> in(40);
	for (int i = 0; i < 40; i++)
		in[i] = i * 1000;
	unsigned short *d = upload(in);
	unsigned *out;
	TRY(cudaMalloc(&out, 20 * sizeof *out));
	swap<<<1, 32>>>(d, out, 20);
	WAIT();
	auto got = download(out, 20);
	for (int i = 0; i < 20; i++) {
		unsigned v = in[2 * i] | (unsigned)in[2 * i + 1] << 16, r = 0;
		for (int b = 0; b < 32; b++)
			r |= (v >> b & 1) << (31 - b);
		CHECK(got[i] == ((v >> 16 | v << 16) ^ (v << 4 | v >> 28) ^ r));
	}
	puts("ok");
}
