package readptx_test

import "testing"

// TestCalls has functions with parameters of every sort, and control flow that is not reducible.
func TestCalls(t *testing.T) {
	for _, c := range []string{
		// A loop with two entries: neither block of it dominates the other.
		"setp.eq.u32 %p0, %r1, 0; mov.u32 %r0, 0; @%p0 bra B; A: add.u32 %r0, %r0, 1; B: add.u32 %r0, %r0, 10; setp.lt.u32 %p1, %r0, 40; @%p1 bra A; mov.u32 %r2, 7 | r1=0 | r0=43 r2=7",
		"setp.eq.u32 %p0, %r1, 0; mov.u32 %r0, 0; @%p0 bra B; A: add.u32 %r0, %r0, 1; B: add.u32 %r0, %r0, 10; setp.lt.u32 %p1, %r0, 40; @%p1 bra A; mov.u32 %r2, 7 | r1=1 | r0=44 r2=7",
		// The same with lanes that enter at both places.
		"mov.u32 %r8, %laneid; and.b32 %r9, %r8, 1; setp.eq.u32 %p0, %r9, 0; mov.u32 %r0, 0; @%p0 bra B; A: add.u32 %r0, %r0, 1; B: add.u32 %r0, %r0, 10; setp.lt.u32 %p1, %r0, 40; @%p1 bra A; bar.warp.sync -1; mov.u32 %r2, 7 | | r2=7 @4 r0=43 @5 r0=44",
		// Three blocks that all lead to each other.
		"mov.u32 %r0, 0; mov.u32 %r8, %laneid; A: add.u32 %r0, %r0, 1; setp.ge.u32 %p2, %r0, 9; @%p2 bra END; and.b32 %r7, %r8, 1; setp.eq.u32 %p0, %r7, 0; @%p0 bra C; B: add.u32 %r0, %r0, 3; setp.ge.u32 %p2, %r0, 9; @%p2 bra END; @!%p0 bra A; C: add.u32 %r0, %r0, 5; setp.ge.u32 %p2, %r0, 9; @%p2 bra END; @%p0 bra B; bra A; END: mov.u32 %r1, 3 | | r1=3 @0 r0=9 @1 r0=9",
	} {
		execute(t, c)
	}
	for _, c := range []struct{ functions, test string }{
		{".func (.param .b32 ret) twice(.param .b32 x) { .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.u32 %r2, %r1, %r1; st.param.b32 [ret], %r2; ret; }",
			"{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 v; call.uni (v), twice, (a); ld.param.b32 %r0, [v]; } | r1=21 | r0=42"},
		// Registers as parameters, a return under a predicate, a call in a call.
		{".func (.reg .u32 %out) inner(.reg .u32 %in) { .reg .pred %p; add.u32 %out, %in, 1; setp.gt.u32 %p, %in, 5; @%p ret; add.u32 %out, %out, 100; ret; }\n" +
			".func (.reg .u32 %o) outer(.reg .u32 %i) { call (%o), inner, (%i); mul.lo.u32 %o, %o, 2; ret; }",
			"call (%r0), outer, (%r1); call (%r2), outer, (9) | r1=3 | r0=208 r2=20"},
		// A structure by value that the function indexes.
		{".func (.param .b32 ret) pick(.param .align 4 .b8 s[16], .param .b32 i) { .reg .b32 %r<4>; .reg .b64 %rd<4>; ld.param.b32 %r1, [i]; mov.b64 %rd1, s; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.param.b32 %r2, [%rd3]; st.param.b32 [ret], %r2; ret; }",
			"mov.u32 %r8, %laneid; and.b32 %r8, %r8, 3; { .param .align 4 .b8 a[16]; st.param.v4.b32 [a], {%r1, %r2, %r3, %r4}; .param .b32 i; st.param.b32 [i], %r8; .param .b32 v; call (v), pick, (a, i); ld.param.b32 %r0, [v]; } | r1=5 r2=6 r3=7 r4=8 | @0 r0=5 @1 r0=6 @2 r0=7 @7 r0=8"},
		// A parameter of 16 bits with a sign.
		{".func (.param .b32 ret) wide(.param .b16 x) { .reg .b32 %r<3>; ld.param.s16 %r1, [x]; st.param.b32 [ret], %r1; ret; }",
			"{ .param .b16 a; st.param.b16 [a], %rs1; .param .b32 v; call (v), wide, (a); ld.param.b32 %r0, [v]; } | rs1=0xFFFE | r0=-2"},
		// A pointer to a local variable of the caller, and an exit in a function.
		{".func put(.param .b64 at) { .reg .b64 %rd; ld.param.b64 %rd, [at]; st.u32 [%rd+4], 77; ret; }",
			"mov.u64 %rd1, lo; cvta.local.u64 %rd1, %rd1; call put, (%rd1); ld.local.u32 %r0, [lo+4] | | r0=77"},
	} {
		executeWith(t, c.functions, c.test)
	}
}
