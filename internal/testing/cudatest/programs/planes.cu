// Clusters along all three dimensions: each block adds what the other blocks of its cluster have in shared memory, by the launch attribute and cooperative groups.
// needs compute capability 9.0
// build for sm_90a
// bug 1: race on func --race
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

const dim3 GRID(4, 6, 2);

__device__ unsigned special(int which) {
	unsigned x, y, z;
	if (which == 0)
		asm("mov.u32 %0, %%cluster_ctaid.x; mov.u32 %1, %%cluster_ctaid.y; mov.u32 %2, %%cluster_ctaid.z;" : "=r"(x), "=r"(y), "=r"(z));
	else if (which == 1)
		asm("mov.u32 %0, %%cluster_nctaid.x; mov.u32 %1, %%cluster_nctaid.y; mov.u32 %2, %%cluster_nctaid.z;" : "=r"(x), "=r"(y), "=r"(z));
	else
		asm("mov.u32 %0, %%clusterid.x; mov.u32 %1, %%clusterid.y; mov.u32 %2, %%clusterid.z;" : "=r"(x), "=r"(y), "=r"(z));
	return x | y << 8 | z << 16;
}

// out has, of each block, the sum of the numbers of the blocks in its cluster, and its place.
__global__ void sum(unsigned *out) {
	__shared__ unsigned mine;
	auto cluster = cg::this_cluster();
	unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z), all = 0;
	mine = block * block; // BUG 1
	if (BUG != 1)
		cluster.sync();
	for (unsigned i = 0; i < cluster.num_blocks(); i++)
		all += *cluster.map_shared_rank(&mine, i); // BUG 1
	cluster.sync();
	out[block * 4] = all, out[block * 4 + 1] = special(0), out[block * 4 + 2] = special(1), out[block * 4 + 3] = special(2);
}

unsigned packed(unsigned x, unsigned y, unsigned z) { return x | y << 8 | z << 16; }

int main() {
	const int n = GRID.x * GRID.y * GRID.z;
	unsigned *d;
	TRY(cudaMalloc(&d, n * 4 * sizeof(unsigned)));
	for (dim3 c : {dim3(2, 1, 1), dim3(1, 3, 1), dim3(2, 2, 2), dim3(1, 1, 2)}) {
		cudaLaunchConfig_t launch = {};
		cudaLaunchAttribute attribute = {};
		attribute.id = cudaLaunchAttributeClusterDimension;
		attribute.val.clusterDim = {c.x, c.y, c.z};
		launch.gridDim = GRID, launch.blockDim = dim3(1), launch.attrs = &attribute, launch.numAttrs = 1;
		TRY(cudaLaunchKernelEx(&launch, sum, d));
		WAIT();
		auto out = download(d, n * 4);
		for (unsigned i = 0; i < (unsigned)n; i++) {
			unsigned x = i % GRID.x, y = i / GRID.x % GRID.y, z = i / GRID.x / GRID.y, want = 0;
			for (unsigned j = 0; j < (unsigned)n; j++) {
				unsigned u = j % GRID.x, v = j / GRID.x % GRID.y, w = j / GRID.x / GRID.y;
				if (u / c.x == x / c.x && v / c.y == y / c.y && w / c.z == z / c.z)
					want += j * j;
			}
			CHECK(out[i * 4] == want);
			CHECK(out[i * 4 + 1] == packed(x % c.x, y % c.y, z % c.z));
			CHECK(out[i * 4 + 2] == packed(c.x, c.y, c.z));
			CHECK(out[i * 4 + 3] == packed(x / c.x, y / c.y, z / c.z));
		}
	}
	puts("ok");
}
