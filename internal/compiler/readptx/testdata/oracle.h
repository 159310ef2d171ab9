// Functions that a GPU and the computer on which the test runs must compute alike. N is the number of their results.
typedef signed char i8; typedef unsigned char u8; typedef short i16; typedef unsigned short u16;
typedef int i32; typedef unsigned u32; typedef long long i64; typedef unsigned long long u64;

struct quad { i32 a[4]; i16 h; u8 c; double d; };

DEVICE __attribute__((noinline)) i64 pick(struct quad q, u32 i) { return q.a[i & 3] + q.h * (i64)q.c + (i64)q.d; }

DEVICE __attribute__((noinline)) u32 hops(u32 n) { // Collatz
  u32 k = 0;
  while (n > 1 && k < 64) { n = n & 1 ? 3 * n + 1 : n / 2; k++; }
  return k;
}

DEVICE u64 bits(double d) { union { double d; u64 u; } x; x.d = d; return d == d ? x.u : 1; }
DEVICE u64 bitsf(float f) { union { float f; u32 u; } x; x.f = f; return f == f ? x.u : 1; }

enum { N = 64 };

DEVICE void compute(u64 x, u64 y, u64 *out) {
  int n = 0;
  i32 a = (i32)x, b = (i32)y; u32 ua = (u32)x, ub = (u32)y; i64 la = (i64)x, lb = (i64)y;
  i16 sa = (i16)x, sb = (i16)y; u16 ha = (u16)(x >> 16), hb = (u16)(y >> 16); i8 ca = (i8)(x >> 8), cb = (i8)y; u8 va = (u8)(x >> 40), vb = (u8)(y >> 24);
  float f = (float)a / 1024, g = (float)(b >> 7); double d = (double)la / 65536, e = (double)lb;
  out[n++] = (u32)((u32)a + (u32)b); out[n++] = x - y; out[n++] = (u32)(ua * ub); out[n++] = x * y;
  out[n++] = (u64)((i64)a * b); out[n++] = (u64)ua * ub; out[n++] = (u64)(((__int128)la * lb) >> 64); out[n++] = (u64)(((unsigned __int128)x * y) >> 64);
  out[n++] = (u32)(a / (b | 1)); out[n++] = ua % (ub | 1); out[n++] = (u64)(la / (lb | 1)); out[n++] = x % (y | 1);
  out[n++] = (u16)(sa / (sb | 1)); out[n++] = (u16)(sa * sb); out[n++] = (u32)(sa * sb); out[n++] = (u16)(ha + hb);
  out[n++] = (u8)(ca * cb); out[n++] = (u32)(ca - cb); out[n++] = (u8)(va / (vb | 1)); out[n++] = (u32)(sa >> (b & 15));
  out[n++] = ua << (ub & 31); out[n++] = (u32)(a >> (b & 31)); out[n++] = x >> (y & 63); out[n++] = (u64)(la >> (y & 63));
  out[n++] = (ua << (ub & 31)) | (ua >> (-ub & 31)); out[n++] = __builtin_popcountll(x ^ y); out[n++] = __builtin_clz(ua | 1); out[n++] = __builtin_ctzll(x | 1ull << 63);
  out[n++] = __builtin_bswap32(ua); out[n++] = __builtin_bswap64(y); out[n++] = (ua & ub) | (~ua & (u32)(x >> 32)); out[n++] = __builtin_bitreverse32(ub);
  out[n++] = a < b ? ua : ub; out[n++] = x < y ? y : x; out[n++] = (u64)(la > lb) << 3 | (u64)(sa < sb) << 2 | (u64)(va == vb) << 1 | (ha >= hb);
  out[n++] = (u32)(a < 0 ? -(u32)a : a); i32 sum; out[n++] = __builtin_add_overflow(a, b, &sum);
  out[n++] = bitsf(f + g); out[n++] = bitsf(f * g); out[n++] = bitsf(f - g * 2); out[n++] = bitsf(f / g); out[n++] = bitsf(__builtin_fmaf(f, g, f));
  out[n++] = bits(d + e); out[n++] = bits(d * e); out[n++] = bits(d / e); out[n++] = bits(__builtin_fma(d, e, d));
  out[n++] = bitsf(__builtin_sqrtf(f < 0 ? -f : f)); out[n++] = bits(__builtin_sqrt(d < 0 ? -d : d));
  out[n++] = bitsf((float)d); out[n++] = bits((double)f); out[n++] = (u32)(i32)f; out[n++] = (u64)(i64)(d / 4); out[n++] = bitsf((float)x); out[n++] = bits((double)y);
  out[n++] = bitsf(__builtin_floorf(f)) ^ bitsf(__builtin_ceilf(f)) ^ bitsf(__builtin_truncf(f)) ^ bits(__builtin_rint(d));
  out[n++] = (f < g) | (f >= g) << 1 | (f != g) << 2 | (d <= e) << 3 | !(d < e) << 4; out[n++] = bitsf(__builtin_copysignf(f, g)) ^ bits(__builtin_fabs(e));
  struct quad q = {{a, b, (i32)(x >> 32), (i32)(y >> 32)}, sa, va, (double)cb};
  out[n++] = (u64)pick(q, ub); out[n++] = hops(ua & 0xFFFF);
  u32 s = 0;
  switch (ub & 15) {
  case 0: s = ua + 1; break; case 1: s = ua * 3; break; case 2: s = ua ^ 77; break; case 3: s = ua >> 3; break; case 4: s = 5; break;
  case 5: s = ua / 9; break; case 6: s = ua % 11; break; case 7: s = ~ua; break; case 8: s = ua << 4; case 9: s += 9; break; default: s = ub;
  }
  out[n++] = s;
  u32 table[16];
  for (int i = 0; i < 16; i++) table[(i * (ub | 1)) & 15] = ua + i;
  out[n++] = table[x >> 60];
  u64 h = 14695981039346656037ull;
  for (int i = 0; i < 8; i++) h = (h ^ (u8)(x >> 8 * i)) * 1099511628211ull;
  out[n++] = h;
  while (n < N) { out[n] = x + n; n++; }
}
