// What stores of a warp cost by how its lanes are spread: lanes store words, a stride apart, and warps next to each other store the words next to those, as in a transposition.
// Prints a line for each: words on a side of the matrix, how it is written, and us by events without those of an empty kernel, and the rate.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define TRY(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)

// ROWS: a warp stores a row's words; COLUMNS: a warp stores a column's, blocks of 32 x 8 as in a plain transposition; SCATTERED: any word of the matrix, once each.
enum { ROWS, COLUMNS, SCATTERED, NONE };
static const char *names[] = {"rows", "columns", "scattered", "none"};

__global__ void store(unsigned *p, unsigned n, int how) {
	unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
	switch (how) {
	case ROWS: p[y * n + x] = x; break;
	case COLUMNS: p[x * n + y] = x; break;
	case SCATTERED: p[(y * n + x) * 2654435761u % (n * n)] = x; break; // n is a power of 2, so each word once
	}
}

int main(int argc, char **argv) {
	unsigned *p, most = argc > 1 ? 1024 : 4096;
	TRY(cudaMalloc(&p, most * most * 4l));
	TRY(cudaMemset(p, 0, most * most * 4l));
	cudaEvent_t begin, end;
	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	printf("side,how,us,gwords\n");
	for (unsigned n = 256; n <= most; n *= 2) {
		float none = 0;
		for (int how = NONE; how >= 0; how--) {
			float best = 1e9;
			for (int i = 0; i < (argc > 1 ? 2 : 7); i++) {
				float t;
				TRY(cudaEventRecord(begin));
				store<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(p, n, how);
				TRY(cudaEventRecord(end));
				TRY(cudaEventSynchronize(end));
				TRY(cudaEventElapsedTime(&t, begin, end));
				best = min(best, t);
			}
			if (how == NONE) none = best;
			else printf("%u,%s,%.2f,%.1f\n", n, names[how], (best - none) * 1e3, n * n / (best - none) / 1e6);
			fflush(stdout);
		}
	}
}
