// Fourier transforms of 512 complex numbers each, in shared memory by powers of two, with a table of the roots.
// Limited by shared memory, with conflicts of banks, and by barriers.
// 256 threads; 64, 528 and 1,584 blocks, one for each transform.
#include "check.h"
#include <complex>

const int N = 512;

__global__ void transform(const float2 *in, float2 *out, const float2 *roots) {
	__shared__ float2 s[N];
	int t = threadIdx.x;
	in += blockIdx.x * N, out += blockIdx.x * N;
	for (int i = t; i < N; i += N / 2)
		s[__brev(i) >> 23] = in[i];
	__syncthreads();
	for (int half = 1; half < N; half *= 2) {
		int k = t & (half - 1), i = 2 * t - k;
		float2 w = roots[k * (N / 2 / half)], a = s[i], b = s[i + half];
		float2 c = make_float2(w.x * b.x - w.y * b.y, w.x * b.y + w.y * b.x);
		s[i] = make_float2(a.x + c.x, a.y + c.y);
		s[i + half] = make_float2(a.x - c.x, a.y - c.y);
		__syncthreads();
	}
	for (int i = t; i < N; i += N / 2)
		out[i] = s[i];
}

// The same, on the host: by halves, of every step-th number.
std::vector<std::complex<double>> reference(const float2 *in, int n, int step) {
	if (n == 1)
		return {{in->x, in->y}};
	auto even = reference(in, n / 2, 2 * step), odd = reference(in + step, n / 2, 2 * step);
	std::vector<std::complex<double>> out(n);
	for (int k = 0; k < n / 2; k++) {
		auto c = std::polar(1.0, -2 * M_PI * k / n) * odd[k];
		out[k] = even[k] + c, out[k + n / 2] = even[k] - c;
	}
	return out;
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 64, 528, 1584);
	std::vector<float2> in(blocks * N), roots(N / 2);
	for (int i = 0; i < blocks * N; i++)
		in[i] = make_float2(fraction(2 * i) - 0.5f, fraction(2 * i + 1) - 0.5f);
	for (int i = 0; i < N / 2; i++)
		roots[i] = make_float2(cos(2 * M_PI * i / N), -sin(2 * M_PI * i / N));
	float2 *d = upload(in), *r = upload(roots), *out = room<float2>(in.size());
	launches(blocks, [&](dim3 grid) { transform<<<grid, N / 2>>>(d, out, r); });
	auto got = download(out, in.size());
	for (int b = 0; b < blocks; b++) {
		auto want = reference(&in[b * N], N, 1);
		for (int i = 0; i < N; i++) {
			same<double>("real", b * N + i, got[b * N + i].x, want[i].real(), 1e-4);
			same<double>("imaginary", b * N + i, got[b * N + i].y, want[i].imag(), 1e-4);
		}
	}
	puts("right");
}
