package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
)

// fragmentCycles returns the cycles of a loop of products of 16 by 16 by 16 in f16 by one warp in each sub-core, for each product.
func fragmentCycles(t *testing.T, machine, product string) float64 {
	const rounds, unrolled = 50, 16
	body := ""
	for i := range unrolled { // on two sets of sums, one after the other
		body += strings.ReplaceAll(product, "%s", fmt.Sprintf("%%f%d", i%2)) + "\n"
	}
	sum := ""
	for set := range 2 {
		for i := range 8 {
			sum += fmt.Sprintf("add.f32 %%t, %%t, %%f%d%d;\n", set, i)
		}
	}
	text := fmt.Sprintf(`.version 7.1
.target sm_80
.address_size 64
.visible .entry k(.param .u64 cycles, .param .u64 sums) {
	.reg .pred %%p; .reg .b32 %%r<64>; .reg .f32 %%t; .reg .f32 %%f0<8>; .reg .f32 %%f1<8>; .reg .b64 %%from, %%to, %%at, %%sums;
	ld.param.u64 %%at, [cycles]; ld.param.u64 %%sums, [sums];
	mov.u32 %%r2, 0; mov.u32 %%r3, %%tid.x; shr.u32 %%r4, %%r3, 5; mad.wide.u32 %%at, %%r4, 8, %%at; mad.wide.u32 %%sums, %%r3, 4, %%sums;
	bar.sync 0;
	mov.u64 %%from, %%clock64;
LOOP:
%s	add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p, %%r2, %d; @%%p bra LOOP;
%s	mov.u64 %%to, %%clock64; sub.u64 %%to, %%to, %%from; st.global.u64 [%%at], %%to; st.global.f32 [%%sums], %%t;
	ret;
}
`, body, rounds, sum)
	m, err := readptx.Read("k.ptx", []byte(text))
	require.NoError(t, err)
	k, err := m.Kernel("k")
	require.NoError(t, err, text)
	dev := open(t, machine)
	cycles, err := dev.Alloc("cycles", device.U64, 4)
	require.NoError(t, err)
	sums, err := dev.Alloc("sums", device.F32, 128)
	require.NoError(t, err)
	_, err = dev.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: 128, Args: []any{cycles, sums}})
	require.NoError(t, err)
	out := make([]uint64, 4)
	require.NoError(t, dev.Read(cycles, out))
	return float64(out[0]) / (rounds * unrolled)
}

const (
	byFragments = "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7}, {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, {%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7};"
	byMMA       = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s0, %s1, %s2, %s3}, {%r10, %r11, %r12, %r13}, {%r20, %r21}, {%s0, %s1, %s2, %s3}; " +
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s4, %s5, %s6, %s7}, {%r10, %r11, %r12, %r13}, {%r22, %r23}, {%s4, %s5, %s6, %s7};"
)

// TestFragmentRates compares the rate of wmma with the peak of the V100 whitepaper, 125 TFLOPS on 80 SMs at 1,530 MHz, and with the two
// mma.sync that it is on later GPUs.
func TestFragmentRates(t *testing.T) {
	const products = 16 * 16 * 16
	peak := products / (125e12 / 2 / 80 / 1530e6 / 4) // cycles of a sub-core
	assert.InEpsilon(t, peak, fragmentCycles(t, "v100", byFragments), 0.02)
	for _, machine := range []string{"a100", "h200"} {
		assert.Equal(t, fragmentCycles(t, machine, byMMA), fragmentCycles(t, machine, byFragments), machine)
	}
}
