// Complex numbers of single and double precision, on both sides.
#pragma once
#include <cuda_runtime.h>
#include <math.h>
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
#define __WEFT_COMPLEX static __host__ __device__ __inline__
__WEFT_COMPLEX cuFloatComplex make_cuFloatComplex(float r, float i) { return {r, i}; }
__WEFT_COMPLEX float cuCrealf(cuFloatComplex a) { return a.x; }
__WEFT_COMPLEX float cuCimagf(cuFloatComplex a) { return a.y; }
__WEFT_COMPLEX cuFloatComplex cuConjf(cuFloatComplex a) { return {a.x, -a.y}; }
__WEFT_COMPLEX cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b) { return {a.x + b.x, a.y + b.y}; }
__WEFT_COMPLEX cuFloatComplex cuCsubf(cuFloatComplex a, cuFloatComplex b) { return {a.x - b.x, a.y - b.y}; }
__WEFT_COMPLEX cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
__WEFT_COMPLEX cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) { return cuCaddf(cuCmulf(a, b), c); }
// Scaled by the larger part of b, so that its square neither overflows nor vanishes.
__WEFT_COMPLEX cuFloatComplex cuCdivf(cuFloatComplex a, cuFloatComplex b) {
	float scale = 1.0f / (fabsf(b.x) + fabsf(b.y)), c = b.x * scale, d = b.y * scale, r = a.x * scale, i = a.y * scale, all = 1.0f / (c * c + d * d);
	return {(r * c + i * d) * all, (i * c - r * d) * all};
}
__WEFT_COMPLEX float cuCabsf(cuFloatComplex a) {
	float p = fabsf(a.x), q = fabsf(a.y), large = p > q ? p : q, small = p > q ? q : p, part = small / large;
	return large == 0 || large > 3.402823466e38f || small > 3.402823466e38f ? p + q : large * sqrtf(1.0f + part * part);
}
__WEFT_COMPLEX cuDoubleComplex make_cuDoubleComplex(double r, double i) { return {r, i}; }
__WEFT_COMPLEX double cuCreal(cuDoubleComplex a) { return a.x; }
__WEFT_COMPLEX double cuCimag(cuDoubleComplex a) { return a.y; }
__WEFT_COMPLEX cuDoubleComplex cuConj(cuDoubleComplex a) { return {a.x, -a.y}; }
__WEFT_COMPLEX cuDoubleComplex cuCadd(cuDoubleComplex a, cuDoubleComplex b) { return {a.x + b.x, a.y + b.y}; }
__WEFT_COMPLEX cuDoubleComplex cuCsub(cuDoubleComplex a, cuDoubleComplex b) { return {a.x - b.x, a.y - b.y}; }
__WEFT_COMPLEX cuDoubleComplex cuCmul(cuDoubleComplex a, cuDoubleComplex b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
__WEFT_COMPLEX cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) { return cuCadd(cuCmul(a, b), c); }
// Scaled by the larger part of b, so that its square neither overflows nor vanishes.
__WEFT_COMPLEX cuDoubleComplex cuCdiv(cuDoubleComplex a, cuDoubleComplex b) {
	double scale = 1.0 / (fabs(b.x) + fabs(b.y)), c = b.x * scale, d = b.y * scale, r = a.x * scale, i = a.y * scale, all = 1.0 / (c * c + d * d);
	return {(r * c + i * d) * all, (i * c - r * d) * all};
}
__WEFT_COMPLEX double cuCabs(cuDoubleComplex a) {
	double p = fabs(a.x), q = fabs(a.y), large = p > q ? p : q, small = p > q ? q : p, part = small / large;
	return large == 0 || large > 1.79769313486231570e308 || small > 1.79769313486231570e308 ? p + q : large * sqrt(1.0 + part * part);
}
__WEFT_COMPLEX cuComplex make_cuComplex(float r, float i) { return {r, i}; }
__WEFT_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {a.x, a.y}; }
__WEFT_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) { return {(float)a.x, (float)a.y}; }
#undef __WEFT_COMPLEX
#pragma pop_macro("__device__")
