package readptx_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/function"
)

// TestFragmentsInShared loads by generic addresses: ldmatrix, which needs shared memory, is for those alone that can be of nothing else, also around a
// loop. Each kernel stores the first register of lane 0, which has two elements of the first row.
func TestFragmentsInShared(t *testing.T) {
	const load = "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%a5], 16; add.u32 %r9, %r9, %r0;\n"
	for _, c := range []struct {
		code   string
		shared bool
		want   uint32
	}{
		{"mov.u64 %a3, sh; cvta.shared.u64 %a5, %a3;\n" + load, true, 7},
		{"mov.u64 %a3, sh; cvta.shared.u64 %a5, %a3; mov.u32 %r10, 0;\nL: " + load + "add.u64 %a5, %a5, 32; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 3; @%p1 bra L;\n", true, 21},
		{"mov.u64 %a3, sh; cvta.shared.u64 %a4, %a3; add.u64 %a6, %a4, 32; setp.eq.u32 %p1, %r9, 1; selp.b64 %a5, %a4, %a6, %p1;\n" + load, true, 7},
		{"mov.u64 %a5, %a1;\n" + load, false, 9},
		{"mov.u64 %a3, sh; cvta.shared.u64 %a4, %a3; setp.eq.u32 %p1, %r9, 1; selp.b64 %a5, %a4, %a1, %p1;\n" + load, false, 9},
		{"mov.u64 %a3, sh; cvta.shared.u64 %a5, %a3; mov.u32 %r10, 0;\nL: " + load + "mov.u64 %a5, %a1; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 2; @%p1 bra L;\n", false, 16},
		{"mov.u64 %a3, sh; cvta.shared.u64 %a5, %a3; setp.eq.u32 %p1, %r9, 0; @%p1 mov.u64 %a5, %a1;\n" + load, false, 9},
	} {
		text := ".version 7.8\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p, .param .u64 out)\n{\n.reg .pred %p<2>; .reg .b32 %r<20>; .reg .b64 %a<9>;\n.shared .align 32 .b8 sh[1024];\n" +
			"ld.param.u64 %a1, [p]; ld.param.u64 %a2, [out]; mov.u32 %r9, 0; mov.u32 %r11, %tid.x; mul.lo.u32 %r12, %r11, 4; mov.u32 %r13, sh; add.u32 %r13, %r13, %r12;\n" +
			"W: st.shared.u32 [%r13], 7; add.u32 %r13, %r13, 128; add.u32 %r12, %r12, 128; setp.lt.u32 %p1, %r12, 1024; @%p1 bra W;\nbar.sync 0;\n" +
			c.code + "setp.eq.u32 %p1, %r11, 0; @%p1 st.global.u32 [%a2], %r9;\nret;\n}\n"
		m, err := readptx.Read("k.ptx", []byte(text))
		require.NoError(t, err, text)
		k, err := m.Kernel("k")
		require.NoError(t, err, text)
		assert.Equal(t, c.shared, strings.Contains(k.Func.String(), "ldmatrix"), c.code)
		dev := function.New(function.Options{})
		p, err := dev.Alloc("p", device.U32, 256)
		require.NoError(t, err)
		require.NoError(t, dev.Write(p, slices.Repeat([]uint32{9}, 256)))
		out, err := dev.Alloc("out", device.U32, 1)
		require.NoError(t, err)
		_, err = dev.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: 32, Args: []any{p, out}})
		require.NoError(t, err, text)
		got := make([]uint32, 1)
		require.NoError(t, dev.Read(out, got))
		assert.Equal(t, c.want, got[0], c.code)
	}
}

// TestPointerOfTwo loads by a pointer that is first of a variable in shared memory and then a parameter: the bounds are those of what it points into.
func TestPointerOfTwo(t *testing.T) {
	for _, next := range []string{"mov.u64 %a5, %a1", "and.b64 %a5, %a1, -8", "ld.u64 %a5, [at]"} {
		require.NoError(t, launched(t, ".version 7.8\n.target sm_80\n.address_size 64\n.global .align 8 .u64 at;\n.entry k(.param .u64 in, .param .u64 out, .param .u64 mem, .param .align 8 .b8 par[16])\n{\n"+
			".reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %a<9>; .shared .u32 sh;\nld.param.u64 %a1, [in]; st.global.u64 [at], %a1; st.shared.u32 [sh], 7; mov.u64 %a3, sh; cvta.shared.u64 %a5, %a3; mov.u32 %r1, 0;\n"+
			"L: ld.u32 %r0, [%a5]; "+next+"; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 3; @%p1 bra L;\nst.global.u32 [%a1], %r0;\nret;\n}\n", 1), next)
	}
}
