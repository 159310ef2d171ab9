package sim

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
)

// TestConstantBank sums products with eight numbers in constant memory and with the same numbers in the text: arithmetic takes both as an operand, so that
// both kernels take the same instructions, the same cycles and no load. With an address that depends on the thread they are loads.
func TestConstantBank(t *testing.T) {
	const numbers = 8
	var list, fromBank, fromText, fromThread []string
	for i := range numbers {
		number := 1.5 + float32(i)
		bits := fmt.Sprintf("0f%08X", math.Float32bits(number))
		list = append(list, bits)
		fromBank = append(fromBank, fmt.Sprintf("ld.const.f32 %%f2, [co+%d]; fma.rn.f32 %%f1, %%f0, %%f2, %%f1;", 4*i))
		fromText = append(fromText, fmt.Sprintf("fma.rn.f32 %%f1, %%f0, %s, %%f1;", bits))
		fromThread = append(fromThread, fmt.Sprintf("ld.const.f32 %%f2, [%%rd2+%d]; fma.rn.f32 %%f1, %%f0, %%f2, %%f1;", 4*i))
	}
	run := func(machine string, body []string) (*device.Report, []float32) {
		m, err := readptx.Read("k.ptx", fmt.Appendf(nil, `.version 7.1
.target sm_70
.address_size 64
.const .align 4 .f32 co[%d] = {%s};
.visible .entry k(.param .u64 out) {
	.reg .b32 %%r<4>; .reg .f32 %%f<4>; .reg .b64 %%rd<4>;
	ld.param.u64 %%rd0, [out];
	mov.u32 %%r0, %%tid.x; mad.wide.u32 %%rd0, %%r0, 4, %%rd0; and.b32 %%r1, %%r0, 0; mov.u64 %%rd1, co; mad.wide.u32 %%rd2, %%r1, %%r0, %%rd1;
	cvt.rn.f32.u32 %%f0, %%r0; mov.f32 %%f1, 0f00000000;
%s
	st.global.f32 [%%rd0], %%f1;
	ret;
}
`, numbers, strings.Join(list, ", "), strings.Join(body, "\n")))
		require.NoError(t, err)
		k, err := m.Kernel("k")
		require.NoError(t, err)
		dev := open(t, machine)
		out, err := dev.Alloc("out", device.F32, 64)
		require.NoError(t, err)
		report, err := dev.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: 64, Args: []any{out}})
		require.NoError(t, err)
		got := make([]float32, 64)
		require.NoError(t, dev.Read(out, got))
		return report, got
	}
	bank, sums := run("h200", fromBank)
	text, same := run("h200", fromText)
	for thread, sum := range sums {
		want := float32(0)
		for i := range numbers {
			want = float32(math.FMA(float64(thread), 1.5+float64(i), float64(want)))
		}
		require.InDelta(t, want, sum, 1e-3)
	}
	assert.Equal(t, same, sums)
	value := func(report *device.Report, name string) float64 {
		number, ok := report.Counter(name)
		require.True(t, ok, name)
		return number
	}
	const executed, loads = "smsp__inst_executed.sum", "smsp__inst_executed_op_global_ld.sum"
	assert.Equal(t, value(text, executed), value(bank, executed))
	assert.Equal(t, text.Cycles, bank.Cycles)
	assert.Zero(t, value(bank, loads))
	thread, _ := run("h200", fromThread)
	assert.EqualValues(t, 2*numbers, value(thread, loads))
}
