// Random numbers in kernels: XORWOW (Marsaglia, "Xorshift RNGs", 2003) and Philox4x32-10 (Salmon and others, "Parallel random numbers: as easy as
// 1, 2, 3", 2011), with distances between sequences as the guide of cuRAND says, and seeded as programs do that repeat its numbers: no run of cuRAND was compared. Uniform numbers are in (0, 1]; normal ones are Box's and Muller's.
#pragma once
#include <cuda_runtime.h>
#include <__weft_xorwow.h>
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))
#define __WEFT_RAND static __device__ __inline__

// The second number of a pair is kept for the next call.
struct __weft_pairs {
	int boxmuller_flag, boxmuller_flag_double;
	float boxmuller_extra;
	double boxmuller_extra_double;
};
struct curandStateXORWOW : __weft_pairs {
	unsigned d, v[5];
};
struct curandStatePhilox4_32_10 : __weft_pairs {
	uint4 ctr, output;
	uint2 key;
	unsigned STATE; // how many words of the output are used
};
typedef struct curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// XORWOW.
__WEFT_RAND void __weft_xorwow_next(unsigned *v) {
	unsigned t = v[0] ^ (v[0] >> 2);
	v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
	v[4] = v[4] ^ (v[4] << 4) ^ t ^ (t << 1);
}
__WEFT_RAND unsigned curand(curandStateXORWOW *s) {
	__weft_xorwow_next(s->v);
	s->d += 362437;
	return s->v[4] + s->d;
}
// times makes a the product of two polynomials.
__WEFT_RAND void __weft_xorwow_times(unsigned *a, const unsigned *b) {
	unsigned product[5] = {};
#pragma unroll
	for (int word = 4; word >= 0; word--)
		for (unsigned i = 0, bits = a[word]; i < 32; i++, bits <<= 1) {
			unsigned high = -(product[4] >> 31), bit = -(bits >> 31);
#pragma unroll
			for (int j = 4; j >= 0; j--)
				product[j] = (product[j] << 1 | (j ? product[j - 1] >> 31 : 0)) ^ (high & __weft_xorwow_step[j]) ^ (bit & b[j]);
		}
	for (int j = 0; j < 5; j++)
		a[j] = product[j];
}
// Going ahead multiplies the polynomials of the digits of n, and adds the states that the product names.
__WEFT_RAND void __weft_xorwow_jump(unsigned *v, unsigned long long n, const unsigned (*table)[15][5]) {
	if (n == 0)
		return;
	unsigned all[5] = {1}, sum[5] = {};
	bool first = true;
	for (int place = 0; place < 16 && n >> 4 * place; place++) {
		unsigned digit = n >> 4 * place & 15;
		if (digit == 0)
			continue;
		const unsigned *by = table[place][digit - 1];
		if (first)
			for (int j = 0; j < 5; j++)
				all[j] = by[j];
		else
			__weft_xorwow_times(all, by);
		first = false;
	}
#pragma unroll
	for (int word = 0; word < 5; word++)
		for (unsigned i = 0, bits = all[word]; i < 32; i++, bits >>= 1) {
			for (int j = 0; j < 5; j++)
				sum[j] ^= -(bits & 1) & v[j];
			__weft_xorwow_next(v);
		}
	for (int j = 0; j < 5; j++)
		v[j] = sum[j];
}
__WEFT_RAND void skipahead(unsigned long long n, curandStateXORWOW *s) {
	__weft_xorwow_jump(s->v, n, __weft_xorwow_ahead);
	s->d += 362437 * (unsigned)n;
}
__WEFT_RAND void skipahead_sequence(unsigned long long n, curandStateXORWOW *s) { __weft_xorwow_jump(s->v, n, __weft_xorwow_sequence); }
__WEFT_RAND void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateXORWOW *s) {
	unsigned low = 1099087573u * ((unsigned)seed ^ 0xaad26b49u), high = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
	*s = {};
	s->d = 6615241 + low + high;
	s->v[0] = 123456789 + low, s->v[1] = 362436069 ^ low, s->v[2] = 521288629 + high, s->v[3] = 88675123 ^ high, s->v[4] = 5783321 + low;
	skipahead_sequence(subsequence, s);
	skipahead(offset, s);
}

// Philox: four words are a function of a counter of 128 bits and the seed.
__WEFT_RAND uint4 __weft_philox(uint4 c, uint2 k) {
	for (int round = 0; round < 10; round++) {
		unsigned a = __umulhi(0xd2511f53u, c.x), b = __umulhi(0xcd9e8d57u, c.z);
		c = {b ^ c.y ^ k.x, 0xcd9e8d57u * c.z, a ^ c.w ^ k.y, 0xd2511f53u * c.x};
		k = {k.x + 0x9e3779b9u, k.y + 0xbb67ae85u};
	}
	return c;
}
__WEFT_RAND void __weft_philox_count(curandStatePhilox4_32_10 *s, unsigned long long n) {
	unsigned long long low = (unsigned long long)s->ctr.y << 32 | s->ctr.x, high = (unsigned long long)s->ctr.w << 32 | s->ctr.z;
	high += low + n < low;
	low += n;
	s->ctr = {(unsigned)low, (unsigned)(low >> 32), (unsigned)high, (unsigned)(high >> 32)};
	s->output = __weft_philox(s->ctr, s->key);
}
__WEFT_RAND unsigned curand(curandStatePhilox4_32_10 *s) {
	unsigned word = s->STATE == 0 ? s->output.x : s->STATE == 1 ? s->output.y : s->STATE == 2 ? s->output.z : s->output.w;
	s->STATE = (s->STATE + 1) & 3;
	if (s->STATE == 0)
		__weft_philox_count(s, 1);
	return word;
}
__WEFT_RAND uint4 curand4(curandStatePhilox4_32_10 *s) {
	uint4 a = s->output;
	__weft_philox_count(s, 1);
	uint4 b = s->output;
	switch (s->STATE) {
	case 0: return a;
	case 1: return {a.y, a.z, a.w, b.x};
	case 2: return {a.z, a.w, b.x, b.y};
	default: return {a.w, b.x, b.y, b.z};
	}
}
__WEFT_RAND void skipahead(unsigned long long n, curandStatePhilox4_32_10 *s) {
	unsigned at = s->STATE + (unsigned)(n & 3);
	s->STATE = at & 3;
	__weft_philox_count(s, n / 4 + at / 4);
}
__WEFT_RAND void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *s) {
	unsigned long long high = ((unsigned long long)s->ctr.w << 32 | s->ctr.z) + n;
	s->ctr.z = (unsigned)high, s->ctr.w = (unsigned)(high >> 32);
	s->output = __weft_philox(s->ctr, s->key);
}
__WEFT_RAND void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStatePhilox4_32_10 *s) {
	*s = {};
	s->key = {(unsigned)seed, (unsigned)(seed >> 32)};
	skipahead_sequence(subsequence, s);
	skipahead(offset, s);
}

// Distributions.
__WEFT_RAND float __weft_uniform(unsigned x) { return x * 0x1p-32f + 0x1p-33f; }
__WEFT_RAND double __weft_uniform(unsigned x, unsigned y) { return (double)(x ^ (unsigned long long)y << 21) * 0x1p-53 + 0x1p-54; }
__WEFT_RAND float2 __weft_normals(unsigned x, unsigned y) {
	const float turn = 0x1p-32f * 6.2831855f;
	float s, c, r = sqrtf(-2 * logf(__weft_uniform(x)));
	__sincosf(y * turn + turn / 2, &s, &c);
	return {r * s, r * c};
}
__WEFT_RAND double2 __weft_normals(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
	double s, c, r = sqrt(-2 * log(__weft_uniform(x0, x1)));
	sincospi(2 * __weft_uniform(y0, y1), &s, &c);
	return {r * s, r * c};
}

template <class S> __WEFT_RAND float curand_uniform(S *s) { return __weft_uniform(curand(s)); }
template <class S> __WEFT_RAND double curand_uniform_double(S *s) {
	unsigned x = curand(s), y = curand(s);
	return __weft_uniform(x, y);
}
template <class S> __WEFT_RAND float2 curand_normal2(S *s) {
	unsigned x = curand(s), y = curand(s);
	return __weft_normals(x, y);
}
template <class S> __WEFT_RAND double2 curand_normal2_double(S *s) {
	unsigned x0 = curand(s), x1 = curand(s), y0 = curand(s), y1 = curand(s);
	return __weft_normals(x0, x1, y0, y1);
}
template <class S> __WEFT_RAND float curand_normal(S *s) {
	if (s->boxmuller_flag) {
		s->boxmuller_flag = 0;
		return s->boxmuller_extra;
	}
	float2 two = curand_normal2(s);
	s->boxmuller_flag = 1, s->boxmuller_extra = two.y;
	return two.x;
}
template <class S> __WEFT_RAND double curand_normal_double(S *s) {
	if (s->boxmuller_flag_double) {
		s->boxmuller_flag_double = 0;
		return s->boxmuller_extra_double;
	}
	double2 two = curand_normal2_double(s);
	s->boxmuller_flag_double = 1, s->boxmuller_extra_double = two.y;
	return two.x;
}
template <class S> __WEFT_RAND float curand_log_normal(S *s, float mean, float deviation) { return expf(mean + deviation * curand_normal(s)); }
template <class S> __WEFT_RAND double curand_log_normal_double(S *s, double mean, double deviation) { return exp(mean + deviation * curand_normal_double(s)); }
__WEFT_RAND float4 curand_uniform4(curandStatePhilox4_32_10 *s) {
	uint4 x = curand4(s);
	return {__weft_uniform(x.x), __weft_uniform(x.y), __weft_uniform(x.z), __weft_uniform(x.w)};
}
__WEFT_RAND double2 curand_uniform2_double(curandStatePhilox4_32_10 *s) {
	uint4 x = curand4(s);
	return {__weft_uniform(x.x, x.y), __weft_uniform(x.z, x.w)};
}
__WEFT_RAND float4 curand_normal4(curandStatePhilox4_32_10 *s) {
	uint4 x = curand4(s);
	float2 a = __weft_normals(x.x, x.y), b = __weft_normals(x.z, x.w);
	return {a.x, a.y, b.x, b.y};
}

// What is not specified in public is not here: a program that uses it is told so.
#define __WEFT_NOT_HERE __attribute__((unavailable("weft has the generators XORWOW and Philox4_32_10, with uniform, normal and log-normal numbers")))
struct __WEFT_NOT_HERE curandStateMRG32k3a;
struct __WEFT_NOT_HERE curandStateMtgp32;
struct __WEFT_NOT_HERE curandStateSobol32;
struct __WEFT_NOT_HERE curandStateScrambledSobol32;
struct __WEFT_NOT_HERE curandStateSobol64;
struct __WEFT_NOT_HERE curandStateScrambledSobol64;
typedef curandStateMRG32k3a curandStateMRG32k3a_t __WEFT_NOT_HERE;
typedef curandStateMtgp32 curandStateMtgp32_t __WEFT_NOT_HERE;
typedef curandStateSobol32 curandStateSobol32_t __WEFT_NOT_HERE;
typedef curandStateScrambledSobol32 curandStateScrambledSobol32_t __WEFT_NOT_HERE;
typedef curandStateSobol64 curandStateSobol64_t __WEFT_NOT_HERE;
typedef curandStateScrambledSobol64 curandStateScrambledSobol64_t __WEFT_NOT_HERE;
template <class S> __WEFT_NOT_HERE __device__ unsigned curand_poisson(S *s, double mean);
#undef __WEFT_NOT_HERE
#undef __WEFT_RAND
#pragma pop_macro("__device__")
