// Functions of single and double precision for devices, by additions, multiplications and fused multiply-adds, each rounded
// once, so that the bits are the same on every device. They are those of weft's package gpu; its tests state the error
// bounds. None has a larger error than CUDA's documentation allows.
#pragma once
#pragma clang fp contract(off)

#define __WEFT_FN static __device__ __inline__

// The type is that of the first argument; the others may be constants.
__WEFT_FN float __weft_fma(float a, double b, double c) { return __builtin_fmaf(a, (float)b, (float)c); }
__WEFT_FN double __weft_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
__WEFT_FN unsigned __weft_bits(float x) { return __builtin_bit_cast(unsigned, x); }
__WEFT_FN unsigned long long __weft_bits(double x) { return __builtin_bit_cast(unsigned long long, x); }
__WEFT_FN float __weft_float(unsigned x) { return __builtin_bit_cast(float, x); }
__WEFT_FN double __weft_double(unsigned long long x) { return __builtin_bit_cast(double, x); }

__WEFT_FN unsigned long long __weft_mulhi(unsigned long long a, unsigned long long b) {
	return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}

// Adding one of these rounds to an integer, which is then in the low bits of the sum.
#define __WEFT_ROUND32 0x1.8p23f
#define __WEFT_ROUND64 0x1.8p52

__WEFT_FN float __weft_pow2_32(int n) { return __weft_float((unsigned)(n + 127) << 23); }
__WEFT_FN double __weft_pow2_64(long long n) { return __weft_double((unsigned long long)(n + 1023) << 52); }

// x * 2^n for x near 1, in two steps since 2^n may be out of range; the first is exact.
__WEFT_FN float __weft_scale32(float x, int n) {
	int half = n >> 1;
	return x * __weft_pow2_32(half) * __weft_pow2_32(n - half);
}
__WEFT_FN double __weft_scale64(double x, long long n) {
	long long half = n >> 1;
	return x * __weft_pow2_64(half) * __weft_pow2_64(n - half);
}

// y, computed as a power with exponent x, unless x is beyond the limit.
template <class T, class X> __WEFT_FN T __weft_exp_ends(X x, X limit, T y) {
	if (x > limit)
		y = (T)__builtin_inff();
	if (x < -limit)
		y = 0;
	return y;
}

// __weft_expParts32 returns n and m = e^r - 1, where x = n*ln 2 + r and |r| <= ln(2)/2. The
// relative error of the polynomial is below 2^-26.
__WEFT_FN void __weft_expParts32(float x, int &n, float &m) {
	auto t = __weft_fma(x, 0x1.715476p+0f, __WEFT_ROUND32);
	auto k = t - __WEFT_ROUND32;
	auto r = __weft_fma(k, 0x1.05c61p-29f, __weft_fma(k, -0x1.62e43p-1f, x));
	auto p = __weft_fma(r, 0x1.6b6b2p-10f, 0x1.122a4p-7f);
	p = __weft_fma(r, p, 0x1.55571ep-5f);
	p = __weft_fma(r, p, 0x1.5554acp-3f);
	p = __weft_fma(r, p, 0x1.fffffep-2f);
	n = (int)(__weft_bits(t) - __weft_bits(__WEFT_ROUND32));
	m = __weft_fma(r*r, p, r);
}

// __weft_exp32 is Exp for float32.
__WEFT_FN float __weft_exp32(float x) {
	int n;
	float m;
	__weft_expParts32(x, n, m);
	return __weft_exp_ends(x, 150.0f, __weft_scale32(1+m, n));
}

// __weft_expParts64 is the float64 version of __weft_expParts32, with a relative error below 2^-55.
__WEFT_FN void __weft_expParts64(double x, long long &n, double &m) {
	auto t = __weft_fma(x, 0x1.71547652b82fep+0, __WEFT_ROUND64);
	auto k = t - __WEFT_ROUND64;
	auto r = __weft_fma(k, -0x1.abc9e3b39803fp-56, __weft_fma(k, -0x1.62e42fefa39efp-1, x));
	auto p = __weft_fma(r, 0x1.ae7bc1ed2f15ep-26, 0x1.28a30879fd3f1p-22);
	p = __weft_fma(r, p, 0x1.71de7e055067bp-19);
	p = __weft_fma(r, p, 0x1.a019a6388e3b5p-16);
	p = __weft_fma(r, p, 0x1.a01a01799005cp-13);
	p = __weft_fma(r, p, 0x1.6c16c17f4ab73p-10);
	p = __weft_fma(r, p, 0x1.1111111118221p-7);
	p = __weft_fma(r, p, 0x1.55555555520c8p-5);
	p = __weft_fma(r, p, 0x1.555555555553dp-3);
	p = __weft_fma(r, p, 0x1.0000000000005p-1);
	n = (long long)(__weft_bits(t) - __weft_bits(__WEFT_ROUND64));
	m = __weft_fma(r*r, p, r);
}

// __weft_exp64 is Exp for float64.
__WEFT_FN double __weft_exp64(double x) {
	long long n;
	double m;
	__weft_expParts64(x, n, m);
	return __weft_exp_ends(x, 800.0, __weft_scale64(1+m, n));
}

// __weft_exp2of32 is Exp2 for float32.
__WEFT_FN float __weft_exp2of32(float x) {
	auto t = x + __WEFT_ROUND32;
	auto f = x - (t - __WEFT_ROUND32);
	auto p = __weft_fma(f, 0x1.4424e2p-13f, 0x1.5f0f3ep-10f);
	p = __weft_fma(f, p, 0x1.3b2a48p-7f);
	p = __weft_fma(f, p, 0x1.c6af7p-5f);
	p = __weft_fma(f, p, 0x1.ebfbep-3f);
	p = __weft_fma(f, p, 0x1.62e43p-1f);
	return __weft_exp_ends(x, 200.0f, __weft_scale32(__weft_fma(f, p, 1), (int)(__weft_bits(t)-__weft_bits(__WEFT_ROUND32))));
}

// __weft_exp2Slope64 returns (2^f - 1) / f for |f| <= 1/2.
__WEFT_FN double __weft_exp2Slope64(double f) {
	auto p = __weft_fma(f, 0x1.eafc65ccd1cbfp-32, 0x1.e61e9f18c1823p-28);
	p = __weft_fma(f, p, 0x1.b5242367d976dp-24);
	p = __weft_fma(f, p, 0x1.62bfc5a83e494p-20);
	p = __weft_fma(f, p, 0x1.ffcbfcdb55465p-17);
	p = __weft_fma(f, p, 0x1.4309130fa5bfcp-13);
	p = __weft_fma(f, p, 0x1.5d87fe7888bf7p-10);
	p = __weft_fma(f, p, 0x1.3b2ab6fb9fcfp-7);
	p = __weft_fma(f, p, 0x1.c6b08d704a183p-5);
	p = __weft_fma(f, p, 0x1.ebfbdff82c5a6p-3);
	return __weft_fma(f, p, 0x1.62e42fefa39efp-1);
}

// __weft_exp2of64 is Exp2 for float64.
__WEFT_FN double __weft_exp2of64(double x) {
	auto t = x + __WEFT_ROUND64;
	auto f = x - (t - __WEFT_ROUND64);
	return __weft_exp_ends(x, 1200.0, __weft_scale64(__weft_fma(f, __weft_exp2Slope64(f), 1), (long long)(__weft_bits(t)-__weft_bits(__WEFT_ROUND64))));
}

// __weft_split32 splits x > 0 into n and m with x = m * 2^n. The mantissa m is at least the float
// with the bits least, and less than twice that float.
__WEFT_FN void __weft_split32(float x, unsigned least, float &n, float &m) {
	n = 0;
	if (x < 0x1p-126f) {
		x *= 0x1p23f;
		n = -23;
	}
	unsigned u = __weft_bits(x), e = (u - least) & ~0x7fffffu;
	n += (float)((int)e >> 23);
	m = __weft_float(u - e);
}

// __weft_split64 is the float64 version of __weft_split32.
__WEFT_FN void __weft_split64(double x, unsigned long long least, double &n, double &m) {
	n = 0;
	if (x < 0x1p-1022) {
		x *= 0x1p52;
		n = -52;
	}
	unsigned long long u = __weft_bits(x), e = (u - least) & ~0xfffffffffffffull;
	n += (double)(int)((long long)e >> 52);
	m = __weft_double(u - e);
}

template <class T> __WEFT_FN T __weft_log_ends(T x, T y) {
	if (x == 0)
		y = -(T)__builtin_inff();
	if (x < 0)
		y = (T)__builtin_nanf("");
	if (!(x <= (sizeof(T) == 4 ? (T)0x1.fffffep127f : (T)0x1.fffffffffffffp1023)))
		y = x;
	return y;
}

// __weft_log32 is Log for float32.
__WEFT_FN float __weft_log32(float x) {
	float n, m;
	__weft_split32(x, 0x3f2aaaabu, n, m);
	auto f = m - 1;
	auto p = __weft_fma(f, -0x1.03050ap-3f, 0x1.1ee824p-3f);
	p = __weft_fma(f, p, -0x1.f5620ep-4f);
	p = __weft_fma(f, p, 0x1.1eb8a2p-3f);
	p = __weft_fma(f, p, -0x1.55885p-3f);
	p = __weft_fma(f, p, 0x1.99d26ap-3f);
	p = __weft_fma(f, p, -0x1.ffff6ap-3f);
	p = __weft_fma(f, p, 0x1.5555p-2f);
	p = __weft_fma(f, p, -0.5f);
	return __weft_log_ends(x, __weft_fma(n, 0x1.62e43p-1f, __weft_fma(f*f, p, f)));
}

// __weft_log2of32 is Log2 for float32.
__WEFT_FN float __weft_log2of32(float x) {
	float n, m;
	__weft_split32(x, 0x3f2aaaabu, n, m);
	auto f = m - 1;
	auto p = __weft_fma(f, -0x1.758834p-3f, 0x1.9dcd36p-3f);
	p = __weft_fma(f, p, -0x1.69b508p-3f);
	p = __weft_fma(f, p, 0x1.9dad9ap-3f);
	p = __weft_fma(f, p, -0x1.ecb98p-3f);
	p = __weft_fma(f, p, 0x1.279f82p-2f);
	p = __weft_fma(f, p, -0x1.71540cp-2f);
	p = __weft_fma(f, p, 0x1.ec7024p-2f);
	p = __weft_fma(f, p, -0x1.715476p-1f);
	p = __weft_fma(f, 0x1.4ae0cp-26f, (float)(f*f)*p);
	return __weft_log_ends(x, n+__weft_fma(f, 0x1.715476p+0f, p));
}

// __weft_logTail64 returns the tail in log m = f - tail, where f = m - 1. With s = f/(2+f), log m
// is 2s + s^3*q(s^2), and 2s is f - s*f.
__WEFT_FN double __weft_logTail64(double f) {
	auto s = f / (2 + f);
	auto z = s * s;
	auto q = __weft_fma(z, 0x1.0f068a5d2b76cp-3, 0x1.0f681aebf248ep-3);
	q = __weft_fma(z, q, 0x1.3b201a92e08c7p-3);
	q = __weft_fma(z, q, 0x1.745ce204c585ep-3);
	q = __weft_fma(z, q, 0x1.c71c724aa58ffp-3);
	q = __weft_fma(z, q, 0x1.249249243a1b2p-2);
	q = __weft_fma(z, q, 0x1.9999999999d0bp-2);
	q = __weft_fma(z, q, 0x1.5555555555555p-1);
	return s * __weft_fma(-z, q, f);
}

// __weft_log64 is Log for float64.
__WEFT_FN double __weft_log64(double x) {
	double n, m;
	__weft_split64(x, 0x3fe6a09e667f3bcdull, n, m);
	auto f = m - 1;
	auto y = __weft_fma(n, 0x1.abc9e3b39803fp-56, -__weft_logTail64(f));
	return __weft_log_ends(x, __weft_fma(n, 0x1.62e42fefa39efp-1, f+y));
}

// __weft_log2of64 is Log2 for float64.
__WEFT_FN double __weft_log2of64(double x) {
	double n, m;
	__weft_split64(x, 0x3fe6a09e667f3bcdull, n, m);
	auto f = m - 1;
	auto high = (double)(f * 0x1.71547652b82fep+0);
	auto low = __weft_fma(f, 0x1.71547652b82fep+0, -high);
	low = __weft_fma(f, 0x1.777d0ffda0d24p-56, low);
	low = __weft_fma(__weft_logTail64(f), -0x1.71547652b82fep+0, low);
	return __weft_log_ends(x, n+(high+low));
}

// __weft_log2Parts returns the base-2 logarithm of m as the sum of two floats, for m from
// sqrt(1/2) to sqrt(2). The relative error of the sum is below 2^-63. With s = (m-1)/(m+1)
// the logarithm is 2/ln 2 * (s + s^3*(1/3 + s^2*q(s^2))).
__WEFT_FN void __weft_log2Parts(double m, double &log, double &rest) {
	auto d = m + 1;
	auto lost = m - (d - 1); // m+1 is d+lost
	auto inverse = 1 / d;
	auto s = (double)((m - 1) * inverse);
	auto left = __weft_fma(-s, lost, __weft_fma(-s, d, m-1));
	auto sRest = (double)(left * inverse);
	auto z = (double)(s * s);
	auto zRest = __weft_fma(s+s, sRest, __weft_fma(s, s, -z));
	auto q = __weft_fma(z, 0x1.eb769c8da05fp-5, 0x1.de26150680611p-5);
	q = __weft_fma(z, q, 0x1.112112e5f91e5p-4);
	q = __weft_fma(z, q, 0x1.3b135ffe52cb6p-4);
	q = __weft_fma(z, q, 0x1.745d183def419p-4);
	q = __weft_fma(z, q, 0x1.c71c71c564425p-4);
	q = __weft_fma(z, q, 0x1.249249249315p-3);
	q = __weft_fma(z, q, 0x1.9999999999995p-3);
	auto t = (double)(z * q);
	auto u = 0x1.5555555555555p-2 + t;
	auto uRest = 0x1.5555555555555p-2 - u + t + __weft_fma(z, q, __weft_fma(zRest, q, 0x1.5555555555555p-56)-t);
	auto v = (double)(z * u);
	auto vRest = __weft_fma(z, u, -v) + __weft_fma(z, uRest, (double)(zRest*u));
	auto w = (double)(s * v);
	auto wRest = __weft_fma(s, v, -w) + __weft_fma(s, vRest, (double)(sRest*v));
	auto sum = s + w;
	auto sumRest = s - sum + w + (wRest + sRest);
	log = (double)(sum * 0x1.71547652b82fep+1);
	rest = __weft_fma(sum, 0x1.71547652b82fep+1, -log);
	rest += __weft_fma(sum, 0x1.777d0ffda0d24p-55, (double)(sumRest*0x1.71547652b82fep+1));
}

// Turns r = |x|^y into x^y: it sets the sign for a negative x and handles the special cases.
template <class T> __WEFT_FN T __weft_pow_ends(T x, T y, T r) {
	T a = x < 0 ? -x : x, whole = (T)__builtin_trunc(y), half = y * (T)0.5;
	if (a == 1)
		r = 1;
	if (x < 0 && a <= (sizeof(T) == 4 ? (T)0x1.fffffep127f : (T)0x1.fffffffffffffp1023) && whole != y)
		r = (T)__builtin_nanf("");
	if (whole == y && (T)__builtin_trunc(half) != half && (__builtin_signbit(x) != 0))
		r = -r;
	if (x != x || y != y)
		r = x + y;
	if (x == 1 || y == 0)
		r = 1;
	return r;
}

// __weft_pow32 is Pow for float32: 2^(y*log2|x|), computed in float64.
__WEFT_FN float __weft_pow32(float x, float y) {
	auto a = __builtin_fabsf(x);
	float n, m;
	__weft_split32(a, 0x3f3504f3u, n, m);
	auto f = (double)(m) - 1;
	auto p = __weft_fma(f, -0x1.164aa73d93c92p-4, 0x1.0c61a9e343a27p-3);
	p = __weft_fma(f, p, -0x1.14154920dce12p-3);
	p = __weft_fma(f, p, 0x1.0b942ea2f14a9p-3);
	p = __weft_fma(f, p, -0x1.23e39f4f279a9p-3);
	p = __weft_fma(f, p, 0x1.480c4ccd1b1e7p-3);
	p = __weft_fma(f, p, -0x1.7186969e0886ap-3);
	p = __weft_fma(f, p, 0x1.a61c61535ab2p-3);
	p = __weft_fma(f, p, -0x1.ec6f495cece45p-3);
	p = __weft_fma(f, p, 0x1.2776b460006d1p-2);
	p = __weft_fma(f, p, -0x1.7154784b0f298p-2);
	p = __weft_fma(f, p, 0x1.ec709de845b3dp-2);
	p = __weft_fma(f, p, -0x1.71547651db357p-1);
	p = __weft_fma(f, p, 0x1.71547652b51dbp+0);
	auto log = __weft_fma(f, p, (double)(n)); // to the base of 2
	if (a == 0) {
		log = -__builtin_inf();
	}
	if (a > 0x1.fffffep127) {
		log = __builtin_inf();
	}
	auto z = (double)((double)(y) * log);
	auto t = z + __WEFT_ROUND64;
	f = z - (t - __WEFT_ROUND64);
	p = __weft_fma(f, 0x1.00dd491c8a1cdp-16, 0x1.4461287b2533bp-13);
	p = __weft_fma(f, p, 0x1.5d874427bf7bp-10);
	p = __weft_fma(f, p, 0x1.3b29ed5703c31p-7);
	p = __weft_fma(f, p, 0x1.c6b08dd83dd36p-5);
	p = __weft_fma(f, p, 0x1.ebfbe07f2e7f6p-3);
	p = __weft_fma(f, p, 0x1.62e42fef844e2p-1);
	auto r = (float)(__weft_fma(f, p, 1) * __weft_pow2_64((long long)(__weft_bits(t)-__weft_bits(__WEFT_ROUND64))));
	return __weft_pow_ends(x, y, __weft_exp_ends(z, 200.0, r));
}

// __weft_pow64 is Pow for float64. It computes the logarithm as a sum of two floats, since y can
// magnify an error of the logarithm by up to a thousand.
__WEFT_FN double __weft_pow64(double x, double y) {
	auto a = __builtin_fabs(x);
	double n, m;
	__weft_split64(a, 0x3fe6a09e667f3bcdull, n, m);
	double log, rest;
	__weft_log2Parts(m, log, rest);
	// log + rest| is below 1, and n is 0 or at least 1 in magnitude.
	auto sum = n + log;
	rest += log - (sum - n);
	log = sum;
	if (a == 0) {
		log = -__builtin_inf();
	}
	if (a > 0x1.fffffffffffffp1023) {
		log = __builtin_inf();
	}
	auto z = (double)(y * log);
	rest = __weft_fma(y, rest, __weft_fma(y, log, -z));
	auto t = z + __WEFT_ROUND64;
	auto f = z - (t - __WEFT_ROUND64) + rest;
	auto r = __weft_scale64(__weft_fma(f, __weft_exp2Slope64(f), 1), (long long)(__weft_bits(t)-__weft_bits(__WEFT_ROUND64)));
	return __weft_pow_ends(x, y, __weft_exp_ends(z, 1200.0, r));
}

// __weft_rsqrt32 guesses the result from the bits of x, within 3.5%, and improves the guess twice:
// with e = 1 - x*y^2, 1/sqrt(x) is y*(1 + e/2 + 3/8*e^2 + ...). The last e is computed in
// two parts.
__WEFT_FN float __weft_rsqrt32(float x) {
	auto v = x;
	auto scale = (float)(1);
	if (x < 0x1p-126f) {
		v = x*0x1p24f;
		scale = 0x1p12f;
	}
	auto y = __weft_float(0x5f3759df - (__weft_bits(v) >> 1));
	auto h = v * y;
	auto e = __weft_fma(-h, y, 1);
	y = __weft_fma((float)(y*e), __weft_fma(e, 0.375f, 0.5f), y);
	h = v * y;
	e = __weft_fma(-__weft_fma(v, y, -h), y, __weft_fma(-h, y, 1));
	y = __weft_fma((float)(y*e), __weft_fma(e, 0.375f, 0.5f), y) * scale;
	if (x == 0) {
		y = __weft_float(0x7f800000u | __weft_bits(x));
	}
	if (x > 0x1.fffffep127f) {
		y = 0;
	}
	if (x < 0) {
		y = __weft_float(0x7fc00000u);
	}
	return y;
}

// __weft_rsqrt64 is the float64 version of __weft_rsqrt32, with a third step.
__WEFT_FN double __weft_rsqrt64(double x) {
	auto v = x;
	auto scale = 1.0;
	if (x < 0x1p-1022) {
		v = x*0x1p54;
		scale = 0x1p27;
	}
	auto y = __weft_double(0x5fe6eb50c7b537a9 - (__weft_bits(v) >> 1));
	auto h = v * y;
	auto e = __weft_fma(-h, y, 1);
	y = __weft_fma((double)(y*e), __weft_fma(e, 0.375, 0.5), y);
	h = v * y;
	e = __weft_fma(-h, y, 1);
	y = __weft_fma((double)(y*e), __weft_fma(e, 0.375, 0.5), y);
	h = v * y;
	e = __weft_fma(-__weft_fma(v, y, -h), y, __weft_fma(-h, y, 1));
	y = __weft_fma((double)(y*e), __weft_fma(e, 0.375, 0.5), y) * scale;
	if (x == 0) {
		y = __weft_double(0x7ff0000000000000ull | __weft_bits(x));
	}
	if (x > 0x1.fffffffffffffp1023) {
		y = 0;
	}
	if (x < 0) {
		y = __weft_double(0x7ff8000000000000ull);
	}
	return y;
}

// __weft_farQuadrant32 is __weft_quadrant32 for |x| from 2^17. It multiplies the mantissa of x by the 96
// bits of 2/pi that matter: the bits before them contribute whole turns, the bits after
// them less than 2^-70.
__WEFT_FN void __weft_farQuadrant32(float x, float &r, unsigned &q) {
	unsigned u = __weft_bits(x);
	unsigned long long m = (u & 0x7fffffu) | 0x800000u;
	unsigned at = ((u >> 23) & 0xff) - 144; // of the first bit, in the words below
	unsigned w0 = 0x00a2f983, w1 = 0x6e4e4415, w2 = 0x29fc2757, w3 = 0xd1f534dd, w4 = 0xc0db6295, w5 = 0x993c4390, w6 = 0x41fe5163;
	if (at & 64)
		w0 = w2, w1 = w3, w2 = w4, w3 = w5, w4 = w6;
	if (at & 32)
		w0 = w1, w1 = w2, w2 = w3, w3 = w4;
	at &= 31;
	unsigned a = (unsigned)(((((unsigned long long)w0 << 32) | w1) << at) >> 32);
	unsigned b = (unsigned)(((((unsigned long long)w1 << 32) | w2) << at) >> 32);
	unsigned c = (unsigned)(((((unsigned long long)w2 << 32) | w3) << at) >> 32);
	unsigned long long p = m * b + ((m * c) >> 32);
	unsigned long long turns = p + ((m * a) << 32); // of the whole turn, times 2^64
	r = (float)((double)(long long)(turns << 2) * 0x1.921fb54442d18p-64);
	q = (unsigned)((turns >> 62) + ((turns >> 61) & 1));
	if (u & 0x80000000u)
		r = -r, q = -q;
	if (!(__builtin_fabsf(x) <= 0x1.fffffep127f))
		r = __weft_float(0x7fc00000u);
}

// __weft_quadrant32 is __weft_quadrant for float32.
__WEFT_FN void __weft_quadrant32(float x, float &r, unsigned &q) {
	if (__builtin_fabsf(x) >= 0x1p17f || x != x) {
		return __weft_farQuadrant32(x, r, q);
	}
	auto t = __weft_fma(x, 0x1.45f306p-1f, __WEFT_ROUND32);
	auto n = t - __WEFT_ROUND32;
	r = __weft_fma(n, -0x1.921fb6p+0f, x); // exact
	r = __weft_fma(n, 0x1.777a5cp-25f, r);
	r = __weft_fma(n, 0x1.ee59dap-50f, r);
	q = __weft_bits(t);
}

// __weft_turn32 is __weft_turned for float32.
__WEFT_FN float __weft_turn32(float r, unsigned q) {
	auto z = r * r;
	auto s = __weft_fma(z, __weft_fma(z, -0x1.9929ccp-13f, 0x1.1106ep-7f), -0x1.555544p-3f);
	auto c = __weft_fma(z, __weft_fma(z, 0x1.99e71cp-16f, -0x1.6c0c26p-10f), 0x1.55554ap-5f);
	auto y = __weft_fma((float)(r*z), s, r);
	if (q & 1) {
		y = __weft_fma(z, __weft_fma(z, c, -0.5f), 1);
	}
	if (q & 2) {
		y = -y;
	}
	return y;
}

// __weft_twoOverPi returns 256 bits of 2/pi, starting 64*i-32 bits after the binary point, for i
// from 0 to 15. It selects the words bit by bit of i.
__WEFT_FN void __weft_twoOverPi(unsigned i, unsigned long long &w0, unsigned long long &w1, unsigned long long &w2, unsigned long long &w3) {
	w0 = 0x00000000a2f9836e, w1 = 0x4e441529fc2757d1, w2 = 0xf534ddc0db629599, w3 = 0x3c439041fe5163ab;
	unsigned long long w4 = 0xdebbc561b7246e3a, w5 = 0x424dd2e006492eea, w6 = 0x09d1921cfe1deb1c, w7 = 0xb129a73ee88235f5,
		w8 = 0x2ebb4484e99c7026, w9 = 0xb45f7e413991d639, w10 = 0x835339f49c845f8b;
	if (i & 8) {
		w0 = w8, w1 = w9, w2 = w10, w3 = 0xbdf9283b1ff897ff, w4 = 0xde05980fef2f118b, w5 = 0x5a0a6d1f6d367ecf;
		w6 = 0x27cb09b74f463f66, w7 = 0x9e5fea2d7527bac7, w8 = 0xebe5f17b3d0739f7, w9 = 0x8a5292ea6bfb5fb1, w10 = 0x1f8d5d0856033046;
	}
	if (i & 4)
		w0 = w4, w1 = w5, w2 = w6, w3 = w7, w4 = w8, w5 = w9, w6 = w10;
	if (i & 2)
		w0 = w2, w1 = w3, w2 = w4, w3 = w5, w4 = w6;
	if (i & 1)
		w0 = w1, w1 = w2, w2 = w3, w3 = w4;
}

// __weft_farQuadrant64 is the float64 version of __weft_farQuadrant32, for |x| from 2^22 and with 192
// bits of 2/pi.
__WEFT_FN void __weft_farQuadrant64(double x, double &r, unsigned &q) {
	unsigned long long u = __weft_bits(x), m = (u & 0xfffffffffffffull) | (1ull << 52), w0, w1, w2, w3;
	unsigned at = ((unsigned)(u >> 52) & 0x7ff) - 1045;
	__weft_twoOverPi(at >> 6, w0, w1, w2, w3);
	at &= 63;
	// A shift by 64 gives 0, as on a device, and not whatever C leaves open.
	unsigned long long a = (w0 << at) | (at ? w1 >> (64 - at) : 0), b = (w1 << at) | (at ? w2 >> (64 - at) : 0);
	unsigned long long c = (w2 << at) | (at ? w3 >> (64 - at) : 0), carry = __weft_mulhi(m, c);
	unsigned long long low = m * b, high = m * a + __weft_mulhi(m, b);
	if (low + carry < low)
		high++;
	low += carry;
	q = (unsigned)((high >> 62) + ((high >> 61) & 1));
	high = (high << 2) | (low >> 62), low <<= 2;
	bool negative = (long long)high < 0;
	if (negative)
		high = ~high, low = ~low;
	int zeros = high ? __builtin_clzll(high) : 64;
	unsigned long long v = zeros == 64 ? low : zeros ? (high << zeros) | (low >> (64 - zeros)) : high;
	// v has 64 bits, so the product is computed from two numbers in two parts each.
	double first = (double)(long long)(v >> 11) * 0x1p11, rest = (double)(long long)(v & 0x7ff);
	r = __weft_fma(first, 0x1.921fb54442d18p+0, __weft_fma(rest, 0x1.921fb54442d18p+0, first * 0x1.1a62633145c07p-54));
	r *= __weft_pow2_64(-64 - zeros);
	if (negative)
		r = -r;
	if (u & 0x8000000000000000ull)
		r = -r, q = -q;
	if (!(__builtin_fabs(x) <= 0x1.fffffffffffffp1023))
		r = __weft_double(0x7ff8000000000000ull);
}

// __weft_quadrant64 is __weft_quadrant for float64.
__WEFT_FN void __weft_quadrant64(double x, double &r, unsigned &q) {
	if (__builtin_fabs(x) >= 0x1p22 || x != x) {
		return __weft_farQuadrant64(x, r, q);
	}
	auto t = __weft_fma(x, 0x1.45f306dc9c883p-1, __WEFT_ROUND64);
	auto n = t - __WEFT_ROUND64;
	r = __weft_fma(n, -0x1.921fb54442d18p+0, x); // exact
	r = __weft_fma(n, -0x1.1a62633145c07p-54, r);
	r = __weft_fma(n, 0x1.f1976b7ed8fbcp-110, r);
	q = (unsigned)(__weft_bits(t));
}

// __weft_turn64 is __weft_turned for float64.
__WEFT_FN double __weft_turn64(double r, unsigned q) {
	auto z = r * r;
	auto s = __weft_fma(z, 0x1.5d8bdce7577cap-33, -0x1.ae5e4d2677d99p-26);
	s = __weft_fma(z, s, 0x1.71de3556f60a7p-19);
	s = __weft_fma(z, s, -0x1.a01a019beac0ep-13);
	s = __weft_fma(z, s, 0x1.111111110f738p-7);
	s = __weft_fma(z, s, -0x1.5555555555548p-3);
	auto c = __weft_fma(z, -0x1.8f9d5aea6c81bp-37, 0x1.1ee9c9470646ap-29);
	c = __weft_fma(z, c, -0x1.27e4f7d4ae6ccp-22);
	c = __weft_fma(z, c, 0x1.a01a019c6416ep-16);
	c = __weft_fma(z, c, -0x1.6c16c16c14e2fp-10);
	c = __weft_fma(z, c, 0x1.555555555554ap-5);
	auto y = __weft_fma((double)(r*z), s, r);
	if (q & 1) {
		y = __weft_fma(z, __weft_fma(z, c, -0.5), 1);
	}
	if (q & 2) {
		y = -y;
	}
	return y;
}


// What follows may be contracted, as nvcc contracts, unless the program is built without.
#ifndef __WEFT_NO_CONTRACTION
#pragma clang fp contract(fast)
#endif
