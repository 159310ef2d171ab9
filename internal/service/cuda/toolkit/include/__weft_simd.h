// Arithmetic on the two halves or four bytes of a word. Clang's own functions have instructions that GPUs no longer have; these are under the names
// by which it asked NVIDIA's libdevice for them before.
#pragma once

typedef short __weft_s2 __attribute__((ext_vector_type(2)));
typedef unsigned short __weft_u2 __attribute__((ext_vector_type(2)));
typedef signed char __weft_s4 __attribute__((ext_vector_type(4)));
typedef unsigned char __weft_u4 __attribute__((ext_vector_type(4)));
#define __WEFT_WORD(v) __builtin_bit_cast(unsigned, v)

// Halves of sums, rounded down and up. Averages of signed numbers are rounded away from zero.
template <class V> __WEFT_NV V __weft_down(V a, V b) { return (a & b) + ((a ^ b) >> 1); }
template <class V> __WEFT_NV V __weft_up(V a, V b) { return (a | b) - ((a ^ b) >> 1); }

#define __WEFT_ONE(name, V, result) \
	__WEFT_NV unsigned __nv_##name(unsigned x) { V a = __builtin_bit_cast(V, x); return __WEFT_WORD(result); }
#define __WEFT_TWO(name, V, result) \
	__WEFT_NV unsigned __nv_##name(unsigned x, unsigned y) { V a = __builtin_bit_cast(V, x), b = __builtin_bit_cast(V, y); return __WEFT_WORD(result); }
// A comparison gives all bits of a part, or one.
#define __WEFT_COMPARED(name, n, S, U, V, compare) \
	__WEFT_TWO(vcmp##name##n, V, (S)(a compare b)) \
	__WEFT_TWO(vset##name##n, V, (U)(a compare b) & (U)1)
#define __WEFT_SIMD(n, S, U) \
	__WEFT_ONE(vabs##n, S, (U)__builtin_elementwise_max(a, (S)((U)0 - (U)a))) \
	__WEFT_ONE(vabsss##n, S, __builtin_elementwise_max(a, __builtin_elementwise_sub_sat((S)0, a))) \
	__WEFT_ONE(vneg##n, U, (U)0 - a) \
	__WEFT_ONE(vnegss##n, S, __builtin_elementwise_sub_sat((S)0, a)) \
	__WEFT_TWO(vadd##n, U, a + b) \
	__WEFT_TWO(vaddss##n, S, __builtin_elementwise_add_sat(a, b)) \
	__WEFT_TWO(vaddus##n, U, __builtin_elementwise_add_sat(a, b)) \
	__WEFT_TWO(vsub##n, U, a - b) \
	__WEFT_TWO(vsubss##n, S, __builtin_elementwise_sub_sat(a, b)) \
	__WEFT_TWO(vsubus##n, U, __builtin_elementwise_sub_sat(a, b)) \
	__WEFT_TWO(vmaxs##n, S, __builtin_elementwise_max(a, b)) \
	__WEFT_TWO(vmaxu##n, U, __builtin_elementwise_max(a, b)) \
	__WEFT_TWO(vmins##n, S, __builtin_elementwise_min(a, b)) \
	__WEFT_TWO(vminu##n, U, __builtin_elementwise_min(a, b)) \
	__WEFT_TWO(vabsdiffs##n, S, (U)__builtin_elementwise_max(a, b) - (U)__builtin_elementwise_min(a, b)) \
	__WEFT_TWO(vabsdiffu##n, U, __builtin_elementwise_max(a, b) - __builtin_elementwise_min(a, b)) \
	__WEFT_TWO(vavgs##n, S, __weft_down(a, b) < (S)0 ? __weft_down(a, b) : __weft_up(a, b)) \
	__WEFT_TWO(vavgu##n, U, __weft_up(a, b)) \
	__WEFT_TWO(vhaddu##n, U, __weft_down(a, b)) \
	__WEFT_COMPARED(eq, n, S, U, U, ==) \
	__WEFT_COMPARED(ne, n, S, U, U, !=) \
	__WEFT_COMPARED(ges, n, S, U, S, >=) \
	__WEFT_COMPARED(geu, n, S, U, U, >=) \
	__WEFT_COMPARED(gts, n, S, U, S, >) \
	__WEFT_COMPARED(gtu, n, S, U, U, >) \
	__WEFT_COMPARED(les, n, S, U, S, <=) \
	__WEFT_COMPARED(leu, n, S, U, U, <=) \
	__WEFT_COMPARED(lts, n, S, U, S, <) \
	__WEFT_COMPARED(ltu, n, S, U, U, <)
__WEFT_SIMD(2, __weft_s2, __weft_u2)
__WEFT_SIMD(4, __weft_s4, __weft_u4)

// Sums of the differences.
#define __WEFT_SAD(k) \
	__WEFT_NV unsigned __nv_vsad##k##2(unsigned a, unsigned b) { \
		unsigned d = __nv_vabsdiff##k##2(a, b); \
		return (d & 0xffff) + (d >> 16); \
	} \
	__WEFT_NV unsigned __nv_vsad##k##4(unsigned a, unsigned b) { \
		unsigned d = __nv_vabsdiff##k##4(a, b), pairs = (d & 0xff00ff) + (d >> 8 & 0xff00ff); \
		return (pairs & 0xffff) + (pairs >> 16); \
	}
__WEFT_SAD(s)
__WEFT_SAD(u)
#undef __WEFT_SAD
#undef __WEFT_SIMD
#undef __WEFT_COMPARED
#undef __WEFT_TWO
#undef __WEFT_ONE
#undef __WEFT_WORD
