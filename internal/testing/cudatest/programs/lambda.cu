// A kernel of any function: lambdas of the device, functors with data, and a launch by its configuration.
#include "check.h"

template <class T, class F> __global__ void each(T *x, int n, F f) {
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		x[i] = f(x[i], i);
}

struct Shift {
	int table[3];
	__device__ int operator()(int v, int i) const { return v + table[i % 3]; }
};

int main() {
	std::vector<int> x(40, 1);
	int *d = upload(x), k = 5;
	each<<<2, 16>>>(d, 40, [=] __device__(int v, int i) { return v * k + i; });
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(1), config.blockDim = dim3(32);
	TRY(cudaLaunchKernelEx(&config, each<int, Shift>, d, 40, Shift{{10, 20, 30}}));
	WAIT();
	auto got = download(d, 40);
	for (int i = 0; i < 40; i++)
		CHECK(got[i] == 5 + i + 10 * (i % 3 + 1));
	puts("ok");
}
