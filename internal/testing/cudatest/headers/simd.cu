// Arithmetic on the halves and bytes of a word, against numbers one by one.
#include "../programs/check.h"

// A function of a word: its name, and what it makes of parts x and y of n bits, signed (s) and unsigned.
enum { word = 32 };
#define BOTH(X, name, value) X(name##2, 16, value) X(name##4, 8, value)
#define ONES(X) \
	BOTH(X, __vabs, x < 0 ? -x : x) BOTH(X, __vabsss, saturated(x < 0 ? -x : x, n)) BOTH(X, __vneg, -x) BOTH(X, __vnegss, saturated(-x, n))
#define TWOS(X) \
	BOTH(X, __vadd, x + y) BOTH(X, __vaddss, saturated(x + y, n)) BOTH(X, __vaddus, limited(ux + uy, n)) BOTH(X, __vsub, x - y) BOTH(X, __vsubss, saturated(x - y, n)) \
	BOTH(X, __vsubus, limited(ux - uy, n)) BOTH(X, __vmaxs, x > y ? x : y) BOTH(X, __vmaxu, ux > uy ? ux : uy) BOTH(X, __vmins, x < y ? x : y) BOTH(X, __vminu, ux < uy ? ux : uy) \
	BOTH(X, __vabsdiffs, x > y ? x - y : y - x) BOTH(X, __vabsdiffu, ux > uy ? ux - uy : uy - ux) \
	BOTH(X, __vavgs, (x + y < 0 ? x + y : x + y + 1) >> 1) BOTH(X, __vavgu, (ux + uy + 1) >> 1) BOTH(X, __vhaddu, (ux + uy) >> 1) \
	BOTH(X, __vcmpeq, x == y ? -1 : 0) BOTH(X, __vcmpne, x != y ? -1 : 0) BOTH(X, __vcmpges, x >= y ? -1 : 0) BOTH(X, __vcmpgeu, ux >= uy ? -1 : 0) \
	BOTH(X, __vcmpgts, x > y ? -1 : 0) BOTH(X, __vcmpgtu, ux > uy ? -1 : 0) BOTH(X, __vcmples, x <= y ? -1 : 0) BOTH(X, __vcmpleu, ux <= uy ? -1 : 0) \
	BOTH(X, __vcmplts, x < y ? -1 : 0) BOTH(X, __vcmpltu, ux < uy ? -1 : 0) BOTH(X, __vseteq, x == y) BOTH(X, __vsetne, x != y) BOTH(X, __vsetges, x >= y) \
	BOTH(X, __vsetgeu, ux >= uy) BOTH(X, __vsetgts, x > y) BOTH(X, __vsetgtu, ux > uy) BOTH(X, __vsetles, x <= y) BOTH(X, __vsetleu, ux <= uy) BOTH(X, __vsetlts, x < y) BOTH(X, __vsetltu, ux < uy)
#define COUNT(...) +1
enum { functions = 0 ONES(COUNT) TWOS(COUNT) + 4 };

static int saturated(int v, int n) { return v < -(1 << (n - 1)) ? -(1 << (n - 1)) : v > (1 << (n - 1)) - 1 ? (1 << (n - 1)) - 1 : v; }
static int limited(int v, int n) { return v < 0 ? 0 : v > (1 << n) - 1 ? (1 << n) - 1 : v; }

#define CALL1(name, ...) *r++ = name(a);
#define CALL2(name, ...) *r++ = name(a, b);
__global__ void all(const unsigned *x, unsigned *to) {
	unsigned a = x[2 * threadIdx.x], b = x[2 * threadIdx.x + 1], *r = to + functions * threadIdx.x;
	ONES(CALL1)
	TWOS(CALL2)
	*r++ = __vsads2(a, b), *r++ = __vsads4(a, b), *r++ = __vsadu2(a, b), *r++ = __vsadu4(a, b);
}

template <class F> static unsigned parts(unsigned a, unsigned b, int n, F value) {
	unsigned all = 0;
	for (int i = 0; i < word; i += n) {
		unsigned mask = (1u << n) - 1, ux = a >> i & mask, uy = b >> i & mask;
		int x = (int)(ux << (word - n)) >> (word - n), y = (int)(uy << (word - n)) >> (word - n);
		all |= (value(x, y, (int)ux, (int)uy, n) & mask) << i;
	}
	return all;
}
static unsigned differences(unsigned a, unsigned b, int n, bool with) {
	unsigned sum = 0;
	parts(a, b, n, [&](int x, int y, int ux, int uy, int) { return sum += with ? (x > y ? x - y : y - x) : (ux > uy ? ux - uy : uy - ux), 0u; });
	return sum;
}

int main() {
	const int threads = 128;
	std::vector<unsigned> x;
	unsigned v = 7;
	for (int i = 0; i < 2 * threads; i++) {
		v = v * 1664525 + 1013904223;
		const unsigned edges[] = {0x80008000, 0x7fff8001, 0xffff0000, 0x807f01ff, 0};
		x.push_back(i % 3 ? v : edges[i / 3 % 5]);
		if (i % 8 == 7)
			x[i] = x[i - 1] ^ 0x100; // parts that are equal
	}
	unsigned *d = upload(x), *to;
	TRY(cudaMalloc(&to, functions * threads * sizeof *to));
	all<<<1, threads>>>(d, to);
	WAIT();
	auto got = download(to, functions * threads);
	for (int t = 0; t < threads; t++) {
		unsigned a = x[2 * t], b = x[2 * t + 1];
		const unsigned *r = &got[functions * t];
#define COMPARE(name, bits, value) CHECK(*r++ == parts(a, b, bits, [](int x, int y, int ux, int uy, int n) { return (unsigned)(value); }));
		ONES(COMPARE)
		TWOS(COMPARE)
		CHECK(*r++ == differences(a, b, 16, true));
		CHECK(*r++ == differences(a, b, 8, true));
		CHECK(*r++ == differences(a, b, 16, false));
		CHECK(*r++ == differences(a, b, 8, false));
	}
	puts("ok");
}
