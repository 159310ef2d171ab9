package readptx_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/function"
)

// gridBarrier has each block write its number, wait for all blocks at the word that the environment registers lead to, as the
// barriers of nvcc's grids do, and then read the number of the next block; twice, so that the word is used again.
const gridBarrier = `.version 8.0
.target sm_70
.address_size 64
.visible .entry ring(.param .u64 words, .param .u64 out)
{
	.reg .pred %p<9>;
	.reg .b32 %r<24>;
	.reg .b64 %rd<16>;
	ld.param.u64 %rd1, [words];
	ld.param.u64 %rd2, [out];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %nctaid.x;
	mov.u32 %r20, 0;
	mul.wide.u32 %rd3, %r1, 4;
	add.s64 %rd4, %rd1, %rd3;
	add.s64 %rd5, %rd2, %rd3;
	mov.u32 %r3, %envreg1;
	mov.u32 %r4, %envreg2;
	mov.b64 %rd6, {%r4, %r3};
	setp.eq.s64 %p1, %rd6, 0;
	@%p1 trap;
again:
	add.u32 %r5, %r1, 10;
	mad.lo.u32 %r5, %r20, 100, %r5;
	st.global.u32 [%rd4], %r5;
	// The first block adds what makes the sum of all flip the highest bit.
	sub.u32 %r6, 0x80000001, %r2;
	setp.eq.u32 %p2, %r1, 0;
	selp.u32 %r7, %r6, 1, %p2;
	fence.acq_rel.gpu;
	atom.global.gpu.add.u32 %r8, [%rd6+4], %r7;
wait:
	ld.acquire.gpu.global.u32 %r9, [%rd6+4];
	xor.b32 %r10, %r9, %r8;
	setp.ge.s32 %p3, %r10, 0;
	@%p3 bra wait;
	add.u32 %r11, %r1, 1;
	rem.u32 %r11, %r11, %r2;
	mul.wide.u32 %rd7, %r11, 4;
	add.s64 %rd8, %rd1, %rd7;
	ld.global.u32 %r12, [%rd8];
	ld.global.u32 %r13, [%rd5];
	add.u32 %r13, %r13, %r12;
	st.global.u32 [%rd5], %r13;
	// Nobody writes before all have read.
	fence.acq_rel.gpu;
	atom.global.gpu.add.u32 %r8, [%rd6+4], %r7;
leave:
	ld.acquire.gpu.global.u32 %r9, [%rd6+4];
	xor.b32 %r10, %r9, %r8;
	setp.ge.s32 %p3, %r10, 0;
	@%p3 bra leave;
	add.u32 %r20, %r20, 1;
	setp.lt.u32 %p4, %r20, 2;
	@%p4 bra again;
	ret;
}
`

// TestGridBarrier runs it: block i reads 10 + i + 1 and then 110 + i + 1, of the next block.
func TestGridBarrier(t *testing.T) {
	m, err := readptx.Read("m.ptx", []byte(gridBarrier))
	require.NoError(t, err)
	k, err := m.Kernel("ring")
	require.NoError(t, err)
	all, err := m.Variables()
	require.NoError(t, err)
	assert.Empty(t, all, "the word is none of the module's")
	races := device.NewRaces()
	d := function.New(function.Options{Races: races})
	words, err := d.Alloc("words", device.U32, 5)
	require.NoError(t, err)
	out, err := d.Alloc("out", device.U32, 5)
	require.NoError(t, err)
	require.NoError(t, d.Write(out, make([]uint32, 5)))
	for round := range uint32(2) { // the word is not zero any more
		_, err = d.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 5, Block: 1, Cooperative: true, Args: []any{words, out}})
		require.NoError(t, err)
		got := make([]uint32, 5)
		require.NoError(t, d.Read(out, got))
		sum := round + 1
		assert.Equal(t, []uint32{sum * 122, sum * 124, sum * 126, sum * 128, sum * 120}, got)
	}
	assert.Empty(t, races.List())
}
