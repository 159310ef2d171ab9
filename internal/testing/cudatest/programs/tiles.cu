// Sums of rows by tiles of a warp, and what cooperative groups know of a warp.
// bug 1: bounds on func
// bug 2: race on func --race
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void rows(const int *x, int n, int *sums, int *odd) {
	auto tile = cg::tiled_partition<8>(cg::this_thread_block());
	int row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
	int sum = 0;
	for (int i = tile.thread_rank(); i < n; i += BUG == 1 ? 1000 : tile.size())
		sum += x[row * n + i + (BUG == 1 ? 700 : 0)]; // BUG 1
	sum = cg::reduce(tile, sum, cg::plus<int>());
	bool any = tile.any(sum > 0);
	if (tile.thread_rank() == 0 && any)
		sums[row] = sum;
	if (sum % 2 == 1 && tile.thread_rank() == 0) {
		auto together = cg::coalesced_threads();
		if (BUG == 2)
			*odd += 1; // BUG 2
		else if (together.thread_rank() == 0)
			atomicAdd(odd, together.size());
	}
}

int main() {
	const int n = 20;
	std::vector<int> x(16 * n);
	for (int i = 0; i < 16 * n; i++)
		x[i] = i % 11;
	int *d = upload(x), *sums, *odd;
	TRY(cudaMalloc(&sums, 16 * sizeof(int)));
	TRY(cudaMalloc(&odd, sizeof(int)));
	TRY(cudaMemset(odd, 0, sizeof(int)));
	rows<<<2, 64>>>(d, n, sums, odd);
	WAIT();
	auto got = download(sums, 16);
	int count = 0;
	for (int r = 0; r < 16; r++) {
		int want = 0;
		for (int i = 0; i < n; i++)
			want += x[r * n + i];
		CHECK(got[r] == want);
		count += want % 2;
	}
	CHECK(download(odd, 1)[0] == count);
	puts("ok");
}
