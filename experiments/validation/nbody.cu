// The attraction of many bodies by a few hundred others, which come in tiles of shared memory.
// Limited by single precision and by the reciprocal of the square root.
// 128 threads; 16, 66 and 264 blocks; 128, 512 and 384 bodies that attract.
#include "check.h"

__device__ __host__ inline void attract(float4 &a, float4 other, float inverse, float x, float y, float z) {
	float f = other.w * inverse * inverse * inverse;
	a.x += f * x, a.y += f * y, a.z += f * z;
}

__global__ void attraction(const float4 *bodies, int sources, float4 *result) {
	__shared__ float4 tile[128];
	int i = blockIdx.x * 128 + threadIdx.x;
	float4 me = bodies[i], a = make_float4(0, 0, 0, 0);
	for (int start = 0; start < sources; start += 128) {
		tile[threadIdx.x] = bodies[start + threadIdx.x];
		__syncthreads();
#pragma unroll 8
		for (int k = 0; k < 128; k++) {
			float4 other = tile[k];
			float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
			attract(a, other, rsqrtf(x * x + y * y + z * z + 0.01f), x, y, z);
		}
		__syncthreads();
	}
	result[i] = a;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 16, 66, 264), n = blocks * 128, sources = pick(size, 128, 512, 384);
	std::vector<float4> bodies(n);
	for (int i = 0; i < n; i++)
		bodies[i] = make_float4(fraction(4 * i), fraction(4 * i + 1), fraction(4 * i + 2), fraction(4 * i + 3));
	float4 *d = upload(bodies), *result = room<float4>(n);
	launches(blocks, [&](dim3 grid) { attraction<<<grid, 128>>>(d, sources, result); });
	auto got = download(result, n);
	for (int i = 0; i < n; i++) {
		float4 want = {}, me = bodies[i];
		for (int k = 0; k < sources; k++) {
			float x = bodies[k].x - me.x, y = bodies[k].y - me.y, z = bodies[k].z - me.z;
			attract(want, bodies[k], 1 / sqrtf(x * x + y * y + z * z + 0.01f), x, y, z);
		}
		same("x", i, got[i].x, want.x, 1e-3);
		same("y", i, got[i].y, want.y, 1e-3);
		same("z", i, got[i].z, want.z, 1e-3);
	}
	puts("right");
}
