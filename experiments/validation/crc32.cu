// The CRC-32 of messages of 256 bytes, one for each thread, by a table of 256 words in shared memory.
// Limited by conflicts of banks at the table, and by the latency of its loads; messages are stored by words, coalesced.
// 128 threads; 64, 264 and 792 blocks.
#include "check.h"

const int WORDS = 64;

__device__ __host__ inline unsigned crc(const unsigned *message, int stride, const unsigned *table) {
	unsigned c = ~0u;
	for (int i = 0; i < WORDS; i++) {
		unsigned word = message[i * stride];
		for (int k = 0; k < 4; k++, word >>= 8)
			c = table[(c ^ word) & 255] ^ c >> 8;
	}
	return ~c;
}

__global__ void checksums(const unsigned *messages, int n, const unsigned *table, unsigned *result) {
	__shared__ unsigned s[256];
	s[threadIdx.x] = table[threadIdx.x], s[threadIdx.x + 128] = table[threadIdx.x + 128];
	__syncthreads();
	int i = blockIdx.x * 128 + threadIdx.x;
	result[i] = crc(messages + i, n, s);
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 64, 264, 792), n = blocks * 128;
	std::vector<unsigned> table(256), messages(n * WORDS), want(n);
	for (unsigned i = 0; i < 256; i++) {
		unsigned c = i;
		for (int bit = 0; bit < 8; bit++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
		table[i] = c;
	}
	for (int i = 0; i < n * WORDS; i++)
		messages[i] = mix(i);
	for (int i = 0; i < n; i++)
		want[i] = crc(&messages[i], n, table.data());
	unsigned *m = upload(messages), *t = upload(table), *result = room<unsigned>(n);
	launches(blocks, [&](dim3 grid) { checksums<<<grid, 128>>>(m, n, t, result); });
	same("crc", download(result, n), want);
	puts("right");
}
