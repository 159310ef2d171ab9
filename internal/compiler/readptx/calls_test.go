package readptx_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

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

// TestCallsByAddress has functions that are called by an address: from a table with initial values, of a mov, of a list of
// targets, through an alias, and from each other.
func TestCallsByAddress(t *testing.T) {
	const three = ".func (.param .b32 r) plus(.param .b32 x) { .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.u32 %r2, %r1, 10; st.param.b32 [r], %r2; ret; }\n" +
		".func (.param .b32 r) times(.param .b32 x) { .reg .b32 %r<3>; ld.param.b32 %r1, [x]; mul.lo.u32 %r2, %r1, 3; st.param.b32 [r], %r2; ret; }\n" +
		".func (.param .b32 r) both(.param .b32 x, .param .b64 f) { .reg .b32 %r<3>; .reg .b64 %rd; ld.param.b64 %rd, [f]; { .param .b32 a; ld.param.b32 %r1, [x]; st.param.b32 [a], %r1; .param .b32 v; " +
		"pr: .callprototype (.param .b32 _) _ (.param .b32 _); call (v), %rd, (a), pr; ld.param.b32 %r2, [v]; } add.u32 %r2, %r2, 1; st.param.b32 [r], %r2; ret; }\n" +
		".alias second, times;\n.global .align 8 .u64 table[3] = {plus, second, both};\n.global .align 1 .b8 bytes[8] = {0xFF(times), 0xFF00(times), 0, 0, 0, 0, 0, 0};\n"
	const call = "p: .callprototype (.param .b32 _) _ (.param .b32 _); call (v), %rd2, (a), p; ld.param.b32 %r0, [v]; }"
	for _, c := range []string{
		// Lanes call different functions.
		"mov.u32 %r8, %laneid; and.b32 %r7, %r8, 1; mov.u64 %rd1, table; mad.wide.u32 %rd1, %r7, 8, %rd1; ld.global.u64 %rd2, [%rd1]; { .param .b32 a; st.param.b32 [a], %r1; .param .b32 v; " + call + " | r1=7 | @0 r0=17 @1 r0=21 @30 r0=17 @31 r0=21",
		"mov.u64 %rd2, times; { .param .b32 a; st.param.b32 [a], %r1; .param .b32 v; " + call + " | r1=7 | r0=21",
		"mov.u64 %rd1, table; ld.global.u64 %rd2, [%rd1+8]; mov.u64 %rd3, times; setp.eq.u64 %p0, %rd2, %rd3; ld.global.u64 %rd4, [bytes]; setp.eq.u64 %p1, %rd4, %rd3; ld.global.u64 %rd5, [%rd1]; setp.eq.u64 %p2, %rd5, %rd3 | | p0=1 p1=1 p2=0",
		"mov.u64 %rd2, plus; { .param .b32 a; st.param.b32 [a], %r1; .param .b32 v; l: .calltargets times, plus; call (v), %rd2, (a), l; ld.param.b32 %r0, [v]; } | r1=7 | r0=17",
		"mov.u64 %rd2, both; mov.u64 %rd3, times; { .param .b32 a; st.param.b32 [a], %r1; .param .b64 f; st.param.b64 [f], %rd3; .param .b32 v; p: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _); call (v), %rd2, (a, f), p; ld.param.b32 %r0, [v]; } | r1=7 | r0=22",
		// Under a predicate, in threads that have an address.
		"mov.u64 %rd2, 0; @%p1 mov.u64 %rd2, plus; { .param .b32 a; st.param.b32 [a], %r1; .param .b32 v; p: .callprototype (.param .b32 _) _ (.param .b32 _); @%p1 call (v), %rd2, (a), p; @%p1 ld.param.b32 %r0, [v]; } | r1=7 p1=0 r0=5 | r0=5",
	} {
		executeWith(t, three, c)
	}
}

// TestFaultsOfCallsByAddress has calls that end a kernel, each with the text of its fault.
func TestFaultsOfCallsByAddress(t *testing.T) {
	const functions = ".extern .func away(.param .b64 x);\n" +
		".func one(.param .b32 x) { ret; }\n" +
		".func frees(.param .b64 x) { .reg .b64 %rd; ld.param.b64 %rd, [x]; call away, (%rd); ret; }\n" +
		".func again(.param .b64 x) { .reg .b64 %rd; ld.param.b64 %rd, [x]; p: .callprototype _ (.param .b64 _); call %rd, (%rd), p; ret; }\n" +
		".func tensors(.param .b64 x) { ldmatrix.sync; ret; }\n" +
		".global .u64 all[5] = {away, one, frees, again, tensors};\n"
	for _, c := range []struct{ value, want string }{
		{"0", "a call by address 0, which is no function"},
		{"one", "a call by an address that is of no function with the parameters of the call"}, // 32 bits instead of 64
		{"7", "a call by an address that is of no function with the parameters of the call"},
		{"away", "a call of away by its address: function away is declared and not defined"},
		{"frees", "a call of frees by its address: function away is declared and not defined"},
		{"again", "function again calls itself by its address; recursion is not supported: use a loop and an array"},
		{"tensors", "a call of tensors by its address: test.ptx:12: ldmatrix.sync: of tensor cores there are mma.sync of dense matrices of f16, bf16, tf32, f64, 8-bit integers, 8-bit floats and bits, wmma of the same without 8-bit floats and bits, wgmma of the same without f64, ldmatrix.m8n8, stmatrix.m8n8 and movmatrix, as the tables in docs/ptx.md say"},
	} {
		code := "mov.u64 %rd2, " + c.value + "; p: .callprototype _ (.param .b64 _); call %rd2, (%rd2), p"
		err := launched(t, strings.Replace(program(t, code, nil, nil), ".entry", functions+".entry", 1), 32)
		var fault *device.Fault
		require.ErrorAs(t, err, &fault, c.value)
		require.Equal(t, c.want, fault.What)
	}
}
