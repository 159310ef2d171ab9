package readptx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const head = ".version 8.0\n.target sm_80\n.address_size 64\n"

// kernel returns a module with a kernel of that body, which begins in line 6.
func kernel(body string) string {
	return head + ".visible .entry k(.param .u64 p, .param .align 4 .b8 s[12])\n{\n" + body + "\n}\n"
}

// TestMistakes has the error for each sort of mistake in the text.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `a module of PTX begins with .version, not with the end of the module`},
		{"\n\nint x;", `m.ptx:3: a module of PTX begins with .version, not with "int"`},
		{".version 11.0", `m.ptx:1: PTX of version "11.0"; versions up to 9 are read`},
		{".version 8.0\n.address_size 32", `m.ptx:2: addresses of 32 bits; only .address_size 64 is read`},
		{head + "\"", `m.ptx:4: the string does not end`},
		{head + "/* x", `m.ptx:4: the comment does not end`},
		{head + "é", `m.ptx:4: the character 'Ã' has no meaning in PTX`},
		{head + ".global .u32 x", `m.ptx:4: the end of the module instead of ";"`},
		{head + ".global x;", `m.ptx:4: variable x has no type`},
		{head + ".global .align 3 .u32 x;", `m.ptx:4: an alignment of 3; it is a power of two`},
		{head + ".global .u32 x[2] = {1, 2, 3};", `m.ptx:4: x has 2 elements and 3 initial values`},
		{head + ".global .u32 x;\n.global .u32 x;", `m.ptx:5: a second variable x; the first is in line 4`},
		{head + ".global .f32 x = 0f12;", `m.ptx:4: "0f12" is no float: 0f has 8 hexadecimal digits behind it`},
		{head + ".global .f64 x = 0d12;", `m.ptx:4: "0d12" is no float: 0d has 16 hexadecimal digits behind it`},
		{head + ".global .u32 x = 1/0;", `m.ptx:4: a constant expression divides by zero`},
		{head + ".global .u32 x = 08;", `m.ptx:4: "08" is no integer`},
		{head + ".global .u32 x = " + strings.Repeat("(", 300), `m.ptx:4: brackets are nested deeper than 200`},
		{head + ".entry k(.param .b8 p[40000]) { ret; }", `m.ptx:4: the parameters of k have more than 32764 bytes, or no size`},
		{head + ".texref t;", `m.ptx:4: ".texref": textures are declared .global .texref, and samplers and surfaces are not read; use memory`},
		{head + ".entry k() .blocksareclusters { ret; }", `m.ptx:4: ".blocksareclusters": a grid is given in blocks here`},
		{head + ".entry k() {", `m.ptx:4: function k does not end`},
		{head + ".entry k() { ret; }\n.entry k() { ret; }", `m.ptx:5: a second function k; the first is in line 4`},
		{kernel(".reg .v4 .f32 %v;"), `m.ptx:6: vector registers (.v4) are not read; write one register for each element`},
		{kernel(".reg %r;"), `m.ptx:6: "%r" instead of the type of registers`},
		{kernel("ret"), `m.ptx:7: "}" instead of an operand`},
		{kernel("@;"), `m.ptx:6: ";" instead of a predicate`},
		{kernel("5;"), `m.ptx:6: "5" is no instruction`},
		{kernel(".param .u32 a; .param .u32 a;"), `m.ptx:6: a second variable a in k`},
		{head + ".global .surfref s;", `m.ptx:4: ".surfref": samplers and surfaces are not supported; use memory`},
		{head + ".const .texref s;", `m.ptx:4: ".texref": a texture is in global memory`},
	} {
		_, err := Read("m.ptx", []byte(c.text))
		if assert.Error(t, err, c.text) {
			assert.Equal(t, c.want, strings.TrimPrefix(err.Error(), map[bool]string{true: "m.ptx:1: "}[c.text == ""]), c.text)
		}
	}
}

// TestMistakesOfKernels has the error for each sort of mistake that is found when the
// kernel is built.
func TestMistakesOfKernels(t *testing.T) {
	regs := ".reg .pred %p<3>; .reg .b16 %rs<3>; .reg .b32 %r<9>; .reg .f32 %f<3>; .reg .b64 %rd<9>;\n"
	for _, c := range []struct{ body, want string }{
		{"frob.u32 %r1;", "there is no instruction frob in PTX, or none that is known here"},
		{"add.u7 %r1, %r2, %r3;", "add.u7 is no form of add that is known; docs/ptx.md lists them"},
		{"add.u32 %r1, %r2;", "add.u32 has the operands d, a, b"},
		{"add.u32 %r1, %r2, %x;", "%x is no register and no variable of k"},
		{"add.u32 %r1, %r2, %rd3;", "%rd3 has 64 bits, and the instruction wants 32"},
		{"add.u64 %rd1, %rd2, %r3;", "%r3 has 32 bits, and the instruction wants 64"},
		{"add.u64 %r1, %rd2, %rd3;", "%r1 has 32 bits, and the result 64"},
		{"add.u32 %p1, %r2, %r3;", "%p1 is a predicate, and the result is a number"},
		{"add.u32 %r1, %p2, %r3;", "%p2 is a predicate, and the instruction wants a number"},
		{"add.u32 5, %r2, %r3;", "the destination is no register"},
		{"add.u32 %r1, %r2, 1.5;", "a float where the instruction wants an integer of 32 bits"},
		{"add.f32 %f1, %f2, 1;", "an integer where the instruction wants a float; write 0f3F800000, 0d3FF0000000000000 or 1.0"},
		{"@%r1 bra L; L:", "%r1 is no predicate"},
		{"bra NOWHERE;", "bra goes to NOWHERE, and there is no such label in k"},
		{"L: L: bra L;", "a second label L"},
		{"brx.idx %r1, ts;", "brx.idx has the operands index, list; list is the label of a .branchtargets"},
		{"call nothing;", "there is no function nothing"},
		{"call %rd1, (), proto;", "a call by address needs a prototype or a list of targets"},
		{"ld.global.u32 %r1, %rd1;", "the operand is no address; an address stands in brackets"},
		{"ld.global.v4.f64 {%rd1, %rd2, %rd3, %rd4}, [%rd1];", "ld.global.v4.f64 accesses 32 bytes; a thread accesses at most 16 at once"},
		{"ld.global.v2.u32 %r1, [%rd1];", "a vector access of 2 elements needs {a, b, ...} with as many"},
		{"ld.relaxed.global.u32 %r1, [%rd1];", "ld.relaxed.global.u32 needs a scope: .cta, .gpu or .sys"},
		{"ld.param.u32 %r1, [s+12];", "4 bytes at offset 12 of parameter s, which has 12"},
		{"st.param.u32 [s], %r1;", "a store to memory that a kernel cannot write"},
		{"lop3.b32 %r1, %r2, %r3, %r4, 256;", "the table of lop3 is 256; it is at most 255"},
		{"lop3.b32 %r1, %r2, %r3, %r4, %r5;", "the table of lop3 is no number"},
		{"setp.eq.and.u32 %p1, %r1, %r2;", "setp.eq.and.u32 combines with a predicate, which is missing"},
		{"setp.eq.u32 %p1, %r1, %r2, %p2;", "a predicate to combine with, and no .and, .or or .xor"},
		{"bar.sync 16;", "barrier 16; a block has barriers 0 to 15"},
		{"bar.sync 0, 64;", "barrier 0 with a number of threads; use another of the barriers 1 to 15"},
		{"bar.red.popc.u32 %r1, 1, %p1;", "bar.red.popc.u32 on a barrier other than 0, or of a part of the block, is not supported; use barrier 0 without a number of threads"},
		{"mov.b64 {%r1, %r2, %r3}, %rd1;", "3 parts of 64 bits"},
		{"mov.u64 %rd1, k;", "the address of kernel k: launches by a kernel are not supported; launch it from the host"},
		{".shared .u32 v; ld.global.u32 %r1, [v];", "v is in shared memory"},
		{"ld.global.u32 %r1, [%rd1, {%r2}];", "an address with coordinates; only textures have them"},
		{"tex.1d.v4.s32.s32 {%r1, _, _, _}, [%rd1, {%r2, %r3}];", "an operand is no register and no number"},
		{"tex.1d.v4.s32.s32 {%r1, _, _, _}, [%rd1+8, {%r2}];", "the texture is neither a register nor a variable"},
		{"tex.1d.v4.s32.s32 {%r1, _, _, _}, [%rd1, %rd2, {%r2}];", "tex.1d.v4.s32.s32 has the operands d, [a, c]: a texture and one coordinate"},
		{"tex.1d.v4.s32.s32 {%r1}, [%rd1, {%r2}];", "a vector access of 4 elements needs {a, b, ...} with as many"},
		{".local .u32 v[]; mov.u64 %rd1, v;", "variable v has no size"},
	} {
		m, err := Read("m.ptx", []byte(kernel(regs+c.body)))
		if !assert.NoError(t, err, c.body) {
			continue
		}
		_, err = m.Kernel("k")
		assert.EqualError(t, err, "kernel k: m.ptx:7: "+c.want, c.body)
	}
}

// TestMistakesOfVariables has initial values that cannot be had, which is said of the kernel that uses the variable.
func TestMistakesOfVariables(t *testing.T) {
	for _, c := range []struct{ module, want string }{
		{".func (.param .b32 r) _Z5twicef(.param .b32 x) { ret; }\n.global .u32 table[1] = {_Z5twicef};",
			"m.ptx:5: an address in an element of 4 bytes of table"},
		{".shared .u32 table2;\n.global .u64 table[1] = {table2};", "m.ptx:5: the initial value of table has the address of table2, which is in shared memory"},
		{".global .u64 table[1] = {nothing};", "m.ptx:4: the initial value of table has the address of nothing, which is no variable of the module"},
	} {
		m, err := Read("m.ptx", []byte(head+c.module+"\n.entry k() { .reg .b64 %rd<3>; mov.u64 %rd1, table; ld.global.u64 %rd2, [%rd1]; st.global.u64 [%rd1], %rd2; ret; }\n"))
		if !assert.NoError(t, err, c.module) {
			continue
		}
		_, err = m.Kernel("k")
		assert.EqualError(t, err, "kernel k: "+c.want, c.module)
	}
}

// TestRefused has instructions that are known and not supported: the error names all, with the lines of PTX and source.
func TestRefused(t *testing.T) {
	text := head + `.file 1 "prog.cu"
.func helper() {
	.loc 1 12 3
	tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%rd2], 128;
	ret;
}
.entry k() {
	.reg .b32 %r<9>;
	wmma.load.a.sync.aligned.row.m8n8k32.s4 {%r1}, [%r2];
	call helper, ();
	ret;
}
.entry fine() { ret; }
`
	m, err := Read("m.ptx", []byte(text))
	require.NoError(t, err)
	_, err = m.Kernel("k")
	require.EqualError(t, err, `kernel k has instructions that are not supported:
  m.ptx:12: wmma.load.a.sync.aligned.row.m8n8k32.s4: of tensor cores there are mma.sync of dense matrices of f16, bf16, tf32, f64, 8-bit integers, 8-bit floats and bits, wmma of the same without 8-bit floats and bits, wgmma of the same without f64, ldmatrix.m8n8, stmatrix.m8n8 and movmatrix, as the tables in docs/ptx.md say
  m.ptx:7 (prog.cu:12): tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned: of asynchronous copies there are those of a thread (cp.async), and those in bulk: to shared memory of the block or of its cluster, which complete on an mbarrier, and from shared to global memory, also with a reduction, and of boxes of tensors of one to three dimensions, in tiled mode and without a reduction; use these`)
	require.Len(t, m.Refused(), 2)
	_, err = m.Kernel("fine")
	require.NoError(t, err)
}

// TestRecursion names the functions that call each other.
func TestRecursion(t *testing.T) {
	m, err := Read("m.ptx", []byte(head+`.func _Z4evenv() { call _Z3oddv, (); ret; }
.func _Z3oddv() { call _Z4evenv, (); ret; }
.entry k() { call _Z4evenv, (); ret; }`))
	require.NoError(t, err)
	_, err = m.Kernel("k")
	require.EqualError(t, err, "kernel k: m.ptx:5: function even calls itself (even -> odd -> even); recursion is not supported: use a loop and an array")
}
