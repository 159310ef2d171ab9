// Forces between particles by the potential of Lennard-Jones, over lists of neighbours.
// Limited by loads of the neighbours, which are near in memory, but not coalesced, and by divisions.
// 128 threads; 32, 256 and 864 blocks, one thread for each particle.
#include "check.h"

__device__ __host__ inline float3 force(float4 a, float4 b) {
	float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, square = x * x + y * y + z * z;
	if (square > 2.25f)
		return make_float3(0, 0, 0);
	float inverse = 1 / square, six = inverse * inverse * inverse, f = six * (48 * six - 24) * inverse;
	return make_float3(f * x, f * y, f * z);
}

__global__ void forces(const float4 *particles, const int *neighbours, int n, int each, float4 *result) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float4 me = particles[i], sum = make_float4(0, 0, 0, 0);
	for (int k = 0; k < each; k++) {
		float3 f = force(me, particles[neighbours[k * n + i]]);
		sum.x += f.x, sum.y += f.y, sum.z += f.z;
	}
	result[i] = sum;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), side = pick(size, 16, 32, 48), n = side * side * side, each = 26;
	std::vector<float4> particles(n), want(n);
	std::vector<int> neighbours(n * each);
	// Particles are near the points of a grid that closes on itself in lists, and not in space.
	for (int i = 0; i < n; i++) {
		auto at = [&](int c, int axis) { return c + 0.2f * fraction(3 * i + axis); };
		particles[i] = make_float4(at(i % side, 0), at(i / side % side, 1), at(i / side / side, 2), 0);
		int k = 0;
		for (int d = 0; d < 27; d++)
			if (d != 13) {
				int x = i % side + d % 3 - 1, y = i / side % side + d / 3 % 3 - 1, z = i / side / side + d / 9 - 1;
				neighbours[k++ * n + i] = ((z + side) % side * side + (y + side) % side) * side + (x + side) % side;
			}
	}
	for (int i = 0; i < n; i++)
		for (int k = 0; k < each; k++) {
			float3 f = force(particles[i], particles[neighbours[k * n + i]]);
			want[i].x += f.x, want[i].y += f.y, want[i].z += f.z;
		}
	float4 *p = upload(particles), *result = room<float4>(n);
	int *list = upload(neighbours);
	launches(n / 128, [&](dim3 grid) { forces<<<grid, 128>>>(p, list, n, each, result); });
	auto got = download(result, n);
	for (int i = 0; i < n; i++) {
		same("x", i, got[i].x, want[i].x, 1e-3);
		same("y", i, got[i].y, want[i].y, 1e-3);
		same("z", i, got[i].z, want[i].z, 1e-3);
	}
	puts("right");
}
