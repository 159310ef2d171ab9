// One step of a stencil of seven points over a cube. Each thread walks along z, with the last three values in registers.
// Limited by the bandwidth of memory and of the L1 cache.
// 32 x 4 threads; 32, 128 and 288 blocks.
#include "check.h"

__global__ void stencil(const float *in, float *out, int n, int depth) {
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, plane = n * n;
	int left = max(x - 1, 0), right = min(x + 1, n - 1), up = max(y - 1, 0), down = min(y + 1, n - 1);
	float before = in[y * n + x], here = before;
	for (int z = 0; z < depth; z++) {
		const float *p = in + z * plane;
		float after = z + 1 < depth ? p[plane + y * n + x] : here;
		out[z * plane + y * n + x] = 0.4f * here + 0.1f * (before + after + p[y * n + left] + p[y * n + right] + p[up * n + x] + p[down * n + x]);
		before = here, here = after;
	}
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), n = pick(size, 64, 128, 192), depth = pick(size, 16, 48, 64);
	std::vector<float> in(n * n * depth), want(in.size());
	for (size_t i = 0; i < in.size(); i++)
		in[i] = fraction(i);
	auto at = [&](int x, int y, int z) {
		auto clamp = [](int i, int end) { return std::min(std::max(i, 0), end - 1); };
		return in[(clamp(z, depth) * n + clamp(y, n)) * n + clamp(x, n)];
	};
	for (int z = 0; z < depth; z++)
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++)
				want[(z * n + y) * n + x] = 0.4f * at(x, y, z) + 0.1f * (at(x, y, z - 1) + at(x, y, z + 1) + at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z));
	float *a = upload(in), *b = room<float>(in.size());
	launches(dim3(n / 32, n / 4), [&](dim3 grid) { stencil<<<grid, dim3(32, 4)>>>(a, b, n, depth); });
	same("out", download(b, in.size()), want, 1e-6);
	puts("right");
}
