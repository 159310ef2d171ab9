// Encrypts blocks of eight bytes by XTEA with 32 rounds, one for each thread.
// Limited by integer arithmetic: additions, shifts and exclusive ors that depend on each other.
// 256 threads; 132, 528 and 2,112 blocks.
#include "check.h"

struct Key {
	unsigned word[4];
};

__device__ __host__ inline uint2 encrypt(uint2 v, const Key &key) {
	unsigned sum = 0;
#pragma unroll
	for (int i = 0; i < 32; i++) {
		v.x += ((v.y << 4 ^ v.y >> 5) + v.y) ^ (sum + key.word[sum & 3]);
		sum += 0x9e3779b9u;
		v.y += ((v.x << 4 ^ v.x >> 5) + v.x) ^ (sum + key.word[sum >> 11 & 3]);
	}
	return v;
}

__global__ void xtea(const uint2 *in, uint2 *out, Key key) {
	int i = blockIdx.x * 256 + threadIdx.x;
	out[i] = encrypt(in[i], key);
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 132, 528, 2112), n = blocks * 256;
	Key key = {{mix(1), mix(2), mix(3), mix(4)}};
	std::vector<uint2> in(n);
	for (int i = 0; i < n; i++)
		in[i] = make_uint2(mix(2 * i), mix(2 * i + 1));
	uint2 *a = upload(in), *b = room<uint2>(n);
	launches(blocks, [&](dim3 grid) { xtea<<<grid, 256>>>(a, b, key); });
	auto got = download(b, n);
	for (int i = 0; i < n; i++) {
		uint2 want = encrypt(in[i], key);
		same("left", i, got[i].x, want.x);
		same("right", i, got[i].y, want.y);
	}
	puts("right");
}
