// Keeps the numbers that have a property, without their order: a warp counts its own by a vote, and one lane takes room for them.
// Limited by atomics on one word, and by the bandwidth of memory.
// 256 threads; 128, 1,024 and 8,192 blocks, one number for each thread.
#include "check.h"

__device__ __host__ inline bool keep(unsigned x) { return x % 3 == 0; }

__global__ void compact(const unsigned *in, unsigned *out, int *count) {
	int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, first = 0;
	unsigned x = in[i], kept = __ballot_sync(~0u, keep(x));
	if (lane == 0)
		first = atomicAdd(count, __popc(kept));
	first = __shfl_sync(~0u, first, 0);
	if (keep(x))
		out[first + __popc(kept & ((1u << lane) - 1))] = x;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 128, 1024, 8192), n = blocks * 256;
	std::vector<unsigned> in(n), want;
	for (int i = 0; i < n; i++)
		if (keep(in[i] = mix(i)))
			want.push_back(in[i]);
	unsigned *d = upload(in), *out = room<unsigned>(n);
	int *count = room<int>(1);
	launches(blocks, [&](dim3 grid) {
		TRY(cudaMemset(count, 0, sizeof *count));
		compact<<<grid, 256>>>(d, out, count);
	});
	int kept = download(count, 1)[0];
	same<size_t>("count", 0, kept, want.size());
	auto got = download(out, kept);
	std::sort(got.begin(), got.end());
	std::sort(want.begin(), want.end());
	same("kept", got, want);
	puts("right");
}
