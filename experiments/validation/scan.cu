// Prefix sums: of tiles of 1,024 numbers, then of the sums of the tiles by one block, which are then added.
// Limited by the bandwidth of memory and by barriers.
// 256 threads; 64, 512 and 2,048 blocks, and one block.
#include "check.h"

// Returns the sum over the threads before this one; total is that of the block.
__device__ unsigned before(unsigned mine, unsigned *total) {
	__shared__ unsigned warps[8];
	unsigned sum = mine, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	for (int d = 1; d < 32; d *= 2) {
		unsigned other = __shfl_up_sync(~0u, sum, d);
		if (lane >= d)
			sum += other;
	}
	if (lane == 31)
		warps[warp] = sum;
	__syncthreads();
	unsigned result = sum - mine;
	*total = 0;
	for (int i = 0; i < 8; i++) {
		if (i < warp)
			result += warps[i];
		*total += warps[i];
	}
	__syncthreads();
	return result;
}

__global__ void tiles(const uint4 *in, uint4 *out, unsigned *sums) {
	int i = blockIdx.x * 256 + threadIdx.x;
	uint4 v = in[i];
	v.y += v.x, v.z += v.y, v.w += v.z;
	unsigned total, first = before(v.w, &total);
	out[i] = make_uint4(first + v.x, first + v.y, first + v.z, first + v.w);
	if (threadIdx.x == 0)
		sums[blockIdx.x] = total;
}

__global__ void ofSums(const unsigned *sums, unsigned *firsts, int n) {
	unsigned all = 0;
	for (int start = 0; start < n; start += 256) {
		int i = start + threadIdx.x;
		unsigned total, first = before(i < n ? sums[i] : 0, &total);
		if (i < n)
			firsts[i] = all + first;
		all += total;
	}
}

__global__ void add(const uint4 *in, uint4 *out, const unsigned *firsts) {
	int i = blockIdx.x * 256 + threadIdx.x;
	unsigned first = firsts[blockIdx.x];
	uint4 v = in[i];
	out[i] = make_uint4(v.x + first, v.y + first, v.z + first, v.w + first);
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 64, 512, 2048), n = blocks * 1024;
	std::vector<unsigned> x(n), want(n);
	unsigned sum = 0;
	for (int i = 0; i < n; i++)
		want[i] = sum += x[i] = mix(i) % 100;
	unsigned *in = upload(x), *part = room<unsigned>(n), *out = room<unsigned>(n), *sums = room<unsigned>(blocks), *firsts = room<unsigned>(blocks);
	launches(blocks, [&](dim3 grid) { tiles<<<grid, 256>>>((uint4 *)in, (uint4 *)part, sums); });
	launches(1, [&](dim3 grid) { ofSums<<<grid, 256>>>(sums, firsts, blocks); });
	launches(blocks, [&](dim3 grid) { add<<<grid, 256>>>((uint4 *)part, (uint4 *)out, firsts); });
	same("out", download(out, n), want);
	puts("right");
}
