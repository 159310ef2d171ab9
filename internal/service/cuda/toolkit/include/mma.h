// Products of matrices by warps: nvcuda::wmma. A fragment is a matrix whose elements are spread over the lanes of a warp; which lane has which is
// not for a program to know. Each call is an instruction wmma of PTX, which must be executed by all lanes together.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))

namespace nvcuda {
namespace wmma {

enum layout_t { mem_row_major, mem_col_major };
struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
namespace precision {
struct tf32 {};
} // namespace precision

// The elements that a lane has. Of T, in memory and in x they are S.
template <class T, class S, int n> struct __weft_elements {
	typedef T element_type;
	typedef S storage_element_type;
	enum { num_elements = n };
	S x[n];
};

// Only the specialisations below are there: the shapes and types that wmma has.
template <class use, int m, int n, int k, class T, class layout = void> class fragment;

template <class T, class S, int n, class V> static __device__ __inline__ void fill_fragment(__weft_elements<T, S, n> &f, const V &v) {
#pragma unroll
	for (int i = 0; i < n; i++)
		f.x[i] = static_cast<S>(v);
}

static __device__ __inline__ float __float_to_tf32(float v) {
	unsigned r;
	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
	return __builtin_bit_cast(float, r);
}

// The registers of a fragment in assembly, by the letter of the fragment: their names in its text, and the operands.
#define __WEFT_NAMES1(v) "{%[" #v "0]}"
#define __WEFT_NAMES2(v) "{%[" #v "0],%[" #v "1]}"
#define __WEFT_NAMES4(v) "{%[" #v "0],%[" #v "1],%[" #v "2],%[" #v "3]}"
#define __WEFT_NAMES8(v) "{%[" #v "0],%[" #v "1],%[" #v "2],%[" #v "3],%[" #v "4],%[" #v "5],%[" #v "6],%[" #v "7]}"
#define __WEFT_REGS1(v, c) [v##0] c(v[0])
#define __WEFT_REGS2(v, c) [v##0] c(v[0]), [v##1] c(v[1])
#define __WEFT_REGS4(v, c) [v##0] c(v[0]), [v##1] c(v[1]), [v##2] c(v[2]), [v##3] c(v[3])
#define __WEFT_REGS8(v, c) __WEFT_REGS4(v, c), [v##4] c(v[4]), [v##5] c(v[5]), [v##6] c(v[6]), [v##7] c(v[7])

// How registers of each type are passed to assembly.
#define __WEFT_C_u "r", unsigned
#define __WEFT_C_f "f", float
#define __WEFT_C_i "r", int
#define __WEFT_C_d "d", double

#define __WEFT_LOAD(use, layout, shape, type, n, c, R) \
	{ \
		R r[n]; \
		asm volatile("wmma.load." use ".sync.aligned." layout "." shape "." type " " __WEFT_NAMES##n(r) ", [%[p]], %[ld];" \
			: __WEFT_REGS##n(r, "=" c) : [p] "l"(p), [ld] "r"(ld) : "memory"); \
		__builtin_memcpy(f.x, r, sizeof r); \
	}
#define __WEFT_STORE(layout, shape, type, n, c, R) \
	{ \
		R r[n]; \
		__builtin_memcpy(r, f.x, sizeof r); \
		asm volatile("wmma.store.d.sync.aligned." layout "." shape "." type " [%[p]], " __WEFT_NAMES##n(r) ", %[ld];" \
			: : __WEFT_REGS##n(r, c), [p] "l"(p), [ld] "r"(ld) : "memory"); \
	}

// A factor: a or b, its shape, T and S, its type in PTX, elements of a lane, and registers with their constraint and type.
#define __WEFT_FACTOR_(use, layout, m, n, k, T, S, type, elements, regs, c, R) \
	template <> class fragment<matrix_##use, m, n, k, T, layout##_major> : public __weft_elements<T, S, elements> {}; \
	static __device__ __inline__ void load_matrix_sync(fragment<matrix_##use, m, n, k, T, layout##_major> &f, const S *p, unsigned ld) \
		__WEFT_LOAD(#use, #layout, "m" #m "n" #n "k" #k, type, regs, c, R)
#define __WEFT_FACTOR(...) __WEFT_FACTOR_(__VA_ARGS__)
#define __WEFT_FACTORS(use, m, n, k, T, S, type, elements, regs, how) \
	__WEFT_FACTOR(use, row, m, n, k, T, S, type, elements, regs, how) \
	__WEFT_FACTOR(use, col, m, n, k, T, S, type, elements, regs, how)

// Sums.
#define __WEFT_SUM_(m, n, k, T, type, elements, regs, c, R) \
	template <> class fragment<accumulator, m, n, k, T> : public __weft_elements<T, T, elements> {}; \
	static __device__ __inline__ void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p, unsigned ld, layout_t layout) { \
		if (layout == mem_row_major) \
			__WEFT_LOAD("c", "row", "m" #m "n" #n "k" #k, type, regs, c, R) \
		else \
			__WEFT_LOAD("c", "col", "m" #m "n" #n "k" #k, type, regs, c, R) \
	} \
	static __device__ __inline__ void store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f, unsigned ld, layout_t layout) { \
		if (layout == mem_row_major) \
			__WEFT_STORE("row", "m" #m "n" #n "k" #k, type, regs, c, R) \
		else \
			__WEFT_STORE("col", "m" #m "n" #n "k" #k, type, regs, c, R) \
	}
#define __WEFT_SUM(...) __WEFT_SUM_(__VA_ARGS__)

// A product: the layouts, the shape, the types of the elements, how PTX names them, and registers with their constraints and types: of the factors, of
// c and of d. Only that of integers has a form that saturates.
#define __WEFT_MULTIPLY(la, lb, m, n, k, types, nd, na, nb, nc) \
	asm volatile("wmma.mma.sync.aligned." #la "." #lb ".m" #m "n" #n "k" #k "." types " " __WEFT_NAMES##nd(d) ", " __WEFT_NAMES##na(a) ", " __WEFT_NAMES##nb(b) ", " __WEFT_NAMES##nc(c) ";" \
		: __WEFT_REGS##nd(d, "=" __WEFT_CD) : __WEFT_REGS##na(a, __WEFT_CA), __WEFT_REGS##nb(b, __WEFT_CA), __WEFT_REGS##nc(c, __WEFT_CC))
#define __WEFT_PRODUCT(la, lb, m, n, k, T, C, D, types, saturates, nd, na, nb, nc) \
	static __device__ __inline__ void mma_sync(fragment<accumulator, m, n, k, D> &to, const fragment<matrix_a, m, n, k, T, la##_major> &fa, \
		const fragment<matrix_b, m, n, k, T, lb##_major> &fb, const fragment<accumulator, m, n, k, C> &fc, bool satf = false) { \
		__WEFT_RA a[na], b[nb]; \
		__WEFT_RC c[nc]; \
		__WEFT_RD d[nd]; \
		__builtin_memcpy(a, fa.x, sizeof a); \
		__builtin_memcpy(b, fb.x, sizeof b); \
		__builtin_memcpy(c, fc.x, sizeof c); \
		if (satf) \
			__WEFT_MULTIPLY(la, lb, m, n, k, types saturates, nd, na, nb, nc); \
		else \
			__WEFT_MULTIPLY(la, lb, m, n, k, types, nd, na, nb, nc); \
		__builtin_memcpy(to.x, d, sizeof d); \
	}
#define __WEFT_PRODUCTS(...) \
	__WEFT_PRODUCT(row, row, __VA_ARGS__) \
	__WEFT_PRODUCT(row, col, __VA_ARGS__) \
	__WEFT_PRODUCT(col, row, __VA_ARGS__) \
	__WEFT_PRODUCT(col, col, __VA_ARGS__)

// The shapes with 16 products for each element. In f16 a factor has 16 elements in each lane in all of them, some more than once.
#define __WEFT_SHAPE(m, n) \
	__WEFT_FACTORS(a, m, n, 16, __half, __half, "f16", 16, 8, __WEFT_C_u) \
	__WEFT_FACTORS(b, m, n, 16, __half, __half, "f16", 16, 8, __WEFT_C_u) \
	__WEFT_SUM(m, n, 16, __half, "f16", 8, 4, __WEFT_C_u) \
	__WEFT_SUM(m, n, 16, float, "f32", 8, 8, __WEFT_C_f) \
	__WEFT_SUM(m, n, 16, int, "s32", 8, 8, __WEFT_C_i)
__WEFT_SHAPE(16, 16)
__WEFT_SHAPE(32, 8)
__WEFT_SHAPE(8, 32)

// The others, by the registers of a and of b.
#define __WEFT_SHAPES(T, type, packed, x16, x32, x8) \
	__WEFT_FACTORS(a, 16, 16, 16, T, T, type, packed * x16, x16, __WEFT_C_u) \
	__WEFT_FACTORS(b, 16, 16, 16, T, T, type, packed * x16, x16, __WEFT_C_u) \
	__WEFT_FACTORS(a, 32, 8, 16, T, T, type, packed * x32, x32, __WEFT_C_u) \
	__WEFT_FACTORS(b, 32, 8, 16, T, T, type, packed * x8, x8, __WEFT_C_u) \
	__WEFT_FACTORS(a, 8, 32, 16, T, T, type, packed * x8, x8, __WEFT_C_u) \
	__WEFT_FACTORS(b, 8, 32, 16, T, T, type, packed * x32, x32, __WEFT_C_u)
__WEFT_SHAPES(__nv_bfloat16, "bf16", 2, 4, 8, 2)
__WEFT_SHAPES(signed char, "s8", 4, 2, 4, 1)
__WEFT_SHAPES(unsigned char, "u8", 4, 2, 4, 1)
__WEFT_FACTORS(a, 16, 16, 8, precision::tf32, float, "tf32", 4, 4, __WEFT_C_u)
__WEFT_FACTORS(b, 16, 16, 8, precision::tf32, float, "tf32", 4, 4, __WEFT_C_u)
__WEFT_SUM(16, 16, 8, float, "f32", 8, 8, __WEFT_C_f)
__WEFT_FACTORS(a, 8, 8, 4, double, double, "f64", 1, 1, __WEFT_C_d)
__WEFT_FACTORS(b, 8, 8, 4, double, double, "f64", 1, 1, __WEFT_C_d)
__WEFT_SUM(8, 8, 4, double, "f64", 2, 2, __WEFT_C_d)

#define __WEFT_CA "r"
#define __WEFT_RA unsigned
#define __WEFT_CC "f"
#define __WEFT_RC float
#define __WEFT_CD "f"
#define __WEFT_RD float
#define __WEFT_FLOATS(m, n) __WEFT_PRODUCTS(m, n, 16, __half, float, float, "f32.f32", , 8, 8, 8, 8)
__WEFT_FLOATS(16, 16)
__WEFT_FLOATS(32, 8)
__WEFT_FLOATS(8, 32)
__WEFT_PRODUCTS(16, 16, 16, __nv_bfloat16, float, float, "f32.bf16.bf16.f32", , 8, 4, 4, 8)
__WEFT_PRODUCTS(32, 8, 16, __nv_bfloat16, float, float, "f32.bf16.bf16.f32", , 8, 8, 2, 8)
__WEFT_PRODUCTS(8, 32, 16, __nv_bfloat16, float, float, "f32.bf16.bf16.f32", , 8, 2, 8, 8)
__WEFT_PRODUCTS(16, 16, 8, precision::tf32, float, float, "f32.tf32.tf32.f32", , 8, 4, 4, 8)
#undef __WEFT_CD
#undef __WEFT_RD
#define __WEFT_CD "r"
#define __WEFT_RD unsigned
#define __WEFT_NARROWED(m, n) __WEFT_PRODUCTS(m, n, 16, __half, float, __half, "f16.f32", , 4, 8, 8, 8)
__WEFT_NARROWED(16, 16)
__WEFT_NARROWED(32, 8)
__WEFT_NARROWED(8, 32)
#undef __WEFT_CC
#undef __WEFT_RC
#define __WEFT_CC "r"
#define __WEFT_RC unsigned
#define __WEFT_HALVES(m, n) __WEFT_PRODUCTS(m, n, 16, __half, __half, __half, "f16.f16", , 4, 8, 8, 4)
__WEFT_HALVES(16, 16)
__WEFT_HALVES(32, 8)
__WEFT_HALVES(8, 32)
#define __WEFT_INTEGERS(T, types) \
	__WEFT_PRODUCTS(16, 16, 16, T, int, int, types, ".satfinite", 8, 2, 2, 8) \
	__WEFT_PRODUCTS(32, 8, 16, T, int, int, types, ".satfinite", 8, 4, 1, 8) \
	__WEFT_PRODUCTS(8, 32, 16, T, int, int, types, ".satfinite", 8, 1, 4, 8)
__WEFT_INTEGERS(signed char, "s32.s8.s8.s32")
__WEFT_INTEGERS(unsigned char, "s32.u8.u8.s32")
#undef __WEFT_CD
#undef __WEFT_RD
#define __WEFT_CD "f"
#define __WEFT_RD float
#define __WEFT_WIDENED(m, n) __WEFT_PRODUCTS(m, n, 16, __half, __half, float, "f32.f16", , 8, 8, 8, 4)
__WEFT_WIDENED(16, 16)
__WEFT_WIDENED(32, 8)
__WEFT_WIDENED(8, 32)
#undef __WEFT_CA
#undef __WEFT_RA
#undef __WEFT_CC
#undef __WEFT_RC
#undef __WEFT_CD
#undef __WEFT_RD
#define __WEFT_CA "d"
#define __WEFT_RA double
#define __WEFT_CC "d"
#define __WEFT_RC double
#define __WEFT_CD "d"
#define __WEFT_RD double
__WEFT_PRODUCTS(8, 8, 4, double, double, double, "f64.f64.f64.f64", , 2, 1, 1, 2)

#undef __WEFT_CA
#undef __WEFT_RA
#undef __WEFT_CC
#undef __WEFT_RC
#undef __WEFT_CD
#undef __WEFT_RD
#undef __WEFT_NAMES1
#undef __WEFT_NAMES2
#undef __WEFT_NAMES4
#undef __WEFT_NAMES8
#undef __WEFT_REGS1
#undef __WEFT_REGS2
#undef __WEFT_REGS4
#undef __WEFT_REGS8
#undef __WEFT_C_u
#undef __WEFT_C_f
#undef __WEFT_C_i
#undef __WEFT_C_d
#undef __WEFT_LOAD
#undef __WEFT_STORE
#undef __WEFT_FACTOR_
#undef __WEFT_FACTOR
#undef __WEFT_FACTORS
#undef __WEFT_SUM_
#undef __WEFT_SUM
#undef __WEFT_MULTIPLY
#undef __WEFT_PRODUCT
#undef __WEFT_PRODUCTS
#undef __WEFT_SHAPE
#undef __WEFT_SHAPES
#undef __WEFT_FLOATS
#undef __WEFT_NARROWED
#undef __WEFT_HALVES
#undef __WEFT_INTEGERS
#undef __WEFT_WIDENED
#pragma pop_macro("__device__")

} // namespace wmma
} // namespace nvcuda
