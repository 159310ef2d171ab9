// Groups of a warp exchange values of any size, and scan.
#include "../programs/check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

struct Best {
	double value;
	int at;
	signed char tag;
};
struct Better {
	__device__ Best operator()(Best a, Best b) const { return b.value > a.value ? b : a; }
};

__global__ void best(const double *x, Best *tiles, Best *odd, signed char *turned) {
	auto tile = cg::tiled_partition<16>(cg::this_thread_block());
	Best mine = {x[threadIdx.x], (int)threadIdx.x, (signed char)(threadIdx.x - 64)};
	Best b = cg::reduce(tile, mine, Better());
	if (tile.thread_rank() == 0)
		tiles[tile.meta_group_rank()] = b;
	turned[threadIdx.x] = tile.shfl(mine.tag, (tile.thread_rank() + 5) % 16);
	if (threadIdx.x % 2) {
		auto some = cg::coalesced_threads();
		Best o = cg::reduce(some, mine, Better());
		if (some.thread_rank() == some.size() - 1)
			odd[threadIdx.x / 32] = o;
	}
}

__global__ void scans(const int *x, int *through, int *before, long long *products, int *thirds) {
	auto tile = cg::tiled_partition<8>(cg::this_thread_block());
	int v = x[threadIdx.x];
	through[threadIdx.x] = cg::inclusive_scan(tile, v);
	before[threadIdx.x] = cg::exclusive_scan(tile, v);
	auto warp = cg::tiled_partition<32>(cg::this_thread_block());
	products[threadIdx.x] = cg::inclusive_scan(warp, (long long)v % 7, [](long long a, long long b) { return a * 3 + b; });
	if (threadIdx.x % 3 == 0)
		thirds[threadIdx.x] = cg::exclusive_scan(cg::coalesced_threads(), v, cg::plus<int>());
}

// sum adds the values of any group, by a tree in shared memory.
static __device__ int sum(cg::thread_group g, int *room, int v) {
	unsigned rank = g.thread_rank();
	for (unsigned left = g.size() / 2; left > 0; left /= 2) {
		room[rank] = v;
		g.sync();
		if (rank < left)
			v += room[rank + left];
		g.sync();
	}
	return v;
}
__global__ void sums(int *whole, int *tiles, int *quads) {
	__shared__ int room[128];
	auto block = cg::this_thread_block();
	auto tile = cg::tiled_partition<16>(block);
	auto quad = cg::tiled_partition(block, 4);
	int v = threadIdx.x * threadIdx.x;
	int all = sum(block, room, v);
	block.sync();
	int some = sum(tile, room + threadIdx.x / 16 * 16, v);
	int four = sum(quad, room + threadIdx.x / 4 * 4, v);
	if (threadIdx.x == 0)
		*whole = all;
	if (tile.thread_rank() == 0)
		tiles[threadIdx.x / 16] = some;
	if (quad.thread_rank() == 0)
		quads[threadIdx.x / 4] = four;
}

int main() {
	int *whole, *ofTiles, *quads;
	TRY(cudaMalloc(&whole, sizeof(int)));
	TRY(cudaMalloc(&ofTiles, 8 * sizeof(int)));
	TRY(cudaMalloc(&quads, 32 * sizeof(int)));
	sums<<<1, 128>>>(whole, ofTiles, quads);
	WAIT();
	auto ts = download(ofTiles, 8), qs = download(quads, 32);
	int want = 0;
	for (int i = 0; i < 128; i++) {
		want += i * i;
		ts[i / 16] -= i * i;
		qs[i / 4] -= i * i;
	}
	CHECK(download(whole, 1)[0] == want);
	for (int i = 0; i < 32; i++)
		CHECK(qs[i] == 0 && ts[i / 4] == 0);

	const int n = 128;
	std::vector<double> x(n);
	std::vector<int> y(n);
	for (int i = 0; i < n; i++)
		x[i] = i * 37 % 101 + 1e-9 * i, y[i] = i * i % 19;
	double *d = upload(x);
	int *e = upload(y), *through, *before, *thirds;
	Best *tiles, *odd;
	signed char *turned;
	long long *products;
	TRY(cudaMalloc(&tiles, 8 * sizeof *tiles));
	TRY(cudaMalloc(&odd, 4 * sizeof *odd));
	TRY(cudaMalloc(&turned, n));
	TRY(cudaMalloc(&through, n * sizeof(int)));
	TRY(cudaMalloc(&before, n * sizeof(int)));
	TRY(cudaMalloc(&thirds, n * sizeof(int)));
	TRY(cudaMemset(thirds, 0, n * sizeof(int)));
	TRY(cudaMalloc(&products, n * sizeof(long long)));
	best<<<1, n>>>(d, tiles, odd, turned);
	scans<<<1, n>>>(e, through, before, products, thirds);
	WAIT();
	auto t = download(tiles, 8), o = download(odd, 4);
	auto c = download(turned, n);
	auto in = download(through, n), out = download(before, n), third = download(thirds, n);
	auto p = download(products, n);
	for (int i = 0; i < n; i++) {
		CHECK(c[i] == (i & ~15) + (i + 5) % 16 - 64);
		const Best &b = t[i / 16], &q = o[i / 32];
		CHECK(b.value >= x[i] && b.value == x[b.at] && b.at / 16 == i / 16 && b.tag == b.at - 64);
		CHECK(q.at % 2 == 1 && q.at / 32 == i / 32 && (i % 2 == 0 || q.value >= x[i]));
		int sum = 0, some = 0;
		long long product = 0;
		for (int j = i & ~7; j < i; j++)
			sum += y[j];
		CHECK(out[i] == sum && in[i] == sum + y[i]);
		for (int j = i & ~31; j < i; j++)
			some += j % 3 == 0 ? y[j] : 0;
		CHECK(third[i] == (i % 3 == 0 ? some : 0));
		// The operation is not associative: the order of the tree is that of the doubling distances.
		std::vector<long long> line(32);
		for (int j = 0; j < 32; j++)
			line[j] = y[(i & ~31) + j] % 7;
		for (int step = 1; step < 32; step *= 2)
			for (int j = 31; j >= step; j--)
				line[j] = line[j - step] * 3 + line[j];
		product = line[i % 32];
		CHECK(p[i] == product);
	}
	puts("ok");
}
