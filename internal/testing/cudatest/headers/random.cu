// Random numbers of kernels: words against published ones and against generators that go step by step, and what distributions make of them.
#include "../programs/check.h"
#include <cmath>
#include <curand_kernel.h>

// Philox of the counters and keys for which its authors publish the words.
__global__ void philox(const unsigned *in, unsigned *out) {
	curandStatePhilox4_32_10 s = {};
	const unsigned *c = in + 6 * threadIdx.x;
	s.key = {c[4], c[5]};
	s.ctr = {c[0], c[1], c[2], c[3]};
	skipahead_sequence(0, &s);
	for (int i = 0; i < 4; i++)
		out[4 * threadIdx.x + i] = curand(&s);
}

template <class S> __global__ void words(unsigned long long seed, unsigned long long sequence, unsigned long long offset, unsigned *out, int n) {
	S s;
	curand_init(seed, sequence + threadIdx.x, offset, &s);
	for (int i = 0; i < n; i++)
		out[threadIdx.x * n + i] = curand(&s);
}

// Words by fours, after some single ones, and after going ahead.
__global__ void fours(unsigned *out) {
	curandStatePhilox4_32_10_t s;
	curand_init(7, threadIdx.x, 0, &s);
	for (unsigned i = 0; i < threadIdx.x; i++)
		curand(&s);
	uint4 a = curand4(&s);
	skipahead(9, &s);
	uint4 b = curand4(&s);
	unsigned *to = out + 8 * threadIdx.x;
	to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = a.w, to[4] = b.x, to[5] = b.y, to[6] = b.z, to[7] = b.w;
}

enum { draws = 64 };
struct Drawn {
	float uniform[draws], normal[draws], log[draws];
	double wide[draws], bell[draws];
};
template <class S> __global__ void draw(Drawn *d) {
	S s, t;
	curand_init(1234, threadIdx.x, 0, &s);
	t = s;
	for (int i = 0; i < draws; i++)
		d[threadIdx.x].uniform[i] = curand_uniform(&s);
	for (int i = 0; i < draws; i++)
		d[threadIdx.x].normal[i] = curand_normal(&t);
	s = t;
	for (int i = 0; i < draws; i++)
		d[threadIdx.x].wide[i] = curand_uniform_double(&s);
	for (int i = 0; i < draws; i++)
		d[threadIdx.x].bell[i] = curand_normal_double(&t);
	curand_init(1234, threadIdx.x, 0, &t);
	for (int i = 0; i < draws; i++)
		d[threadIdx.x].log[i] = curand_log_normal(&t, 1, 0.5f);
}

struct Xorwow {
	unsigned v[5], d;
	explicit Xorwow(unsigned long long seed) {
		unsigned a = 1099087573u * ((unsigned)seed ^ 0xaad26b49u), b = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
		unsigned from[] = {123456789 + a, 362436069 ^ a, 521288629 + b, 88675123 ^ b, 5783321 + a};
		for (int i = 0; i < 5; i++)
			v[i] = from[i];
		d = 6615241 + a + b;
	}
	unsigned next() {
		unsigned t = v[0] ^ v[0] >> 2;
		for (int i = 0; i < 4; i++)
			v[i] = v[i + 1];
		v[4] ^= v[4] << 4 ^ t ^ t << 1;
		return v[4] + (d += 362437);
	}
};

template <class S> static void distributions() {
	const int n = 64;
	Drawn *d;
	unsigned *w;
	TRY(cudaMalloc(&d, n * sizeof *d));
	TRY(cudaMalloc(&w, n * draws * sizeof *w));
	draw<S><<<1, n>>>(d);
	words<S><<<1, n>>>(1234, 0, 0, w, draws);
	WAIT();
	auto got = download(d, n);
	auto word = download(w, n * draws);
	double sum = 0, square = 0, wide = 0, bell = 0, bell2 = 0;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < draws; j++) {
			double u = word[i * draws + j] * 0x1p-32 + 0x1p-33;
			CHECK(fabs(got[i].uniform[j] - u) < 1e-7 && got[i].uniform[j] > 0 && got[i].uniform[j] <= 1);
			double x = word[i * draws + j / 2 * 2] * 0x1p-32 + 0x1p-33, y = word[i * draws + j / 2 * 2 + 1] * 0x1p-32 + 0x1p-33;
			double z = sqrt(-2 * log(x)) * (j % 2 ? cos(2 * M_PI * y) : sin(2 * M_PI * y));
			CHECK(fabs(got[i].normal[j] - z) < 1e-5);
			CHECK(fabs(got[i].log[j] - exp(1 + 0.5 * z)) < 1e-4 * exp(1 + 0.5 * z));
			sum += got[i].normal[j], square += got[i].normal[j] * got[i].normal[j];
			wide += got[i].wide[j], bell += got[i].bell[j], bell2 += got[i].bell[j] * got[i].bell[j];
			CHECK(got[i].wide[j] > 0 && got[i].wide[j] <= 1);
		}
	const double all = n * draws;
	CHECK(fabs(sum / all) < 0.05 && fabs(square / all - 1) < 0.08 && fabs(wide / all - 0.5) < 0.02 && fabs(bell / all) < 0.05 && fabs(bell2 / all - 1) < 0.08);
}

int main() {
	std::vector<unsigned> in = {0, 0, 0, 0, 0, 0, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0};
	unsigned published[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
	unsigned *d = upload(in), *out;
	TRY(cudaMalloc(&out, 1 << 16));
	philox<<<1, 3>>>(d, out);
	WAIT();
	auto got = download(out, 12);
	for (int i = 0; i < 12; i++)
		CHECK(got[i] == published[i]);

	// Offsets are words, for both; of XORWOW they are taken one by one.
	for (unsigned offset : {0u, 1u, 6u, 1000u, 70000u}) {
		const unsigned long long seed = 0x123456789abcdefULL;
		words<curandState><<<1, 1>>>(seed, 0, offset, out, 8);
		words<curandStatePhilox4_32_10_t><<<1, 1>>>(seed, 3, offset, out + 8, 8);
		words<curandStatePhilox4_32_10_t><<<1, 1>>>(seed, 3, offset - offset % 4, out + 16, 16);
		WAIT();
		got = download(out, 32);
		Xorwow slow(seed);
		for (unsigned i = 0; i < offset; i++)
			slow.next();
		for (int i = 0; i < 8; i++) {
			CHECK(got[i] == slow.next());
			CHECK(got[8 + i] == got[16 + offset % 4 + i]);
		}
	}
	// Sequences: to go ahead by a sum is to go ahead twice, and all of them differ.
	words<curandState><<<1, 64>>>(5, 1000, 0, out, 4);
	words<curandState><<<1, 64>>>(5, 1008, 0, out + 256, 4);
	WAIT();
	got = download(out, 512);
	for (int i = 8; i < 64; i++)
		CHECK(got[4 * i] == got[256 + 4 * (i - 8)] && got[4 * i] != got[4 * i - 4]);

	fours<<<1, 4>>>(out);
	words<curandStatePhilox4_32_10_t><<<1, 4>>>(7, 0, 0, out + 32, 32);
	WAIT();
	got = download(out, 160);
	for (int t = 0; t < 4; t++)
		for (int i = 0; i < 4; i++) {
			CHECK(got[8 * t + i] == got[32 + 32 * t + t + i]);
			CHECK(got[8 * t + 4 + i] == got[32 + 32 * t + t + 4 + 9 + i]);
		}
	distributions<curandState>();
	distributions<curandStatePhilox4_32_10_t>();
	puts("ok");
}
