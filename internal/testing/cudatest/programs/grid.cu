// Heat in a rod: steps with a barrier of the whole grid between them, by cooperative groups.
// bug 1: race on func --race
// bug 2: livelock on sim:tiny
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void heat(float *from, float *to, int n, int steps) {
	cg::grid_group grid = cg::this_grid();
	for (int s = 0; s < steps; s++) {
		for (int i = grid.thread_rank(); i < n; i += grid.size())
			to[i] = i == 0 || i == n - 1 ? from[i] : (from[i - 1] + from[i + 1]) / 2; // BUG 1
		float *swap = from;
		from = to, to = swap;
		if (BUG == 2 && blockIdx.x == 1 && s == 1)
			return;
		if (BUG != 1)
			grid.sync(); // BUG 2
	}
}

int main() {
	const int n = 300;
	std::vector<float> x(n), y(n);
	x[0] = 64;
	float *a = upload(x), *b = upload(x);
	int steps = 6, size = n;
	void *args[] = {&a, &b, &size, &steps};
	TRY(cudaLaunchCooperativeKernel(heat, 4, 64, args));
	WAIT();
	for (int s = 0; s < steps; s++) {
		for (int i = 0; i < n; i++)
			y[i] = i == 0 || i == n - 1 ? x[i] : (x[i - 1] + x[i + 1]) / 2;
		x.swap(y);
	}
	CHECK(download(a, n) == x);
	puts("ok");
}
