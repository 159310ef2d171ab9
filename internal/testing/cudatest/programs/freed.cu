// Buffers that are freed between kernels, and a pointer to one in a variable of the device.
// bug 1: use after free on func
// bug 2: use after free on sim:tiny
#include "check.h"

__device__ int *kept;

__global__ void keep(int *p) {
	kept = p;
	*p = 7;
}
__global__ void look(const int *p, int *out) { *out = BUG == 2 ? *kept : *p; } // BUG 1 2

int main() {
	int *a, *b, *out;
	TRY(cudaMalloc(&a, sizeof(int)));
	TRY(cudaMalloc(&out, sizeof(int)));
	keep<<<1, 1>>>(a);
	WAIT();
	if (BUG != 0)
		TRY(cudaFree(a));
	TRY(cudaMalloc(&b, sizeof(int)));
	TRY(cudaMemset(b, 1, sizeof(int)));
	look<<<1, 1>>>(BUG == 1 ? a : b, out);
	WAIT();
	CHECK(download(out, 1)[0] == 0x01010101);
	puts("ok");
}
