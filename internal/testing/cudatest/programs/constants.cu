// A polynomial with coefficients in constant memory, and a table of functions of the device.
// bug 1: bounds on func
// bug 2: misaligned on func
#include "check.h"

__constant__ float coefficients[4];
__device__ double results[3] = {1, 2, 3};
__device__ const int primes[] = {2, 3, 5, 7};

__device__ __noinline__ float polynomial(float x, int degree) {
	float y = 0;
	for (int i = degree; i >= 0; i--)
		y = y * x + coefficients[i]; // BUG 1
	return y;
}

__global__ void evaluate(float *out) {
	int i = threadIdx.x;
	out[i] = polynomial(i, BUG == 1 ? 4 : 3) + primes[i % 4];
	if (i < 3) {
		double *r = (double *)((char *)results + (BUG == 2 ? 4 : 0));
		r[i] *= i; // BUG 2
	}
}

int main() {
	const float c[] = {1, 2, 0, 1};
	TRY(cudaMemcpyToSymbol(coefficients, c, sizeof c));
	float *out;
	TRY(cudaMalloc(&out, 10 * sizeof(float)));
	evaluate<<<1, 10>>>(out);
	WAIT();
	auto got = download(out, 10);
	const int p[] = {2, 3, 5, 7};
	for (int i = 0; i < 10; i++)
		CHECK(got[i] == 1 + 2 * i + i * i * i + p[i % 4]);
	double r[3];
	void *at;
	size_t size;
	TRY(cudaGetSymbolAddress(&at, results));
	TRY(cudaGetSymbolSize(&size, results));
	CHECK(size == sizeof r);
	TRY(cudaMemcpy(r, at, sizeof r, cudaMemcpyDeviceToHost));
	CHECK(r[0] == 0 && r[1] == 2 && r[2] == 6);
	TRY(cudaMemcpyFromSymbol(r, results, sizeof(double), sizeof(double)));
	CHECK(r[0] == 2);
	puts("ok");
}
