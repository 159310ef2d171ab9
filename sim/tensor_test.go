package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/mma"
)

// unrolled is how many products an iteration of productLoop has.
const unrolled = 32

// productLoop returns PTX that executes a product of matrices again and again, on accumulators in several sets of registers one
// after the other, and leaves the cycles that each warp needs.
func productLoop(v *mma.Variant, sets, rounds int) string {
	na, nb, nc := v.Registers()
	wide := func(t mma.Type) string { return map[int]string{32: "%r", 64: "%rd"}[t.RegisterBits()] }
	list := func(prefix string, from, n int) string {
		var s []string
		for i := range n {
			s = append(s, fmt.Sprintf("%s%d", prefix, from+i))
		}
		return "{" + strings.Join(s, ", ") + "}"
	}
	body := ""
	for i := range unrolled {
		c := list(wide(v.C), 20+nc*(i%sets), nc)
		body += fmt.Sprintf("\tmma.sync.aligned.%v %s, %s, %s, %s;\n", v, c, list(wide(v.A), 10, na), list(wide(v.B), 14, nb), c)
	}
	sum := ""
	for i := range sets * nc { // so that all are used
		if v.C.RegisterBits() == 64 {
			sum += fmt.Sprintf("\txor.b64 %%rd1, %%rd1, %%rd%d;\n", 20+i)
		} else {
			sum += fmt.Sprintf("\txor.b32 %%r1, %%r1, %%r%d;\n", 20+i)
		}
	}
	return fmt.Sprintf(`.version 7.1
.target sm_80
.address_size 64
.visible .entry k(.param .u64 cycles, .param .u64 sums) {
	.reg .pred %%p; .reg .b32 %%r<64>; .reg .b64 %%rd<64>; .reg .b64 %%from, %%to, %%at, %%sums;
	ld.param.u64 %%at, [cycles]; ld.param.u64 %%sums, [sums];
	mov.u32 %%r2, 0; mov.u32 %%r3, %%tid.x; shr.u32 %%r4, %%r3, 5; mad.wide.u32 %%at, %%r4, 8, %%at; mad.wide.u32 %%sums, %%r3, 8, %%sums;
	bar.sync 0;
	mov.u64 %%from, %%clock64;
LOOP:
%s	add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p, %%r2, %d; @%%p bra LOOP;
%s	mov.u64 %%to, %%clock64; sub.u64 %%to, %%to, %%from; st.global.u64 [%%at], %%to;
	cvt.u64.u32 %%rd2, %%r1; xor.b64 %%rd1, %%rd1, %%rd2; st.global.u64 [%%sums], %%rd1;
	ret;
}
`, body, rounds, sum)
}

// productCycles returns the cycles of the slowest warp.
func productCycles(t *testing.T, machine string, v *mma.Variant, warps, sets, rounds int) float64 {
	m, err := readptx.Read("k.ptx", []byte(productLoop(v, sets, rounds)))
	require.NoError(t, err)
	k, err := m.Kernel("k")
	require.NoError(t, err)
	dev := open(t, machine)
	cycles, err := dev.Alloc("cycles", device.U64, warps)
	require.NoError(t, err)
	sums, err := dev.Alloc("sums", device.U64, warps*32)
	require.NoError(t, err)
	_, err = dev.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: warps * 32, Args: []any{cycles, sums}})
	require.NoError(t, err)
	out := make([]uint64, warps)
	require.NoError(t, dev.Read(cycles, out))
	most := uint64(0)
	for _, c := range out {
		most = max(most, c)
	}
	return float64(most)
}

// TestTensorPeak compares the rate of independent products with what the white papers give for an SM.
func TestTensorPeak(t *testing.T) {
	// Products per cycle of an SM, dense, by type of A. A100: 312 TFLOPS of f16 and bf16, 156 of tf32, 19.5 of f64, 624 TOPS of 8-bit
	// integers and 4,992 of bits, on 108 SMs at 1,410 MHz; an operation is half a product.
	a100 := func(tera float64) float64 { return tera * 1e12 / 2 / 108 / 1410e6 }
	// H100 SXM: 989.4, 494.7, 1,978.9 on 132 SMs at 1,830 MHz, of which mma.sync reaches two thirds, bits as many as bytes of them; of f64 64 a
	// cycle (measured: 1.51 and 4.0 cycles of an SM for a product, results/hw/asynchronous/h200-asynchronous.csv).
	h100 := func(tera float64) float64 { return tera * 1e12 / 2 / 132 / 1830e6 * 2 / 3 }
	peaks := map[string]map[mma.Type]float64{
		"a100": {mma.F16: a100(312), mma.BF16: a100(312), mma.TF32: a100(156), mma.F64: a100(19.5), mma.S8: a100(624), mma.U8: a100(624), mma.B1: a100(4992)},
		"h200": {mma.F16: h100(989.4), mma.BF16: h100(989.4), mma.TF32: h100(494.7), mma.F64: 64, mma.S8: h100(1978.9), mma.U8: h100(1978.9), mma.B1: 8 * h100(1978.9), mma.E4M3: h100(1978.9), mma.E5M2: h100(1978.9)},
	}
	const warps, sets, rounds = 16, 8, 2
	for machine, by := range peaks {
		for i := range mma.Variants {
			v := &mma.Variants[i]
			if by[v.A] == 0 || machine == "a100" && v.Capability() > 80 || v.Saturate || v.A == mma.U8 || v.A != v.B || machine == "h200" && v.Combine == "xor" {
				continue // as the others
			}
			cycles := productCycles(t, machine, v, warps, sets, 3*rounds) - productCycles(t, machine, v, warps, sets, rounds)
			rate := float64(v.Products()*warps*unrolled*2*rounds) / cycles
			// No product keeps the tensor core for less than four cycles.
			want := min(by[v.A], float64(v.Products()))
			if v.A == mma.F64 && v.M == 16 {
				want = 128 // 66.9 TFLOPS on 132 SMs at 1,980 MHz
			}
			assert.InEpsilon(t, want, rate, 0.03, "%v on %s", v, machine)
		}
	}
}

// TestTensorOlder launches products of 8-bit floats, and of f64 with 16 rows, on GPUs that lack them.
func TestTensorOlder(t *testing.T) {
	for name, want := range map[string]string{
		"m16n8k32.row.col.f32.e4m3.e4m3.f32": "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 needs compute capability 8.9; a100 has 8.0",
		"m16n8k8.row.col.f64.f64.f64.f64":    "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 needs compute capability 9.0; a100 has 8.0",
	} {
		id, ok := mma.ByName(name)
		require.True(t, ok)
		m, err := readptx.Read("k.ptx", []byte(productLoop(&mma.Variants[id], 1, 1)))
		require.NoError(t, err)
		k, err := m.Kernel("k")
		require.NoError(t, err)
		dev := open(t, "a100")
		words, err := dev.Alloc("words", device.U64, 32)
		require.NoError(t, err)
		_, err = dev.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: 32, Args: []any{words, words}})
		var refused *device.ArgError
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, want, refused.What)
	}
}

// TestTensorLatency times products of which each needs the result of the one before, as an H200 does (results/hw/asynchronous/h200-asynchronous.csv).
func TestTensorLatency(t *testing.T) {
	for name, want := range map[string]float64{
		"m16n8k8.row.col.f32.f16.f16.f32": 17.3, "m16n8k16.row.col.f32.f16.f16.f32": 24.49, "m16n8k16.row.col.f16.f16.f16.f16": 24.49, "m16n8k4.row.col.f32.tf32.tf32.f32": 17.3,
		"m16n8k8.row.col.f32.tf32.tf32.f32": 24.49, "m16n8k32.row.col.s32.s8.s8.s32": 24.49, "m16n8k256.row.col.s32.b1.b1.s32.and.popc": 24.49, "m8n8k4.row.col.f64.f64.f64.f64": 26.07, "m8n8k128.row.col.s32.b1.b1.s32.and.popc": 14.08,
	} {
		id, ok := mma.ByName(name)
		require.True(t, ok)
		for _, machine := range []string{"a100", "h200", "tiny"} {
			const rounds = 4
			once := productCycles(t, machine, &mma.Variants[id], 1, 1, rounds)
			twice := productCycles(t, machine, &mma.Variants[id], 1, 1, 2*rounds)
			assert.InDelta(t, want, (twice-once)/rounds/unrolled, 0.5, "%s on %s", name, machine)
		}
	}
}

// TestMatrixConflicts counts the conflicts of rows of 16 bytes, which take four banks each: eight rows of a matrix are one pass if
// they are in different ones.
func TestMatrixConflicts(t *testing.T) {
	for _, c := range []struct {
		loads, stride, conflicts int // matrices that are loaded, or stored
	}{
		{1, 16, 0}, {4, 16, 0}, {4, 48, 0}, {1, 128, 7}, {4, 128, 28}, {2, 128, 14}, {1, 64, 3}, {4, 32, 4}, {4, 0, 0},
	} {
		list := strings.TrimSuffix(strings.Repeat("%r1, ", c.loads), ", ")
		for kind, code := range map[string]string{
			"ld": fmt.Sprintf("ldmatrix.sync.aligned.m8n8.x%d.shared.b16 {%s}, [%%r4]; st.shared.u32 [rows], %%r1;", c.loads, list),
			"st": fmt.Sprintf("mov.u32 %%r1, 0; stmatrix.sync.aligned.m8n8.x%d.shared.b16 [%%r4], {%s};", c.loads, list),
		} {
			text := fmt.Sprintf(`.version 7.8
.target sm_90
.address_size 64
.visible .entry k() {
	.reg .b32 %%r<9>; .shared .align 16 .b8 rows[4096];
	mov.u32 %%r2, %%tid.x; mov.u32 %%r3, rows; mad.lo.u32 %%r4, %%r2, %d, %%r3;
	%s
	ret;
}
`, c.stride, code)
			m, err := readptx.Read("k.ptx", []byte(text))
			require.NoError(t, err)
			k, err := m.Kernel("k")
			require.NoError(t, err)
			dev := open(t, "h200")
			_, err = dev.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: 32})
			require.NoError(t, err)
			assert.EqualValues(t, c.conflicts, count(t, dev.Total(), "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_"+kind+".sum"), "%s %+v", kind, c)
		}
	}
}
