// How many steps each point of a part of the plane takes to leave a circle.
// Limited by single precision and by divergence: a warp takes as many steps as its slowest lane.
// 16 x 16 threads; 64, 256 and 1,024 blocks; 64, 256 and 256 steps at most.
#include "check.h"

// Both sides round each operation, so that the answers are equal.
#ifdef __CUDA_ARCH__
#define MUL __fmul_rn
#define ADD __fadd_rn
#else
#define MUL(a, b) ((a) * (b))
#define ADD(a, b) ((a) + (b))
#endif

__device__ __host__ inline int steps(float x, float y, int most) {
	float u = 0, v = 0;
	int k = 0;
	for (; k < most; k++) {
		float uu = MUL(u, u), vv = MUL(v, v), uv = MUL(u, v);
		if (ADD(uu, vv) > 4)
			break;
		u = ADD(ADD(uu, -vv), x), v = ADD(ADD(uv, uv), y);
	}
	return k;
}

__device__ __host__ inline int ofPoint(int x, int y, int n, int most) {
	float width = 2.5f / n; // exact, since n is a power of two
	return steps(ADD(MUL(x, width), -2), ADD(MUL(y, width), -1.25f), most);
}

__global__ void plane(int *result, int n, int most) {
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
	result[y * n + x] = ofPoint(x, y, n, most);
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), n = pick(size, 128, 256, 512), most = pick(size, 64, 256, 256);
	std::vector<int> want(n * n);
	for (int i = 0; i < n * n; i++)
		want[i] = ofPoint(i % n, i / n, n, most);
	int *result = room<int>(n * n);
	launches(dim3(n / 16, n / 16), [&](dim3 grid) { plane<<<grid, dim3(16, 16)>>>(result, n, most); });
	same("steps", download(result, n * n), want);
	puts("right");
}
