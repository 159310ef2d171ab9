// Complex numbers beside std::complex of long double, and tiles of groups, which are of one type whatever they are parts of.
#include "../programs/check.h"
#include <complex>
#include <cooperative_groups.h>
#include <cuComplex.h>
namespace cg = cooperative_groups;

struct result {
	cuFloatComplex f[4];
	cuDoubleComplex d[4];
	float size;
	double length;
};

static __host__ __device__ result compute(cuDoubleComplex a, cuDoubleComplex b) {
	cuFloatComplex x = cuComplexDoubleToFloat(a), y = cuComplexDoubleToFloat(b);
	return {{cuCaddf(x, y), cuCmulf(x, y), cuCdivf(x, y), cuCfmaf(x, y, cuConjf(x))}, {cuCadd(a, b), cuCmul(a, b), cuCdiv(a, b), cuCsub(a, cuConj(b))}, cuCabsf(x), cuCabs(a)};
}

static __device__ unsigned rank(cg::thread_block_tile<8> tile) { return tile.thread_rank(); }

__global__ void all(const cuDoubleComplex *in, result *out, unsigned *ranks) {
	int i = threadIdx.x;
	out[i] = compute(in[2 * i], in[2 * i + 1]);
	cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
	ranks[i] = rank(tile) + rank(cg::tiled_partition<8>(cg::tiled_partition<32>(cg::this_thread_block())));
}

typedef std::complex<long double> exact;
template <class T> static bool near(T got, exact want, long double unit) { return std::abs(exact(got.x, got.y) - want) <= 8 * unit * std::abs(want); }

static bool right(const result &r, cuDoubleComplex p, cuDoubleComplex q) {
	exact a(p.x, p.y), b(q.x, q.y), x((float)p.x, (float)p.y), y((float)q.x, (float)q.y);
	const long double f = 0x1p-24l, d = 0x1p-53l;
	// A sum may cancel: its error is one of its summands.
	return std::abs(exact(r.f[0].x, r.f[0].y) - (x + y)) <= f * (std::abs(x) + std::abs(y)) && near(r.f[1], x * y, f) && near(r.f[2], x / y, f) &&
	       std::abs(exact(r.f[3].x, r.f[3].y) - (x * y + std::conj(x))) <= 8 * f * (std::abs(x * y) + std::abs(x)) && std::abs(exact(r.d[0].x, r.d[0].y) - (a + b)) <= d * (std::abs(a) + std::abs(b)) &&
	       near(r.d[1], a * b, d) && near(r.d[2], a / b, d) && std::abs(exact(r.d[3].x, r.d[3].y) - (a - std::conj(b))) <= d * (std::abs(a) + std::abs(b)) &&
	       fabsl(r.size - std::abs(x)) <= 4 * f * std::abs(x) && fabsl(r.length - std::abs(a)) <= 4 * d * std::abs(a);
}

int main() {
	const int n = 128;
	std::vector<cuDoubleComplex> in(2 * n);
	unsigned state = 1;
	auto next = [&] { return state = state * 1664525 + 1013904223, ldexp((int)(state >> 8) - (1 << 23), (int)(state >> 3) % 12 - 23); };
	for (auto &v : in)
		v = make_cuDoubleComplex(next(), next());
	std::vector<result> out(n);
	std::vector<unsigned> ranks(n);
	cuDoubleComplex *device_in = upload(in);
	result *device_out = upload(out);
	unsigned *device_ranks = upload(ranks);
	all<<<1, n>>>(device_in, device_out, device_ranks);
	out = download(device_out, n), ranks = download(device_ranks, n);
	for (int i = 0; i < n; i++) {
		CHECK(right(out[i], in[2 * i], in[2 * i + 1]));
		CHECK(right(compute(in[2 * i], in[2 * i + 1]), in[2 * i], in[2 * i + 1]));
		CHECK(ranks[i] == 2 * (i % 8));
	}
	CHECK(fabs(cuCabs(make_cuDoubleComplex(3e200, 4e200)) / 5e200 - 1) < 1e-15 && cuCabsf(make_cuComplex(0, 0)) == 0);
	printf("ok\n");
}
