// Functions of a device that CUDA has on the host, too, and an older C library has not.
#pragma once
#include <math.h>
#ifdef __GLIBC_PREREQ
#define __WEFT_GLIBC(minor) __GLIBC_PREREQ(2, minor)
#else
#define __WEFT_GLIBC(minor) 0
#endif
#if !__WEFT_GLIBC(42)
static __host__ __inline__ float rsqrtf(float a) { return (float)(1 / sqrt((double)a)); }
static __host__ __inline__ double rsqrt(double a) { return 1 / sqrt(a); }
#endif
static __host__ __inline__ float rcbrtf(float a) { return (float)(1 / cbrt((double)a)); }
static __host__ __inline__ double rcbrt(double a) { return 1 / cbrt(a); }
#if !__WEFT_GLIBC(41)
// With an argument of which whole turns are taken off first, so that multiples of a half are exact.
static __host__ __inline__ double sinpi(double a) {
	a = remainder(a, 2);
	return a == rint(a) ? copysign(0.0, a) : fabs(a) > 0.5 ? sin(copysign(1 - fabs(a), a) * 3.14159265358979323846) : sin(a * 3.14159265358979323846);
}
static __host__ __inline__ double cospi(double a) {
	a = fabs(remainder(a, 2));
	return a == 0.5 ? 0 : a > 0.5 ? -cos((1 - a) * 3.14159265358979323846) : cos(a * 3.14159265358979323846);
}
static __host__ __inline__ float sinpif(float a) { return (float)sinpi((double)a); }
static __host__ __inline__ float cospif(float a) { return (float)cospi((double)a); }
#endif
static __host__ __inline__ void sincospi(double a, double *s, double *c) { *s = sinpi(a), *c = cospi(a); }
static __host__ __inline__ void sincospif(float a, float *s, float *c) { *s = sinpif(a), *c = cospif(a); }
#undef __WEFT_GLIBC
