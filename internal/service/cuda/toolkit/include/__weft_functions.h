// The functions of math.h for devices. Those of single precision that programs call most have code of their own in
// __weft_math.h; the others compute in double precision and round.
#pragma once
#include <__weft_math.h>
#pragma clang fp contract(off)

__WEFT_FN float __nv_expf(float x) { return __weft_exp32(x); }
__WEFT_FN double __nv_exp(double x) { return __weft_exp64(x); }
__WEFT_FN float __nv_exp2f(float x) { return __weft_exp2of32(x); }
__WEFT_FN double __nv_exp2(double x) { return __weft_exp2of64(x); }
__WEFT_FN float __nv_logf(float x) { return __weft_log32(x); }
__WEFT_FN double __nv_log(double x) { return __weft_log64(x); }
__WEFT_FN float __nv_log2f(float x) { return __weft_log2of32(x); }
__WEFT_FN double __nv_log2(double x) { return __weft_log2of64(x); }
__WEFT_FN float __nv_powf(float x, float y) { return __weft_pow32(x, y); }
__WEFT_FN double __nv_pow(double x, double y) { return __weft_pow64(x, y); }
__WEFT_FN float __nv_rsqrtf(float x) { return __weft_rsqrt32(x); }
__WEFT_FN double __nv_rsqrt(double x) { return __weft_rsqrt64(x); }

// Sine and cosine. A number so small that it equals its sine keeps its sign and its last bits.
__WEFT_FN float __nv_sinf(float x) {
	float r;
	unsigned q;
	__weft_quadrant32(x, r, q);
	return __builtin_fabsf(x) < 0x1p-12f ? x : __weft_turn32(r, q);
}
__WEFT_FN float __nv_cosf(float x) {
	float r;
	unsigned q;
	__weft_quadrant32(x, r, q);
	return __weft_turn32(r, q + 1);
}
__WEFT_FN void __nv_sincosf(float x, float *s, float *c) {
	float r;
	unsigned q;
	__weft_quadrant32(x, r, q);
	*s = __builtin_fabsf(x) < 0x1p-12f ? x : __weft_turn32(r, q);
	*c = __weft_turn32(r, q + 1);
}
__WEFT_FN double __nv_sin(double x) {
	double r;
	unsigned q;
	__weft_quadrant64(x, r, q);
	return __builtin_fabs(x) < 0x1p-27 ? x : __weft_turn64(r, q);
}
__WEFT_FN double __nv_cos(double x) {
	double r;
	unsigned q;
	__weft_quadrant64(x, r, q);
	return __weft_turn64(r, q + 1);
}
__WEFT_FN void __nv_sincos(double x, double *s, double *c) {
	double r;
	unsigned q;
	__weft_quadrant64(x, r, q);
	*s = __builtin_fabs(x) < 0x1p-27 ? x : __weft_turn64(r, q);
	*c = __weft_turn64(r, q + 1);
}
__WEFT_FN double __nv_tan(double x) {
	double s, c;
	__nv_sincos(x, &s, &c);
	return s / c;
}
// Of x times pi: the nearest half is taken off first, which is exact.
__WEFT_FN void __nv_sincospi(double x, double *s, double *c) {
	if (!(__builtin_fabs(x) < 0x1p53)) {
		double big = __builtin_fabs(x) <= 0x1.fffffffffffffp1023 ? x * 0 : __builtin_nan("");
		*s = big, *c = big + 1;
		return;
	}
	double n = __builtin_rint(x + x), r = __weft_fma(n, -0.5, x) * 0x1.921fb54442d18p+1;
	unsigned q = (unsigned)(long long)n;
	*s = x == 0 ? x : __weft_turn64(r, q);
	*c = __weft_turn64(r, q + 1);
}
__WEFT_FN double __nv_sinpi(double x) {
	double s, c;
	__nv_sincospi(x, &s, &c);
	return s;
}
__WEFT_FN double __nv_cospi(double x) {
	double s, c;
	__nv_sincospi(x, &s, &c);
	return c;
}

__WEFT_FN double __nv_exp10(double x) { return __weft_pow64(10, x); }
__WEFT_FN double __nv_log10(double x) {
	double n, m, high, low;
	__weft_split64(x, 0x3fe6a09e667f3bcdull, n, m);
	__weft_log2Parts(m, high, low);
	// log10(2) is the sum of the two constants.
	low = __weft_fma(low, 0x1.34413509f79ffp-2, __weft_fma(n + high, -0x1.9dc1da994fd21p-59, 0));
	return __weft_log_ends(x, __weft_fma(n, 0x1.34413509f79ffp-2, __weft_fma(high, 0x1.34413509f79ffp-2, low)));
}
__WEFT_FN double __nv_expm1(double x) {
	if (!(__builtin_fabs(x) < 700))
		return x != x ? x : x > 0 ? __weft_exp64(x) : -1;
	long long n;
	double m;
	__weft_expParts64(x, n, m);
	double s = __weft_pow2_64(n);
	return x == 0 ? x : __weft_fma(s, m, s - 1);
}
__WEFT_FN double __nv_log1p(double x) {
	double u = 1 + x;
	if (__builtin_fabs(x) < 0x1p-53)
		return x;
	if (!(u > 0 && u <= 0x1.fffffffffffffp1023))
		return __weft_log64(u);
	return __weft_log64(u) + (x - (u - 1)) / u;
}
__WEFT_FN double __nv_sinh(double x) {
	double a = __builtin_fabs(x), y;
	if (a > 700) {
		double e = __weft_exp64(a * 0.5);
		y = e * 0.5 * e;
	} else {
		double m = __nv_expm1(a);
		y = 0.5 * (m + m / (m + 1));
	}
	return __builtin_copysign(y, x);
}
__WEFT_FN double __nv_cosh(double x) {
	double a = __builtin_fabs(x);
	if (a > 700) {
		double e = __weft_exp64(a * 0.5);
		return e * 0.5 * e;
	}
	double e = __weft_exp64(a);
	return __weft_fma(0.5, e, 0.5 / e);
}
__WEFT_FN double __nv_tanh(double x) {
	double a = __builtin_fabs(x), y;
	if (a > 0.5) {
		y = a > 20 ? 1 : 1 - 2 / (__weft_exp64(a + a) + 1);
	} else {
		double m = __nv_expm1(a + a), d = m + 2, lost = m - (d - 2);
		y = m / d;
		y += (__weft_fma(-y, d, m) - y * lost) / d;
	}
	return x != x ? x : __builtin_copysign(y, x);
}
__WEFT_FN double __nv_asinh(double x) {
	double a = __builtin_fabs(x), y;
	if (a > 0x1p28)
		y = __weft_log64(a) + 0x1.62e42fefa39efp-1;
	else
		y = __nv_log1p(a + a * a / (1 + __builtin_sqrt(__weft_fma(a, a, 1))));
	return __builtin_copysign(y, x);
}
__WEFT_FN double __nv_acosh(double x) {
	double t = x - 1;
	if (x > 0x1p28)
		return __weft_log64(x) + 0x1.62e42fefa39efp-1;
	return __nv_log1p(t + __builtin_sqrt(__weft_fma(t, t, t + t)));
}
__WEFT_FN double __nv_atanh(double x) {
	double a = __builtin_fabs(x);
	return __builtin_copysign(0.5 * __nv_log1p(2 * a / (1 - a)), x);
}

// The arc tangent: its series, with numbers of at most tan(pi/12), to which reciprocals and a rotation by pi/6 lead.
__WEFT_FN double __weft_atan(double a) {
	bool inverse = a > 1;
	if (inverse)
		a = 1 / a;
	bool turned = a > 0x1.126145e9ecd56p-2;
	if (turned)
		a = __weft_fma(a, 0x1.bb67ae8584caap+0, -1) / (0x1.bb67ae8584caap+0 + a);
	double z = a * a, p = 1.0 / 31;
	p = __weft_fma(-z, p, 1.0 / 29);
	p = __weft_fma(-z, p, 1.0 / 27);
	p = __weft_fma(-z, p, 1.0 / 25);
	p = __weft_fma(-z, p, 1.0 / 23);
	p = __weft_fma(-z, p, 1.0 / 21);
	p = __weft_fma(-z, p, 1.0 / 19);
	p = __weft_fma(-z, p, 1.0 / 17);
	p = __weft_fma(-z, p, 1.0 / 15);
	p = __weft_fma(-z, p, 1.0 / 13);
	p = __weft_fma(-z, p, 1.0 / 11);
	p = __weft_fma(-z, p, 1.0 / 9);
	p = __weft_fma(-z, p, 1.0 / 7);
	p = __weft_fma(-z, p, 1.0 / 5);
	p = __weft_fma(-z, p, 1.0 / 3);
	double tail = a * z * p, low = 0, y = a - tail;
	if (turned)
		low = 0x1.1a62633145c07p-54 / 3, y = 0x1.0c152382d7366p-1 + (y + (0x1.921fb54442d18p+0 / 3 - 0x1.0c152382d7366p-1 + low));
	if (inverse)
		y = 0x1.921fb54442d18p+0 - (y - 0x1.1a62633145c07p-54);
	return y;
}
__WEFT_FN double __nv_atan(double x) { return x != x ? x : __builtin_copysign(__weft_atan(__builtin_fabs(x)), x); }
__WEFT_FN double __nv_atan2(double y, double x) {
	if (x != x || y != y)
		return x + y;
	double a = __builtin_fabs(y), b = __builtin_fabs(x), r;
	if (a == b)
		r = a == 0 ? 0 : 0x1.921fb54442d18p-1;
	else if (a > b)
		r = 0x1.921fb54442d18p+0 - (__weft_atan(b / a) - 0x1.1a62633145c07p-54);
	else
		r = __weft_atan(a / b);
	if (__weft_bits(x) >> 63)
		r = 0x1.921fb54442d18p+1 - (r - 0x1.1a62633145c07p-53);
	return __builtin_copysign(r, y);
}
__WEFT_FN double __nv_asin(double x) { return __nv_atan2(x, __builtin_sqrt((1 - x) * (1 + x))); }
__WEFT_FN double __nv_acos(double x) { return 2 * __nv_atan2(__builtin_sqrt(1 - x), __builtin_sqrt(1 + x)); }

__WEFT_FN double __nv_cbrt(double x) {
	double a = __builtin_fabs(x), scale = 1;
	if (x == 0 || !(a <= 0x1.fffffffffffffp1023))
		return x;
	if (a < 0x1p-1000)
		a *= 0x1p300, scale = 0x1p-100;
	double y = __weft_pow64(a, 1.0 / 3), square = y * y;
	// A step of Newton's, with the error of the square.
	double error = __weft_fma(y, y, -square), rest = __weft_fma(-square, y, a) - error * y;
	return __builtin_copysign(__weft_fma(rest, 1 / (3 * square), y) * scale, x);
}
__WEFT_FN double __nv_rcbrt(double x) { return 1 / __nv_cbrt(x); }

// Numbers as parts.
__WEFT_FN int __nv_ilogb(double x) {
	unsigned long long u = __weft_bits(x) & 0x7fffffffffffffffull;
	if (u == 0)
		return -2147483647 - 1;
	if (u >= 0x7ff0000000000000ull)
		return u > 0x7ff0000000000000ull ? -2147483647 - 1 : 2147483647;
	return u >> 52 ? (int)(u >> 52) - 1023 : 63 - __builtin_clzll(u) - 1074;
}
__WEFT_FN double __nv_logb(double x) {
	if (x == 0)
		return -__builtin_inf();
	return __builtin_fabs(x) <= 0x1.fffffffffffffp1023 ? (double)__nv_ilogb(x) : x * x;
}
__WEFT_FN double __nv_scalbn(double x, int n) {
	// In three steps, each within the exponents; only the last can round.
	for (int i = 0; i < 2; i++) {
		int part = n > 1000 ? 1000 : n < -900 ? -900 : n;
		if (n == part)
			break;
		x *= __weft_pow2_64(part), n -= part;
	}
	if (n > 1000)
		n = 1000;
	if (n < -900) // a product with a subnormal power rounds once, too
		return n < -1800 ? x * 0 : x * 0x1p-900 * __weft_pow2_64(n + 900);
	return x * __weft_pow2_64(n);
}
__WEFT_FN double __nv_ldexp(double x, int n) { return __nv_scalbn(x, n); }
__WEFT_FN double __nv_frexp(double x, int *e) {
	if (x == 0 || !(__builtin_fabs(x) <= 0x1.fffffffffffffp1023)) {
		*e = 0;
		return x;
	}
	*e = __nv_ilogb(x) + 1;
	return __nv_scalbn(x, -*e);
}
__WEFT_FN double __nv_modf(double x, double *whole) {
	*whole = __builtin_trunc(x);
	return __builtin_copysign(__builtin_fabs(x) == __builtin_inf() ? 0 : x - *whole, x);
}
__WEFT_FN double __nv_nextafter(double x, double y) {
	if (x != x || y != y)
		return x + y;
	if (x == y)
		return y;
	if (x == 0)
		return __builtin_copysign(0x1p-1074, y);
	return __weft_double(__weft_bits(x) + ((x < y) == (x > 0) ? 1 : -1));
}
__WEFT_FN float __nv_nextafterf(float x, float y) {
	if (x != x || y != y)
		return x + y;
	if (x == y)
		return y;
	if (x == 0)
		return __builtin_copysignf(0x1p-149f, y);
	return __weft_float(__weft_bits(x) + ((x < y) == (x > 0) ? 1 : -1));
}
__WEFT_FN double __nv_round(double x) {
	double a = __builtin_fabs(x), t = __builtin_trunc(a);
	return a < 0x1p52 ? __builtin_copysign(a - t >= 0.5 ? t + 1 : t, x) : x;
}
__WEFT_FN float __nv_roundf(float x) {
	float a = __builtin_fabsf(x), t = __builtin_truncf(a);
	return a < 0x1p23f ? __builtin_copysignf(a - t >= 0.5f ? t + 1 : t, x) : x;
}
__WEFT_FN long long __nv_llrint(double x) { return __nvvm_d2ll_rn(x); }
__WEFT_FN long long __nv_llrintf(float x) { return __nvvm_f2ll_rn(x); }
__WEFT_FN long long __nv_llround(double x) { return (long long)__nv_round(x); }
__WEFT_FN long long __nv_llroundf(float x) { return (long long)__nv_roundf(x); }
__WEFT_FN double __nv_fdim(double x, double y) { return x <= y ? 0 : x - y; }
__WEFT_FN float __nv_fdimf(float x, float y) { return x <= y ? 0 : x - y; }

// The remainder of a division, exactly: one bit of the quotient after the other.
__WEFT_FN double __weft_mod(double x, double y, unsigned &quotient) {
	unsigned long long a = __weft_bits(x) & 0x7fffffffffffffffull, b = __weft_bits(y) & 0x7fffffffffffffffull;
	quotient = 0;
	if (a < b)
		return __weft_double(a);
	int ea = __nv_ilogb(x), eb = __nv_ilogb(y);
	unsigned long long ma = a >> 52 ? (a & 0xfffffffffffffull) | (1ull << 52) : a << (52 - (63 - __builtin_clzll(a)));
	unsigned long long mb = b >> 52 ? (b & 0xfffffffffffffull) | (1ull << 52) : b << (52 - (63 - __builtin_clzll(b)));
	for (;; ea--) {
		quotient <<= 1;
		if (ma >= mb)
			ma -= mb, quotient |= 1;
		if (ea == eb)
			break;
		ma <<= 1;
	}
	return __nv_scalbn((double)ma, eb - 52);
}
__WEFT_FN double __nv_fmod(double x, double y) {
	if (y == 0 || !(__builtin_fabs(x) <= 0x1.fffffffffffffp1023) || y != y)
		return __builtin_nan("");
	unsigned q;
	return __builtin_copysign(__weft_mod(x, y, q), x);
}
__WEFT_FN double __nv_remquo(double x, double y, int *quotient) {
	*quotient = 0;
	if (y == 0 || !(__builtin_fabs(x) <= 0x1.fffffffffffffp1023) || y != y)
		return __builtin_nan("");
	unsigned q;
	double b = __builtin_fabs(y), r = __weft_mod(x, y, q), rest = b - r;
	if (rest < r || (rest == r && (q & 1)))
		r = -rest, q++;
	q &= 7;
	*quotient = (x < 0) != (y < 0) ? -(int)q : (int)q;
	return __weft_bits(x) >> 63 ? -r : r;
}
__WEFT_FN double __nv_remainder(double x, double y) {
	int q;
	return __nv_remquo(x, y, &q);
}

// Lengths, scaled so that no square is out of range.
__WEFT_FN double __weft_length(double a, double b, double c, double d) {
	a = __builtin_fabs(a), b = __builtin_fabs(b), c = __builtin_fabs(c), d = __builtin_fabs(d);
	double most = __builtin_fmax(__builtin_fmax(a, b), __builtin_fmax(c, d));
	if (most == __builtin_inf())
		return most;
	if (most == 0)
		return a + b + c + d;
	int e = __nv_ilogb(most);
	a = __nv_scalbn(a, -e), b = __nv_scalbn(b, -e), c = __nv_scalbn(c, -e), d = __nv_scalbn(d, -e);
	return __nv_scalbn(__builtin_sqrt(__weft_fma(a, a, __weft_fma(b, b, __weft_fma(c, c, d * d)))), e);
}
__WEFT_FN double __nv_hypot(double x, double y) { return __weft_length(x, y, 0, 0); }
__WEFT_FN double __nv_norm3d(double a, double b, double c) { return __weft_length(a, b, c, 0); }
__WEFT_FN double __nv_norm4d(double a, double b, double c, double d) { return __weft_length(a, b, c, d); }
__WEFT_FN double __nv_rhypot(double x, double y) { return 1 / __weft_length(x, y, 0, 0); }
__WEFT_FN double __nv_rnorm3d(double a, double b, double c) { return 1 / __weft_length(a, b, c, 0); }
__WEFT_FN double __nv_rnorm4d(double a, double b, double c, double d) { return 1 / __weft_length(a, b, c, d); }
__WEFT_FN double __nv_norm(int n, const double *p) {
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum = __weft_length(sum, p[i], 0, 0);
	return sum;
}
__WEFT_FN double __nv_rnorm(int n, const double *p) { return 1 / __nv_norm(n, p); }
__WEFT_FN float __nv_normf(int n, const float *p) {
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum = __weft_length(sum, p[i], 0, 0);
	return (float)sum;
}
__WEFT_FN float __nv_rnormf(int n, const float *p) { return 1 / __nv_normf(n, p); }
__WEFT_FN double __nv_powi(double x, int n) {
	double y = 1;
	for (unsigned m = n < 0 ? -(unsigned)n : (unsigned)n; m; m >>= 1, x *= x)
		if (m & 1)
			y *= x;
	return n < 0 ? 1 / y : y;
}

// The error function of numbers up to 1 is 2x / sqrt(pi) * (1 + z * q) with z = x^2, by its series. Of larger ones the complement is
// computed, by its continued fraction.
__WEFT_FN double __weft_erf_series(double x, double &first, double &rest) {
	double z = x * x;
	double q = 0x1.da7460554e5dbp-95;
	q = __weft_fma(z, q, -0x1.909c9de3a31c5p-90);
	q = __weft_fma(z, q, 0x1.45c0a838efe59p-85);
	q = __weft_fma(z, q, -0x1.fd6bebd65107ap-81);
	q = __weft_fma(z, q, 0x1.7e6b81382cd42p-76);
	q = __weft_fma(z, q, -0x1.13246abce1bddp-71);
	q = __weft_fma(z, q, 0x1.7abd72258fb6ep-67);
	q = __weft_fma(z, q, -0x1.f1b4073b34a68p-63);
	q = __weft_fma(z, q, 0x1.377c2110f2083p-58);
	q = __weft_fma(z, q, -0x1.7271cbe5863ecp-54);
	q = __weft_fma(z, q, 0x1.a173a167fba4dp-50);
	q = __weft_fma(z, q, -0x1.bc6250fb14231p-46);
	q = __weft_fma(z, q, 0x1.bd577e658d020p-42);
	q = __weft_fma(z, q, -0x1.a289ee7e40f74p-38);
	q = __weft_fma(z, q, 0x1.6f448e13e85e1p-34);
	q = __weft_fma(z, q, -0x1.2b67310aa9f3ap-30);
	q = __weft_fma(z, q, 0x1.c2e3054870b38p-27);
	q = __weft_fma(z, q, -0x1.3777c55568ccdp-23);
	q = __weft_fma(z, q, 0x1.87a00187a0018p-20);
	q = __weft_fma(z, q, -0x1.bbd779334ef0bp-17);
	q = __weft_fma(z, q, 0x1.c01c01c01c01cp-14);
	q = __weft_fma(z, q, -0x1.8d3018d3018d3p-11);
	q = __weft_fma(z, q, 0x1.2f684bda12f68p-8);
	q = __weft_fma(z, q, -0x1.8618618618618p-6);
	q = __weft_fma(z, q, 0x1.999999999999ap-4);
	q = __weft_fma(z, q, -0x1.5555555555555p-2);
	first = x * 0x1.20dd750429b6dp+0;
	rest = __weft_fma(x, 0x1.20dd750429b6dp+0, -first) + x * 0x1.1ae3a914fed80p-56;
	return z * q;
}
__WEFT_FN double __weft_erfc_tail(double x) {
	double f = 0;
	for (int n = x < 2 ? 240 : 80; n > 0; n--)
		f = n * 0.5 / (x + f);
	return f;
}
__WEFT_FN double __weft_erfc_fraction(double x) {
	double f = __weft_erfc_tail(x);
	double square = x * x, lost = __weft_fma(x, x, -square);
	return __weft_exp64(-square) * (1 - lost) * 0x1.20dd750429b6dp-1 / (x + f);
}
__WEFT_FN double __nv_erf(double x) {
	double a = __builtin_fabs(x), first, rest;
	if (!(a > 1)) {
		double q = __weft_erf_series(x, first, rest);
		return x == 0 ? x : first + __weft_fma(first, q, rest);
	}
	return __builtin_copysign(a > 6 ? 1 : 1 - __weft_erfc_fraction(a), x);
}
__WEFT_FN double __nv_erfc(double x) {
	double a = __builtin_fabs(x), first, rest;
	if (a > 1)
		return x > 28 ? 0 : x > 0 ? __weft_erfc_fraction(x) : 1 - __nv_erf(x);
	double q = __weft_erf_series(x, first, rest), left = 1 - first, lost = 1 - left - first;
	return left + (lost - __weft_fma(first, q, rest));
}
__WEFT_FN double __nv_erfcx(double x) {
	if (x < 1)
		return __weft_exp64(x * x) * __nv_erfc(x);
	return 0x1.20dd750429b6dp-1 / (x + __weft_erfc_tail(x));
}
__WEFT_FN double __nv_normcdf(double x) { return 0.5 * __nv_erfc(-x * 0x1.6a09e667f3bcdp-1); }

// The gamma function by Lanczos' sum with g = 607/128.
__WEFT_FN double __weft_lanczos(double x) {
	double sum = 0.99999999999999709182;
	sum += 57.156235665862923517 / (x + 1) - 59.597960355475491248 / (x + 2) + 14.136097974741747174 / (x + 3);
	sum += -0.49191381609762019978 / (x + 4) + 0.33994649984811888699e-4 / (x + 5) + 0.46523628927048575665e-4 / (x + 6);
	sum += -0.98374475304879564677e-4 / (x + 7) + 0.15808870322491248884e-3 / (x + 8) - 0.21026444172410488319e-3 / (x + 9);
	sum += 0.21743961811521264320e-3 / (x + 10) - 0.16431810653676389022e-3 / (x + 11) + 0.84418223983852743293e-4 / (x + 12);
	return sum - 0.26190838401581408670e-4 / (x + 13) + 0.36899182659531622704e-5 / (x + 14);
}
__WEFT_FN double __nv_tgamma(double x) {
	if (x == __builtin_trunc(x) && x > 0 && x < 24) { // exact
		double y = 1;
		for (double n = 2; n < x; n += 1)
			y *= n;
		return y;
	}
	if (x == 0)
		return __builtin_copysign(__builtin_inf(), x);
	if (x < 0.5) {
		if (x == __builtin_trunc(x) || x != x)
			return __builtin_nan("");
		double z = -x;
		double t = z + 607.0 / 128 + 0.5, root = __weft_pow64(t, (z + 0.5) * 0.5);
		double y = 0x1.40d931ff62706p+1 * root * __weft_exp64(-t) * root * __weft_lanczos(z);
		return 0x1.921fb54442d18p+1 / (__nv_sinpi(x) * y);
	}
	x -= 1;
	double t = x + 607.0 / 128 + 0.5, root = __weft_pow64(t, (x + 0.5) * 0.5);
	return 0x1.40d931ff62706p+1 * root * __weft_exp64(-t) * root * __weft_lanczos(x);
}
// The logarithm of gamma(2 + y) for |y| <= 1/2, by its series: (1 - Euler's constant) y + (zeta(2) - 1) / 2 y^2 - (zeta(3) - 1) / 3 y^3 + ...
__WEFT_FN double __weft_lgamma2(double y) {
	double p = 0x1.24932a337434cp-33;
	p = __weft_fma(y, p, -0x1.2f69a9fabe3e0p-32);
	p = __weft_fma(y, p, 0x1.3b15d2b2fc10cp-31);
	p = __weft_fma(y, p, -0x1.47b1679258d0ep-30);
	p = __weft_fma(y, p, 0x1.555a877ffd2c3p-29);
	p = __weft_fma(y, p, -0x1.6434a8447aeadp-28);
	p = __weft_fma(y, p, 0x1.7469daccfadcdp-27);
	p = __weft_fma(y, p, -0x1.862c734df3eacp-26);
	p = __weft_fma(y, p, 0x1.99b93c2070b0fp-25);
	p = __weft_fma(y, p, -0x1.af5a6cbbf8a97p-24);
	p = __weft_fma(y, p, 0x1.c76bbb3f07a4dp-23);
	p = __weft_fma(y, p, -0x1.e2600d93cfd2fp-22);
	p = __weft_fma(y, p, 0x1.0064cdeb22f0fp-20);
	p = __weft_fma(y, p, -0x1.11b2eb7679541p-19);
	p = __weft_fma(y, p, 0x1.2597a39f34aacp-18);
	p = __weft_fma(y, p, -0x1.3cbc963ce2243p-17);
	p = __weft_fma(y, p, 0x1.580dcee66eb02p-16);
	p = __weft_fma(y, p, -0x1.78de5bd7c81efp-15);
	p = __weft_fma(y, p, 0x1.a127b0f17d65ap-14);
	p = __weft_fma(y, p, -0x1.d3fd4c76d2fc8p-13);
	p = __weft_fma(y, p, 0x1.0b36af86396e9p-11);
	p = __weft_fma(y, p, -0x1.38ac5c2bf8e08p-10);
	p = __weft_fma(y, p, 0x1.7add6eadb6c30p-9);
	p = __weft_fma(y, p, -0x1.e404fc218f5f2p-8);
	p = __weft_fma(y, p, 0x1.51322ac7d8483p-6);
	p = __weft_fma(y, p, -0x1.13e001a557607p-4);
	p = __weft_fma(y, p, 0x1.4a34cc4a60fa6p-2);
	return __weft_fma(y, 0x1.b0ee6072093cep-2, __weft_fma(y * y, p, y * 0x1.6cb90701fbfabp-58));
}
__WEFT_FN double __weft_lgamma_positive(double x) {
	if (x < 1.5)
		return __weft_lgamma2(x - 1) - __weft_log64(x);
	if (x < 10) {
		double product = 1;
		while (x >= 2.5)
			x -= 1, product *= x;
		double y = __weft_lgamma2(x - 2);
		return product == 1 ? y : __weft_log64(product) + y;
	}
	if (x > 0x1p60)
		return x * (__weft_log64(x) - 1);
	// Stirling's series.
	double r = 1 / x, z = r * r, p = -691.0 / 360360;
	p = __weft_fma(z, p, 1.0 / 1188);
	p = __weft_fma(z, p, -1.0 / 1680);
	p = __weft_fma(z, p, 1.0 / 1260);
	p = __weft_fma(z, p, -1.0 / 360);
	p = __weft_fma(z, p, 1.0 / 12);
	return __weft_fma(x - 0.5, __weft_log64(x) - 1, __weft_fma(r, p, 0x1.d67f1c864beb5p-1 - 0.5));
}
__WEFT_FN double __nv_lgamma(double x) {
	if (x != x)
		return x;
	if (x >= 0.5)
		return __weft_lgamma_positive(x);
	if (x == __builtin_trunc(x))
		return __builtin_inf();
	return 0x1.250d048e7a1bdp+0 - __weft_log64(__builtin_fabs(__nv_sinpi(x))) - __weft_lgamma_positive(1 - x);
}

// In single precision by way of double precision.
#define __WEFT_SINGLE1(name) __WEFT_FN float __nv_##name##f(float x) { return (float)__nv_##name(x); }
#define __WEFT_SINGLE2(name) __WEFT_FN float __nv_##name##f(float x, float y) { return (float)__nv_##name(x, y); }
__WEFT_SINGLE1(tan) __WEFT_SINGLE1(sinpi) __WEFT_SINGLE1(cospi) __WEFT_SINGLE1(exp10) __WEFT_SINGLE1(log10)
__WEFT_SINGLE1(expm1) __WEFT_SINGLE1(log1p) __WEFT_SINGLE1(sinh) __WEFT_SINGLE1(cosh) __WEFT_SINGLE1(tanh)
__WEFT_SINGLE1(asinh) __WEFT_SINGLE1(acosh) __WEFT_SINGLE1(atanh) __WEFT_SINGLE1(atan) __WEFT_SINGLE1(asin)
__WEFT_SINGLE1(acos) __WEFT_SINGLE1(cbrt) __WEFT_SINGLE1(rcbrt) __WEFT_SINGLE1(logb) __WEFT_SINGLE1(erf)
__WEFT_SINGLE1(erfc) __WEFT_SINGLE1(erfcx) __WEFT_SINGLE1(normcdf) __WEFT_SINGLE1(tgamma) __WEFT_SINGLE1(lgamma)
__WEFT_SINGLE2(atan2) __WEFT_SINGLE2(fmod) __WEFT_SINGLE2(remainder) __WEFT_SINGLE2(hypot) __WEFT_SINGLE2(rhypot)
__WEFT_FN void __nv_sincospif(float x, float *s, float *c) {
	double ds, dc;
	__nv_sincospi(x, &ds, &dc);
	*s = (float)ds, *c = (float)dc;
}
__WEFT_FN int __nv_ilogbf(float x) { return __nv_ilogb(x); }
__WEFT_FN float __nv_scalbnf(float x, int n) { return (float)__nv_scalbn(x, n < -400 ? -400 : n > 400 ? 400 : n); }
__WEFT_FN float __nv_ldexpf(float x, int n) { return __nv_scalbnf(x, n); }
__WEFT_FN float __nv_frexpf(float x, int *e) { return (float)__nv_frexp(x, e); }
__WEFT_FN float __nv_modff(float x, float *whole) {
	*whole = __builtin_truncf(x);
	return __builtin_copysignf(__builtin_fabsf(x) == __builtin_inff() ? 0 : x - *whole, x);
}
__WEFT_FN float __nv_remquof(float x, float y, int *q) { return (float)__nv_remquo(x, y, q); }
__WEFT_FN float __nv_norm3df(float a, float b, float c) { return (float)__nv_norm3d(a, b, c); }
__WEFT_FN float __nv_norm4df(float a, float b, float c, float d) { return (float)__nv_norm4d(a, b, c, d); }
__WEFT_FN float __nv_rnorm3df(float a, float b, float c) { return (float)__nv_rnorm3d(a, b, c); }
__WEFT_FN float __nv_rnorm4df(float a, float b, float c, float d) { return (float)__nv_rnorm4d(a, b, c, d); }
__WEFT_FN float __nv_powif(float x, int n) { return (float)__nv_powi(x, n); }

// Not had: a program that calls one is refused with its name when it is loaded.
#define __WEFT_ABSENT(name) extern "C" __device__ double __nv_##name(double); extern "C" __device__ float __nv_##name##f(float);
__WEFT_ABSENT(j0) __WEFT_ABSENT(j1) __WEFT_ABSENT(y0) __WEFT_ABSENT(y1) __WEFT_ABSENT(cyl_bessel_i0) __WEFT_ABSENT(cyl_bessel_i1)
__WEFT_ABSENT(erfinv) __WEFT_ABSENT(erfcinv) __WEFT_ABSENT(normcdfinv)
extern "C" __device__ double __nv_jn(int, double);
extern "C" __device__ float __nv_jnf(int, float);
extern "C" __device__ double __nv_yn(int, double);
extern "C" __device__ float __nv_ynf(int, float);

#ifndef __WEFT_NO_CONTRACTION
#pragma clang fp contract(fast)
#endif
