// A cooperative kernel with a barrier of the grid in each step, launched several times: events around each launch, and its own clock.
#include <cooperative_groups.h>
#include <cstdio>
#include <chrono>
namespace cg = cooperative_groups;
__global__ void heat(float *from, float *to, int n, int steps, long long *clk) {
	cg::grid_group grid = cg::this_grid();
	long long a = clock64();
	for (int s = 0; s < steps; s++) {
		for (int i = grid.thread_rank(); i < n; i += grid.size())
			to[i] = i == 0 || i == n - 1 ? from[i] : (from[i - 1] + from[i + 1]) / 2;
		float *swap = from;
		from = to, to = swap;
		grid.sync();
	}
	if (grid.thread_rank() == 0)
		*clk = clock64() - a;
}
__global__ void empty() {}
int main() {
	float *a, *b;
	long long *clk, h;
	cudaMalloc(&a, 1200), cudaMalloc(&b, 1200), cudaMalloc(&clk, 8);
	cudaEvent_t x, y;
	cudaEventCreate(&x), cudaEventCreate(&y);
	int n = 300;
	float ms;
	for (int steps : {6, 6, 6, 0, 0, 1, 1, 6, 60, 60, 600}) {
		void *args[] = {&a, &b, &n, &steps, &clk};
		cudaEventRecord(x);
		auto t0 = std::chrono::steady_clock::now();
		if (cudaLaunchCooperativeKernel((void *)heat, 4, 64, args, 0, 0))
			return puts("launch"), 1;
		auto t1 = std::chrono::steady_clock::now();
		cudaEventRecord(y);
		if (cudaDeviceSynchronize())
			return puts("sync"), 1;
		cudaEventElapsedTime(&ms, x, y);
		cudaMemcpy(&h, clk, 8, cudaMemcpyDeviceToHost);
		printf("cooperative steps %d event %.2f us, call %.2f us, inside %lld cycles\n", steps, ms * 1e3, std::chrono::duration<double>(t1 - t0).count() * 1e6, h);
	}
	for (int i = 0; i < 4; i++) {
		cudaEventRecord(x);
		empty<<<4, 64>>>();
		cudaEventRecord(y);
		cudaDeviceSynchronize();
		cudaEventElapsedTime(&ms, x, y);
		printf("empty %.2f us\n", ms * 1e3);
	}
	for (int i = 0; i < 4; i++) {
		cudaEventRecord(x);
		cudaLaunchCooperativeKernel((void *)empty, 4, 64, nullptr, 0, 0);
		cudaEventRecord(y);
		cudaDeviceSynchronize();
		cudaEventElapsedTime(&ms, x, y);
		printf("empty cooperative %.2f us\n", ms * 1e3);
	}
}
