// Dot products of small integers and the DPX functions, on the device and on the host, against sums and comparisons of one number at a time.
#include "../programs/check.h"

enum { kinds = 4 }; // of numbers: s32, u32, and pairs of each in 16 bits
struct Answers {
	unsigned three[kinds][2], sum[kinds][2], which[kinds][2], relu[2][6];
	bool first[2][2], high[2][2], low[2][2];
};

static __host__ __device__ void answer(unsigned a, unsigned b, unsigned c, Answers *r) {
	r->three[0][0] = __vimax3_s32(a, b, c), r->three[0][1] = __vimin3_s32(a, b, c);
	r->three[1][0] = __vimax3_u32(a, b, c), r->three[1][1] = __vimin3_u32(a, b, c);
	r->three[2][0] = __vimax3_s16x2(a, b, c), r->three[2][1] = __vimin3_s16x2(a, b, c);
	r->three[3][0] = __vimax3_u16x2(a, b, c), r->three[3][1] = __vimin3_u16x2(a, b, c);
	r->sum[0][0] = __viaddmax_s32(a, b, c), r->sum[0][1] = __viaddmin_s32(a, b, c);
	r->sum[1][0] = __viaddmax_u32(a, b, c), r->sum[1][1] = __viaddmin_u32(a, b, c);
	r->sum[2][0] = __viaddmax_s16x2(a, b, c), r->sum[2][1] = __viaddmin_s16x2(a, b, c);
	r->sum[3][0] = __viaddmax_u16x2(a, b, c), r->sum[3][1] = __viaddmin_u16x2(a, b, c);
	r->relu[0][0] = __vimax_s32_relu(a, b), r->relu[0][1] = __vimin_s32_relu(a, b);
	r->relu[0][2] = __vimax3_s32_relu(a, b, c), r->relu[0][3] = __vimin3_s32_relu(a, b, c);
	r->relu[0][4] = __viaddmax_s32_relu(a, b, c), r->relu[0][5] = __viaddmin_s32_relu(a, b, c);
	r->relu[1][0] = __vimax_s16x2_relu(a, b), r->relu[1][1] = __vimin_s16x2_relu(a, b);
	r->relu[1][2] = __vimax3_s16x2_relu(a, b, c), r->relu[1][3] = __vimin3_s16x2_relu(a, b, c);
	r->relu[1][4] = __viaddmax_s16x2_relu(a, b, c), r->relu[1][5] = __viaddmin_s16x2_relu(a, b, c);
	r->which[0][0] = __vibmax_s32(a, b, &r->first[0][0]), r->which[0][1] = __vibmin_s32(a, b, &r->first[0][1]);
	r->which[1][0] = __vibmax_u32(a, b, &r->first[1][0]), r->which[1][1] = __vibmin_u32(a, b, &r->first[1][1]);
	r->which[2][0] = __vibmax_s16x2(a, b, &r->high[0][0], &r->low[0][0]), r->which[2][1] = __vibmin_s16x2(a, b, &r->high[0][1], &r->low[0][1]);
	r->which[3][0] = __vibmax_u16x2(a, b, &r->high[1][0], &r->low[1][0]), r->which[3][1] = __vibmin_u16x2(a, b, &r->high[1][1], &r->low[1][1]);
}

__global__ void answers(const unsigned *abc, Answers *r, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		answer(abc[3 * i], abc[3 * i + 1], abc[3 * i + 2], &r[i]);
}

struct Dots {
	int s[6];
	unsigned u[6];
};
__global__ void dots(const unsigned *abc, Dots *r, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned a = abc[3 * i], b = abc[3 * i + 1], c = abc[3 * i + 2];
	char4 b4 = {(signed char)b, (signed char)(b >> 8), (signed char)(b >> 16), (signed char)(b >> 24)};
	uchar4 v4 = {(unsigned char)b, (unsigned char)(b >> 8), (unsigned char)(b >> 16), (unsigned char)(b >> 24)};
	char4 a4 = {(signed char)a, (signed char)(a >> 8), (signed char)(a >> 16), (signed char)(a >> 24)};
	uchar4 u4 = {(unsigned char)a, (unsigned char)(a >> 8), (unsigned char)(a >> 16), (unsigned char)(a >> 24)};
	r[i] = {{__dp4a((int)a, (int)b, (int)c), __dp2a_lo((int)a, (int)b, (int)c), __dp2a_hi((int)a, (int)b, (int)c),
			__dp4a(a4, b4, (int)c), __dp2a_lo(short2{(short)a, (short)(a >> 16)}, b4, (int)c), __dp2a_hi(short2{(short)a, (short)(a >> 16)}, b4, (int)c)},
		{__dp4a(a, b, c), __dp2a_lo(a, b, c), __dp2a_hi(a, b, c),
			__dp4a(u4, v4, c), __dp2a_lo(ushort2{(unsigned short)a, (unsigned short)(a >> 16)}, v4, c), __dp2a_hi(ushort2{(unsigned short)a, (unsigned short)(a >> 16)}, v4, c)}};
}

// number returns a part of a word as kind k has it: half 0 or 1 of a pair.
static long long number(unsigned x, int k, int half) {
	switch (k) {
	case 0: return (int)x;
	case 1: return x;
	case 2: return (short)(x >> 16 * half);
	default: return (unsigned short)(x >> 16 * half);
	}
}
static long long least(long long a, long long b) { return a < b ? a : b; }
static long long most(long long a, long long b) { return a > b ? a : b; }

static void compare(unsigned a, unsigned b, unsigned c, const Answers &r) {
	for (int k = 0; k < kinds; k++) {
		for (int half = 0; half < (k < 2 ? 1 : 2); half++) {
			long long x = number(a, k, half), y = number(b, k, half), z = number(c, k, half), s = number((unsigned)(x + y) << 16 * half, k, half);
			if (k < 2)
				s = number((unsigned)(x + y), k, 0);
			CHECK(number(r.three[k][0], k, half) == most(most(x, y), z));
			CHECK(number(r.three[k][1], k, half) == least(least(x, y), z));
			CHECK(number(r.sum[k][0], k, half) == most(s, z));
			CHECK(number(r.sum[k][1], k, half) == least(s, z));
			CHECK(number(r.which[k][0], k, half) == most(x, y));
			CHECK(number(r.which[k][1], k, half) == least(x, y));
			const bool *first = k < 2 ? r.first[k] : half ? r.high[k - 2] : r.low[k - 2];
			CHECK(first[0] == (x >= y));
			CHECK(first[1] == (x <= y));
			if (k % 2)
				continue;
			const unsigned *relu = r.relu[k / 2];
			CHECK(number(relu[0], k, half) == most(most(x, y), 0));
			CHECK(number(relu[1], k, half) == most(least(x, y), 0));
			CHECK(number(relu[2], k, half) == most(most(most(x, y), z), 0));
			CHECK(number(relu[3], k, half) == most(least(least(x, y), z), 0));
			CHECK(number(relu[4], k, half) == most(most(s, z), 0));
			CHECK(number(relu[5], k, half) == most(least(s, z), 0));
		}
	}
}

int main() {
	const int n = 300;
	std::vector<unsigned> abc;
	unsigned x = 1;
	for (int i = 0; i < 3 * n; i++) {
		x = x * 1664525 + 1013904223;
		abc.push_back(i % 7 == 0 && i ? abc[i - 1] : i % 11 == 0 ? 0x80007fff : x);
	}
	unsigned *d = upload(abc);
	Answers *r;
	Dots *p;
	TRY(cudaMalloc(&r, n * sizeof *r));
	TRY(cudaMalloc(&p, n * sizeof *p));
	answers<<<(n + 63) / 64, 64>>>(d, r, n);
	dots<<<(n + 63) / 64, 64>>>(d, p, n);
	WAIT();
	auto device = download(r, n);
	auto products = download(p, n);
	for (int i = 0; i < n; i++) {
		unsigned a = abc[3 * i], b = abc[3 * i + 1], c = abc[3 * i + 2];
		Answers host;
		answer(a, b, c, &host);
		compare(a, b, c, host);
		compare(a, b, c, device[i]);
		unsigned s[3] = {c, c, c}, u[3] = {c, c, c};
		for (int j = 0; j < 4; j++) {
			s[0] += (signed char)(a >> 8 * j) * (signed char)(b >> 8 * j);
			u[0] += (unsigned char)(a >> 8 * j) * (unsigned char)(b >> 8 * j);
			s[1 + j / 2] += (short)(a >> 16 * (j % 2)) * (signed char)(b >> 8 * j);
			u[1 + j / 2] += (unsigned short)(a >> 16 * (j % 2)) * (unsigned char)(b >> 8 * j);
		}
		for (int j = 0; j < 6; j++) {
			CHECK(products[i].s[j] == (int)s[j % 3]);
			CHECK(products[i].u[j] == u[j % 3]);
		}
	}
	puts("ok");
}
