package readptx

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// TestArguments finds the types of parameters in the name of the kernel, or in its accesses.
func TestArguments(t *testing.T) {
	body := `{
	.reg .b64 %rd<4>;
	.reg .f64 %fd<2>;
	ld.param.u64 %rd1, [a];
	ld.param.u64 %rd3, [b];
	cvta.to.global.u64 %rd2, %rd1;
	ld.global.f64 %fd1, [%rd2+8];
	st.global.f64 [%rd2], %fd1;
	st.global.u64 [%rd2+16], %rd3;
	ret;
}
`
	m, err := Read("m.ptx", []byte(head+".visible .entry plain(.param .u64 a, .param .u64 b, .param .f32 c, .param .align 4 .b8 d[12])\n"+body+
		".visible .entry _Z1kPKfPS_x4Pair(.param .u64 a, .param .u64 b, .param .u64 c, .param .align 4 .b8 d[12])\n"+body))
	require.NoError(t, err)
	for name, want := range map[string][]Argument{
		"plain":            {{"a", true, ir.F64, 8, 8}, {"b", false, ir.U64, 8, 8}, {"c", false, ir.F32, 4, 4}, {"d", false, ir.Void, 12, 4}},
		"_Z1kPKfPS_x4Pair": {{"a", true, ir.F32, 8, 8}, {"b", true, ir.F32, 8, 8}, {"c", false, ir.S64, 8, 8}, {"d", false, ir.Void, 12, 4}},
	} {
		k, err := m.Kernel(name)
		require.NoError(t, err)
		assert.Equal(t, want, m.Arguments(k), name)
	}
}

// TestDemangled reads names of C++.
func TestDemangled(t *testing.T) {
	for name, want := range map[string]string{
		"add": "add", "_Z3addPiS_i": "add", "_ZN2ns3addEv": "ns::add", "_ZN2ns5ClassIiLi5EE3runEv": "ns::Class::run", "_Z6kernelILi3E4PairEvT0_": "kernel",
		"_ZN12_GLOBAL__N_14initEv": "init", "_ZL5localv": "local", "_Z": "_Z", "_Z9short": "_Z9short", "_ZNK1a1bE": "a::b",
	} {
		assert.Equal(t, want, demangled(name), name)
	}
	assert.Equal(t, "kernel<3, Pair>", Instance("_Z6kernelILi3E4PairEvT0_"))
	assert.Equal(t, "s", shownName("_ZZ1kPiPKf1PiE1s"))
	assert.Equal(t, "counter", shownName("counter"))
}

// TestPlaces gives code from headers of the toolkit the line of the call, code from another file of the program
// that of a call in front of it, and keeps what is known of other calls.
func TestPlaces(t *testing.T) {
	m, err := Read("m.ptx", []byte(head+`.visible .entry _Z1kPi(.param .u64 a)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<3>;
	.loc 1 3 5
	ld.param.u64 %rd1, [a];
	.loc 2 40 1
	atom.global.add.u32 %r1, [%rd1], 1;
	.loc 3 7 2, function_name $L__info_string0, inlined_at 1 9 3
	st.global.u32 [%rd1+4], %r1;
	.loc 2 50 1, function_name $L__info_string0, inlined_at 1 10 3
	st.global.u32 [%rd1+8], %r1;
	.loc 1 12 3
	ld.global.u32 %r2, [%rd1+12];
	.loc 3 20 5
	st.global.u32 [%rd1+12], %r2;
	.loc 2 60 1
	st.global.u32 [%rd1+16], %r2;
	.loc 1 0 0
	ret;
}
.file 1 "prog.cu"
.file 2 "/usr/local/cuda-12.4/include/cuda_runtime.h"
.file 3 "mine.h"
.section .debug_str
{
$L__info_string0:
.b8 95,90,53,116,119,105,99,101,80,105,0 // _Z5twicePi
}
`))
	require.NoError(t, err)
	k, err := m.Kernel("k")
	require.NoError(t, err)
	var got []string
	for _, in := range k.Program.Code {
		if in.Op.Addressed() {
			text := ""
			for at := in.Pos; at > 0; at = k.Program.Pos[at].Parent {
				p := k.Program.Pos[at]
				text += fmt.Sprintf(" %s:%d in %s", p.File, p.Line, p.Func)
			}
			got = append(got, text)
		}
	}
	require.Equal(t, []string{" prog.cu:3 in k", " prog.cu:12 in k", " mine.h:7 in twice prog.cu:9 in k", " prog.cu:10 in k",
		" mine.h:20 in k prog.cu:12 in k", " prog.cu:12 in k"}, got)
}

// TestDeclared describes kernels with instructions that are not supported, too: a GPU's driver takes them.
func TestDeclared(t *testing.T) {
	m, err := Read("m.ptx", []byte(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry _Z3mmaPf(.param .u64 a, .param .align 8 .b8 b[24]) .maxntid 128, 1, 1 { tcgen05.wait::ld.sync.aligned; ret; }"))
	require.NoError(t, err)
	_, err = m.Kernel("mma")
	require.ErrorContains(t, err, "instructions that are not supported")
	k, err := m.Declared("mma")
	require.NoError(t, err)
	assert.Equal(t, "_Z3mmaPf", k.Source.Entry)
	assert.Equal(t, [3]int{128, 1, 1}, k.MaxBlock)
	assert.Equal(t, []int{8, 24}, []int{k.Params[0].Bytes, k.Params[1].Bytes})
	assert.Nil(t, k.Program)
	_, err = m.Declared("none")
	assert.ErrorContains(t, err, "has no kernel")
}
