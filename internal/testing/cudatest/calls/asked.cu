// What programs ask of the compiler, errors that a kernel tells, and a block of the most threads with a kernel that has many values at a time.
#include "../programs/check.h"

#ifndef __NVCC__
#error "no kernels here"
#endif
#if !__CUDACC__
#error "no CUDA here"
#endif

__global__ void tell(int *lengths) {
	if (cudaGetLastError() == cudaSuccess && cudaPeekAtLastError() == cudaSuccess) {
		const char *words[] = {cudaGetErrorString(cudaSuccess), cudaGetErrorName(cudaSuccess), cudaGetErrorString(cudaErrorInvalidValue)};
		for (int i = 0; i < 3; i++)
			for (lengths[i] = 0; words[i][lengths[i]];)
				lengths[i]++;
	}
}

enum { values = 96 };
__global__ void many(const int *x, int *sum) {
	int v[values];
#pragma unroll
	for (int i = 0; i < values; i++)
		v[i] = x[i * blockDim.x + threadIdx.x];
	__syncthreads();
	int s = 0;
#pragma unroll
	for (int i = 0; i < values; i++)
		s = s * 3 + (v[i] ^ v[values - 1 - i] * v[(i * 7 + 3) % values]);
	sum[threadIdx.x] = s;
}

int main() {
	int *lengths;
	TRY(cudaMalloc(&lengths, 3 * sizeof(int)));
	tell<<<1, 1>>>(lengths);
	WAIT();
	auto l = download(lengths, 3);
	CHECK(l[0] == 8 && l[1] == 11 && l[2] == 13);

	const int n = 1024;
	std::vector<int> x(values * n);
	for (size_t i = 0; i < x.size(); i++)
		x[i] = i * 2654435761u >> 8;
	int *d = upload(x), *sum;
	cudaFuncAttributes a;
	TRY(cudaFuncGetAttributes(&a, many));
	CHECK(a.numRegs > 64); // more than 1024 threads can have
	TRY(cudaMalloc(&sum, n * sizeof(int)));
	many<<<1, n>>>(d, sum);
	WAIT();
	auto got = download(sum, n);
	for (int t = 0; t < n; t++) {
		unsigned s = 0;
		for (int i = 0; i < values; i++)
			s = s * 3 + (x[i * n + t] ^ (unsigned)x[(values - 1 - i) * n + t] * (unsigned)x[(i * 7 + 3) % values * n + t]);
		CHECK(got[t] == (int)s);
	}
	puts("ok");
}
