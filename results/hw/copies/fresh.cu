// The same after the first copy of a process, whose L2 nobody has filled: fresh MB [lines that a load passes over]. See copies.cu.
#include <vector>
#include "chase.h"

__global__ void steps(const unsigned *p, long words, long long *cycles, unsigned *sink) {
	unsigned v = 0;
	long long begin = clock64();
	for (long i = threadIdx.x; i < words; i += blockDim.x)
		v += p[i];
	*cycles = clock64() - begin;
	if (v) *sink = v;
}

int main(int argc, char **argv) {
	size_t mb = argc > 1 ? atoi(argv[1]) : 4, bytes = mb << 20, lines = bytes / 128;
	int way = argc > 2 ? atoi(argv[2]) : 0; // 0: chase; 1: one block steps through the buffer
	std::vector<unsigned> zeros(bytes / 4);
	unsigned *buffer, *sink;
	long long *parts, got[8];
	TRY(cudaMalloc(&buffer, bytes));
	TRY(cudaMalloc(&sink, 4));
	TRY(cudaMalloc(&parts, sizeof got));
	TRY(cudaMemcpy(buffer, zeros.data(), bytes, cudaMemcpyHostToDevice));
	TRY(cudaDeviceSynchronize());
	printf("%s,%zu", way ? "block" : "thread", mb);
	for (int turn = 0; turn < 2; turn++) {
		if (way) steps<<<1, 256>>>(buffer, bytes / 4, parts, sink);
		else chase<<<1, 1>>>(buffer, lines, parts, sink);
		TRY(cudaMemcpy(got, parts, sizeof got, cudaMemcpyDeviceToHost));
		if (way) printf(",%.0f", double(got[0]) / (bytes / 1024));
		else for (int i = 0; i < 8; i++) printf(",%.0f", 8.0 * got[i] / lines);
	}
	puts("");
}
