// The temperatures of a chip whose parts give heat: two steps by each launch, in a tile of shared memory with a border of two.
// Limited by shared memory, by threads that compute borders twice, and by the bandwidth of memory.
// 16 x 16 threads, of which 12 x 12 write; 121, 1,849 and 7,396 blocks; each step is a launch.
#include "check.h"

__device__ __host__ inline float step(float here, float up, float down, float left, float right, float power) {
	return here + 0.05f * power + 0.2f * (up + down - 2 * here) + 0.15f * (left + right - 2 * here);
}

__global__ void twoSteps(const float *in, const float *power, float *out, int n) {
	__shared__ float s[16][16], r[16][16];
	int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 12 + tx - 2, y = blockIdx.y * 12 + ty - 2;
	bool there = x >= 0 && x < n && y >= 0 && y < n;
	// Outside it is as warm as at the edge.
	int at = min(max(y, 0), n - 1) * n + min(max(x, 0), n - 1), i = ty, j = tx;
	int up = y > 0 ? i - 1 : i, down = y < n - 1 ? i + 1 : i, left = x > 0 ? j - 1 : j, right = x < n - 1 ? j + 1 : j;
	float p = power[at];
	s[i][j] = in[at];
	__syncthreads();
	if (there && i >= 1 && i < 15 && j >= 1 && j < 15)
		r[i][j] = step(s[i][j], s[up][j], s[down][j], s[i][left], s[i][right], p);
	__syncthreads();
	if (there && i >= 2 && i < 14 && j >= 2 && j < 14)
		out[y * n + x] = step(r[i][j], r[up][j], r[down][j], r[i][left], r[i][right], p);
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), n = pick(size, 128, 512, 1024), blocks = (n + 11) / 12;
	std::vector<float> t(n * n), power(n * n), next(n * n);
	for (int i = 0; i < n * n; i++)
		t[i] = 20 + 10 * fraction(i), power[i] = fraction(i + n * n);
	float *from = upload(t), *p = upload(power), *to = room<float>(n * n);
	launches(dim3(blocks, blocks), [&](dim3 grid) {
		twoSteps<<<grid, dim3(16, 16)>>>(from, p, to, n);
		if (grid.x > 1)
			std::swap(from, to);
	});
	for (int k = 0; k < 6; k++) {
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++) {
				auto at = [&](int x, int y) { return t[std::min(std::max(y, 0), n - 1) * n + std::min(std::max(x, 0), n - 1)]; };
				next[y * n + x] = step(at(x, y), at(x, y - 1), at(x, y + 1), at(x - 1, y), at(x + 1, y), power[y * n + x]);
			}
		std::swap(t, next);
	}
	same("temperature", download(from, n * n), t, 1e-5);
	puts("right");
}
