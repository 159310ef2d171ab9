package readptx_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/floats"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/mma"
)

// groupWords are a word of equal numbers of the first factor, one of the second, and what the products of a row and a column add up to.
var groupWords = map[mma.Type]struct {
	a, b uint32
	sum  int
}{
	mma.F16: {0x3C003C00, 0x40004000, 32}, mma.BF16: {0x3F803F80, 0x40004000, 32}, mma.TF32: {0x3F800000, 0x40000000, 16},
	mma.E4M3: {0x38383838, 0x40404040, 64}, mma.E5M2: {0x3C3C3C3C, 0x40404040, 64}, // 1 and 2; the latter is the same in both
	mma.S8: {0x01010101, 0xFEFEFEFE, -64}, mma.U8: {0x01010101, 0x02020202, 64}, mma.B1: {0x11111111, 0x31313131, 64},
}

// groupProgram returns a program with two products of a warpgroup, the first of which overwrites the sums, and the second adds, with the
// first factor in shared memory or in registers.
func groupProgram(g *mma.GroupProduct, sums int, registers bool) string {
	words, float := groupWords[g.Step.A], g.Step.C != mma.S32
	letter, typ := "r", "b32"
	if g.Step.C == mma.F32 {
		letter, typ = "f", "f32"
	}
	var list, stores []string
	for i := range sums {
		list = append(list, fmt.Sprintf("%%%s%d", letter, i))
		stores = append(stores, fmt.Sprintf("st.global.%s [%%rd5+%d], %%%s%d;", typ, 4*i, letter, i))
	}
	a, rest := "%rd1", ""
	if registers {
		a = "{%w0, %w0, %w0, %w0}"
	}
	if float {
		rest = ", 1, 1"
	}
	if g.Step.A == mma.F16 || g.Step.A == mma.BF16 {
		rest += ", 0"
		if !registers {
			rest += ", 0"
		}
	}
	product := func(adds string) string {
		return fmt.Sprintf("wgmma.mma_async.sync.aligned.%s {%s}, %s, %%rd2, %s%s;", g.Name(sums), strings.Join(list, ", "), a, adds, rest)
	}
	return fmt.Sprintf(`.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
	.shared .align 1024 .b8 sh[10240];
	.reg .b32 %%r<128>; .reg .f32 %%f<128>; .reg .b32 %%w<8>; .reg .b64 %%rd<8>; .reg .pred %%p<4>;
	mov.u32 %%w0, %d; mov.u32 %%w1, %d; mov.u32 %%w2, %%tid.x; mov.u32 %%w3, sh;
	mad.lo.u32 %%w4, %%w2, 16, %%w3;
	st.shared.v4.u32 [%%w4], {%%w0, %%w0, %%w0, %%w0};
	mad.lo.u32 %%w4, %%w2, 64, %%w3;
	st.shared.v4.u32 [%%w4+2048], {%%w1, %%w1, %%w1, %%w1}; st.shared.v4.u32 [%%w4+2064], {%%w1, %%w1, %%w1, %%w1};
	st.shared.v4.u32 [%%w4+2080], {%%w1, %%w1, %%w1, %%w1}; st.shared.v4.u32 [%%w4+2096], {%%w1, %%w1, %%w1, %%w1};
	fence.proxy.async.shared::cta;
	bar.sync 0;
	shr.u32 %%w5, %%w3, 4; cvt.u64.u32 %%rd1, %%w5; or.b64 %%rd1, %%rd1, %d;
	add.u64 %%rd2, %%rd1, 128;
	setp.eq.u32 %%p0, %%w2, 9999; setp.ne.u32 %%p1, %%w2, 9999;
	wgmma.fence.sync.aligned;
	%s
	%s
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;
	ld.param.u64 %%rd4, [out];
	mad.wide.u32 %%rd5, %%w2, %d, %%rd4;
	%s
	ret;
}
`, words.a, words.b, mma.Layout{Stride: 256, Swizzle: 32}.Bits(), product("%p0"), product("%p1"), 4*sums, strings.Join(stores, "\n\t"))
}

// TestGroupMMA reads and executes each product of a warpgroup, with the fewest and with the most sums, and what goes with them.
func TestGroupMMA(t *testing.T) {
	tested := map[string]bool{}
	for i := range mma.GroupProducts {
		g := &mma.GroupProducts[i]
		fewest, most := 4, 128
		if g.Step.C == mma.F16 {
			fewest, most = 2, 64
		}
		for _, sums := range []int{fewest, most} {
			for _, registers := range []bool{false, true} {
				m, err := readptx.Read("k.ptx", []byte(groupProgram(g, sums, registers)))
				require.NoError(t, err)
				for _, p := range m.PatternsOf("k") {
					tested[p] = true
				}
				k, err := m.Kernel("k")
				require.NoError(t, err)
				require.NoError(t, k.Func.Verify())
				d := function.New(function.Options{})
				kind, want := device.S32, any(make([]int32, 128*sums))
				if g.Step.C == mma.F32 {
					kind, want = device.F32, make([]float32, 128*sums)
				}
				out, err := d.Alloc("out", kind, 128*sums)
				require.NoError(t, err)
				require.NoError(t, d.Write(out, want))
				_, err = d.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: 128, Args: []any{out}})
				require.NoError(t, err, "%s, %d sums", g.Func, sums)
				sum := 2 * groupWords[g.Step.A].sum
				if kind == device.F32 {
					got := make([]float32, 128*sums)
					require.NoError(t, d.Read(out, got))
					for j := range got {
						require.InDelta(t, float64(sum), got[j], 0, "%s, %d sums, element %d", g.Func, sums, j)
					}
					continue
				}
				if g.Step.C == mma.F16 {
					half := int(floats.Half.Round(float64(sum), floats.NearestEven))
					sum = half | half<<16
				}
				got := make([]int32, 128*sums)
				require.NoError(t, d.Read(out, got))
				for j := range got {
					require.Equal(t, int32(sum), got[j], "%s, %d sums, element %d", g.Func, sums, j)
				}
			}
		}
	}
	for _, i := range readptx.Instructions() {
		if i.Section == "Products of matrices by warpgroups" {
			assert.True(t, tested[i.Pattern], "%s has no test", i.Pattern)
		}
	}
}

// TestBaseOffset has a descriptor whose pattern begins elsewhere.
func TestBaseOffset(t *testing.T) {
	bits := mma.Layout{Stride: 256, Swizzle: 32}.Bits()
	text := strings.Replace(groupProgram(&mma.GroupProducts[0], 4, false), fmt.Sprint(bits), fmt.Sprint(bits|1<<49), 1)
	m, err := readptx.Read("k.ptx", []byte(text))
	require.NoError(t, err)
	k, err := m.Kernel("k")
	require.NoError(t, err)
	d := function.New(function.Options{})
	out, err := d.Alloc("out", device.F32, 512)
	require.NoError(t, err)
	_, err = d.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: 128, Args: []any{out}})
	require.ErrorContains(t, err, "wgmma.mma_async of a matrix with a base offset in its descriptor, which is not supported")
}

// TestGroupMMACopies: of two products that follow each other, the sums are copied before the first and behind the last.
func TestGroupMMACopies(t *testing.T) {
	m, err := readptx.Read("k.ptx", []byte(groupProgram(&mma.GroupProducts[0], 16, false)))
	require.NoError(t, err)
	k, err := m.Kernel("k")
	require.NoError(t, err)
	count := map[ir.Op]int{}
	for i := range k.Program.Code {
		count[k.Program.Code[i].Op]++
	}
	assert.Equal(t, []int{2, 16}, []int{count[ir.OpGroupMMA], count[ir.OpSumsGet]})
	assert.LessOrEqual(t, count[ir.OpSumsSet], 32, "p0 and p1 are not known")
}

// TestGroupMMAForms reads whether factors are negated and transposed.
func TestGroupMMAForms(t *testing.T) {
	for _, registers := range []bool{false, true} {
		for rest, want := range map[string]mma.Form{"1, -1, 0": mma.NegatedB, "-1, 1, 1": mma.NegatedA | mma.TransposedB, "-1, -1, 1": mma.NegatedA | mma.NegatedB | mma.TransposedB} {
			text := groupProgram(&mma.GroupProducts[1], 4, registers)
			if registers {
				text = strings.ReplaceAll(text, "1, 1, 0;", rest+";")
			} else {
				rest, want = rest[:len(rest)-1]+"1, "+rest[len(rest)-1:], want|mma.TransposedA
				text = strings.ReplaceAll(text, "1, 1, 0, 0;", rest+";")
			}
			m, err := readptx.Read("k.ptx", []byte(text))
			require.NoError(t, err)
			k, err := m.Kernel("k")
			require.NoError(t, err, rest)
			found := 0
			for i := range k.Program.Code {
				if in := &k.Program.Code[i]; in.Op.IsGroupMMA() {
					assert.Equal(t, want, ir.SumsOf(in.Imm).Form, rest)
					found++
				}
			}
			assert.Equal(t, 2, found)
		}
	}
}

// TestGroupMMARefused has products that are not supported.
func TestGroupMMARefused(t *testing.T) {
	plain := groupProgram(&mma.GroupProducts[0], 4, false)
	for change, want := range map[string]string{
		"1, 1, 0, 0;->-2, 1, 0, 0;":                            "wgmma multiplies a factor by -2; want 1 or -1",
		"1, 1, 0, 0;->1, 1, 0, 2;":                             "whether wgmma transposes a factor is 2; want 0 or 1",
		"1, 1, 0, 0;->1, 1, 0;":                                "wgmma has 1 operands that say whether a factor is transposed; it needs one for each factor in shared memory, 2",
		"1, 1, 0, 0;->1, %w0, 0, 0;":                           "whether wgmma negates or transposes a factor is no number",
		"wait_group.sync.aligned 0->wait_group.sync.aligned 8": "the number of groups is 8; it is at most 7",
		"m64n8k16.f32.f16->m64n8k16.f16.bf16":                  "",
	} {
		from, to, _ := strings.Cut(change, "->")
		m, err := readptx.Read("k.ptx", []byte(strings.Replace(plain, from, to, 1)))
		if err == nil {
			_, err = m.Kernel("k")
		}
		require.ErrorContains(t, err, want, change)
	}
}
