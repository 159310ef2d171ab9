// Blocks of a cluster pass tiles on in bulk, by inline PTX: the first block brings a tile of each round to all blocks by one copy, and each sends what it makes of it
// to the next block, which tells it when the place is free again.
// needs compute capability 9.0
// bug 1: race on func --race
// bug 2: livelock on sim:h200
// bug 3: livelock on sim:h200
// bug 4: race on func --race
#include "check.h"
#include <cooperative_groups.h>
#include <cuda.h>
namespace cg = cooperative_groups;

const int BLOCKS = 4, N = 64;

__device__ unsigned here(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// The address of the same place in another block.
__device__ unsigned there(unsigned at, unsigned rank) {
	unsigned to;
	asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(at), "r"(rank));
	return to;
}

__device__ void expect(unsigned full, unsigned bytes) {
	asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.expect_tx.shared.b64 s, [%0], %1;\n}" ::"r"(full), "r"(bytes) : "memory"); // BUG 2 3
}

__device__ void wait(unsigned full, unsigned parity) {
	unsigned done;
	do
		asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(done) : "r"(full), "r"(parity) : "memory"); // BUG 2 3
	while (!done);
}

__global__ void relay(const __grid_constant__ CUtensorMap map, const int *more, int rounds, int *out) {
	__shared__ __align__(128) int tile[N], mine[N], got[N], extra[N];
	__shared__ unsigned long long barriers[2];
	auto cluster = cg::this_cluster();
	unsigned rank = cluster.block_rank(), next = BUG == 2 && rank == 1 ? rank : (rank + 1) % BLOCKS, all = here(&barriers[0]), passed = here(&barriers[1]);
	if (threadIdx.x == 0)
		for (int i = 0; i < 2; i++)
			asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(here(&barriers[i])) : "memory");
	cluster.sync();
	int sum = 0;
	for (int r = 0; r < rounds; r++) {
		if (threadIdx.x == 0) {
			expect(all, sizeof tile + sizeof extra);
			expect(passed, sizeof got);
			if (rank == 0) {
				unsigned short mask = BUG == 3 ? 0x7 : 0xF;
				asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2}], [%3], %4;" ::"r"(here(tile)), "l"(&map), "r"(r * N),
					"r"(all), "h"(mask) : "memory");
				asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(here(extra)), "l"(more + r * N), "r"((int)sizeof extra),
					"r"(all), "h"((unsigned short)0xF) : "memory");
			}
		}
		wait(all, r & 1);
		mine[threadIdx.x] = tile[threadIdx.x] * (rank + 1) + extra[threadIdx.x]; // BUG 1
		if (BUG != 1)
			asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
		__syncthreads();
		if (threadIdx.x == 0)
			asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(there(here(got), next)), "r"(here(mine)), "r"((int)sizeof mine), // BUG 1 4
				"r"(there(passed, next)) : "memory");
		if (BUG == 4) // the source, before the next block has told that it has come
			mine[threadIdx.x] = 0; // BUG 4
		wait(passed, r & 1);
		sum += got[threadIdx.x];
		cluster.sync();
	}
	out[blockIdx.x * N + threadIdx.x] = sum;
}

int main() {
	const int rounds = 5;
	std::vector<int> a(rounds * N), b(rounds * N);
	for (int i = 0; i < rounds * N; i++)
		a[i] = i * i % 101, b[i] = i % 13;
	int *da = upload(a), *db = upload(b), *out;
	TRY(cudaMalloc(&out, 2 * BLOCKS * N * sizeof(int)));
	CUtensorMap map;
	cuuint64_t size = rounds * N;
	cuuint32_t box = N, one = 1;
	CHECK(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, da, &size, nullptr, &box, &one, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
		CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
	cudaLaunchConfig_t launch = {};
	cudaLaunchAttribute cluster = {};
	cluster.id = cudaLaunchAttributeClusterDimension;
	cluster.val.clusterDim.x = BLOCKS, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
	launch.gridDim = dim3(2 * BLOCKS), launch.blockDim = dim3(N), launch.attrs = &cluster, launch.numAttrs = 1;
	TRY(cudaLaunchKernelEx(&launch, relay, map, (const int *)db, rounds, out));
	WAIT();
	auto got = download(out, 2 * BLOCKS * N);
	for (int i = 0; i < 2 * BLOCKS * N; i++) {
		int from = (i / N + BLOCKS - 1) % BLOCKS, sum = 0;
		for (int r = 0; r < rounds; r++)
			sum += a[r * N + i % N] * (from + 1) + b[r * N + i % N];
		CHECK(got[i] == sum);
	}
	puts("ok");
}
