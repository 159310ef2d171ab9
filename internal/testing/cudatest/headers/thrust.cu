// Thrust and CUB beside the C++ library: sorted, scanned, reduced and selected numbers, by whole devices, blocks and warps.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>
#include <cub/cub.cuh>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

struct odd {
	__host__ __device__ bool operator()(unsigned v) const { return v & 1; }
};
struct square {
	__host__ __device__ unsigned long long operator()(unsigned v) const { return (unsigned long long)v * v; }
};

static const char *failed = nullptr;
static void check(bool right, const char *what) {
	if (!right && !failed)
		failed = what;
}
static std::vector<unsigned> numbers(int n, unsigned below) {
	std::vector<unsigned> v(n);
	unsigned state = n;
	for (auto &x : v)
		state = state * 1664525 + 1013904223, x = (state >> 8) % below;
	return v;
}
template <class T> static std::vector<T> host(const thrust::device_vector<T> &v) {
	std::vector<T> h(v.size());
	thrust::copy(v.begin(), v.end(), h.begin());
	return h;
}

static void algorithms(int n) {
	auto v = numbers(n, 1000);
	thrust::device_vector<unsigned> d(v.begin(), v.end()), keys = d, values(thrust::counting_iterator<unsigned>(0), thrust::counting_iterator<unsigned>(n));

	check(thrust::reduce(d.begin(), d.end(), 0u) == std::accumulate(v.begin(), v.end(), 0u), "reduce");
	unsigned long long squares = 0;
	for (unsigned x : v)
		squares += (unsigned long long)x * x;
	check(thrust::transform_reduce(d.begin(), d.end(), square(), 0ull, thrust::plus<unsigned long long>()) == squares, "transform_reduce");

	std::vector<unsigned> sums(n), order(n), some;
	thrust::device_vector<unsigned> out(n);
	thrust::inclusive_scan(d.begin(), d.end(), out.begin());
	std::partial_sum(v.begin(), v.end(), sums.begin());
	check(host(out) == sums, "inclusive_scan");

	auto end = thrust::copy_if(d.begin(), d.end(), out.begin(), odd());
	std::copy_if(v.begin(), v.end(), std::back_inserter(some), odd());
	auto got = host(out);
	check(end - out.begin() == (long)some.size() && std::equal(some.begin(), some.end(), got.begin()), "copy_if");

	thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin());
	std::iota(order.begin(), order.end(), 0u);
	std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return v[a] < v[b]; });
	check(host(values) == order, "stable_sort_by_key");
	std::sort(v.begin(), v.end());
	check(host(keys) == v, "sorted keys");
	thrust::sort(d.begin(), d.end(), thrust::greater<unsigned>()); // by merging, since it has an order of its own
	check(host(d) == std::vector<unsigned>(v.rbegin(), v.rend()), "sort by an order");

	check(thrust::lower_bound(keys.begin(), keys.end(), 500u) - keys.begin() == std::lower_bound(v.begin(), v.end(), 500u) - v.begin(), "lower_bound");
	auto last = thrust::unique(keys.begin(), keys.end());
	v.erase(std::unique(v.begin(), v.end()), v.end());
	got = host(keys);
	check(last - keys.begin() == (long)v.size() && std::equal(v.begin(), v.end(), got.begin()), "unique");
}

static void devices(int n) {
	auto v = numbers(n, 64);
	thrust::device_vector<unsigned> d(v.begin(), v.end()), counts(64);
	size_t bytes = 0;
	cub::DeviceHistogram::HistogramEven(nullptr, bytes, thrust::raw_pointer_cast(d.data()), thrust::raw_pointer_cast(counts.data()), 65, 0u, 64u, n);
	thrust::device_vector<char> room(bytes);
	cub::DeviceHistogram::HistogramEven(thrust::raw_pointer_cast(room.data()), bytes, thrust::raw_pointer_cast(d.data()), thrust::raw_pointer_cast(counts.data()), 65, 0u, 64u, n);
	std::vector<unsigned> want(64);
	for (unsigned x : v)
		want[x]++;
	check(host(counts) == want, "HistogramEven");
}

__global__ void parts(const unsigned *in, unsigned *sorted, unsigned *scanned, unsigned *sums) {
	typedef cub::BlockRadixSort<unsigned, 128, 4> Sort;
	typedef cub::BlockScan<unsigned, 128> Scan;
	typedef cub::BlockReduce<unsigned, 128> Reduce;
	typedef cub::WarpReduce<unsigned> Warp;
	__shared__ union {
		typename Sort::TempStorage sort;
		typename Scan::TempStorage scan;
		typename Reduce::TempStorage reduce;
		typename Warp::TempStorage warp[4];
	} room;
	unsigned items[4], one = in[threadIdx.x], before;
	for (int i = 0; i < 4; i++)
		items[i] = in[threadIdx.x * 4 + i];
	Sort(room.sort).Sort(items);
	for (int i = 0; i < 4; i++)
		sorted[threadIdx.x * 4 + i] = items[i];
	__syncthreads();
	Scan(room.scan).ExclusiveSum(one, before);
	scanned[threadIdx.x] = before;
	__syncthreads();
	unsigned all = Reduce(room.reduce).Sum(one);
	__syncthreads();
	unsigned some = Warp(room.warp[threadIdx.x / 32]).Sum(one);
	if (threadIdx.x % 32 == 0)
		sums[1 + threadIdx.x / 32] = some;
	if (threadIdx.x == 0)
		sums[0] = all;
}

static void blocks() {
	auto v = numbers(512, 1 << 20);
	thrust::device_vector<unsigned> d(v.begin(), v.end()), sorted(512), scanned(128), sums(5);
	parts<<<1, 128>>>(thrust::raw_pointer_cast(d.data()), thrust::raw_pointer_cast(sorted.data()), thrust::raw_pointer_cast(scanned.data()), thrust::raw_pointer_cast(sums.data()));
	std::vector<unsigned> before(128), want(5);
	for (int i = 0; i < 128; i++)
		before[i] = want[0], want[0] += v[i], want[1 + i / 32] += v[i];
	check(host(scanned) == before, "BlockScan");
	check(host(sums) == want, "BlockReduce and WarpReduce");
	std::sort(v.begin(), v.end());
	check(host(sorted) == v, "BlockRadixSort");
}

int main() {
	for (int n : {1, 1000, 20000}) {
		algorithms(n);
		devices(n);
	}
	blocks();
	printf("%s\n", failed ? failed : "ok");
}
