// What copies, fills and kernels leave in the L2: one thread loads a word of each line of a buffer, each load waiting for the one before, right after
// the buffer was written or read in some way. Prints a line for each: what came before, MB, and cycles of a load in the first eighth, in the
// middle and in the last eighth of the buffer, and of the whole buffer when it is loaded again.
#include <cstring>
#include "chase.h"

__global__ void fill(unsigned *p, long words) {
	for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < words; i += (long)gridDim.x * blockDim.x)
		p[i] = 0;
}

__global__ void sum(const unsigned *p, long words, unsigned *sink) {
	unsigned v = 0;
	for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < words; i += (long)gridDim.x * blockDim.x)
		v += p[i];
	if (v) *sink = v;
}

int main(int argc, char **argv) {
	const long most = argc > 1 ? 8 : 128, flushed = argc > 1 ? 96 : 512;
	unsigned *buffer, *other, *flush, *sink, *pinned, *pageable = (unsigned *)calloc(most, 1 << 20);
	long long *parts, got[8];
	TRY(cudaMalloc(&buffer, most << 20));
	TRY(cudaMalloc(&other, most << 20));
	TRY(cudaMalloc(&flush, flushed << 20));
	TRY(cudaMalloc(&sink, 4));
	TRY(cudaMalloc(&parts, sizeof got));
	TRY(cudaMallocHost(&pinned, most << 20));
	memset(pinned, 0, most << 20);
	TRY(cudaMemset(other, 0, most << 20));
	TRY(cudaMemset(flush, 0, flushed << 20));
	const char *befores[] = {"nothing", "copy from pageable memory", "copy from pinned memory", "copy to the host", "copy from another buffer", "copy to another buffer", "memset", "kernel that stores", "kernel that loads"};
	printf("before,mb,first,middle,last,again\n");
	for (long mb = 1; mb <= most; mb *= 2)
		for (int before = 0; before < 9; before++) {
			size_t bytes = mb << 20, words = bytes / 4;
			TRY(cudaMemset(buffer, 0, bytes));
			for (int i = 0; i < 2; i++)
				sum<<<528, 256>>>(flush, (flushed << 20) / 4, sink);
			TRY(cudaDeviceSynchronize());
			switch (before) {
			case 1: TRY(cudaMemcpy(buffer, pageable, bytes, cudaMemcpyHostToDevice)); break;
			case 2: TRY(cudaMemcpy(buffer, pinned, bytes, cudaMemcpyHostToDevice)); break;
			case 3: TRY(cudaMemcpy(pinned, buffer, bytes, cudaMemcpyDeviceToHost)); break;
			case 4: TRY(cudaMemcpy(buffer, other, bytes, cudaMemcpyDeviceToDevice)); break;
			case 5: TRY(cudaMemcpy(other, buffer, bytes, cudaMemcpyDeviceToDevice)); break;
			case 6: TRY(cudaMemset(buffer, 0, bytes)); break;
			case 7: fill<<<132, 256>>>(buffer, words); break;
			case 8: sum<<<132, 256>>>(buffer, words, sink); break;
			}
			TRY(cudaDeviceSynchronize());
			long lines = bytes / 128;
			double line[4];
			for (int turn = 0; turn < 2; turn++) {
				chase<<<1, 1>>>(buffer, lines, parts, sink);
				TRY(cudaMemcpy(got, parts, sizeof got, cudaMemcpyDeviceToHost));
				long long all = 0;
				for (int i = 0; i < 8; i++) all += got[i];
				if (turn) line[3] = double(all) / lines;
				else line[0] = 8.0 * got[0] / lines, line[1] = 4.0 * (got[3] + got[4]) / lines, line[2] = 8.0 * got[7] / lines;
			}
			printf("%s,%ld,%.0f,%.0f,%.0f,%.0f\n", befores[before], mb, line[0], line[1], line[2], line[3]);
			fflush(stdout);
		}
}
