package readptx_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/function"
)

// sums adds n words, n at least 1, and multiplies the sum by 3 in a second loop of n rounds over another array.
const sums = `.version 8.0
.target sm_70
.address_size 64
@module
.visible .entry sums(.param .u64 x, .param .u64 y, .param .u64 out, .param .u32 n)
@entry
{
	.reg .pred %p<4>;
	.reg .b32 %r<12>;
	.reg .b64 %rd<12>;
	ld.param.u64 %rd1, [x];
	ld.param.u64 %rd2, [y];
	ld.param.u64 %rd3, [out];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, 0;
	mov.u32 %r3, 0;
@before
first:
@after
	ld.global.u32 %r4, [%rd1];
	add.u32 %r3, %r3, %r4;
	add.s64 %rd1, %rd1, 4;
	add.s32 %r2, %r2, 1;
	@middle
	setp.lt.s32 %p1, %r2, %r1;
	@%p1 bra first;
	mov.u32 %r5, 0;
second:
	ld.global.u32 %r6, [%rd2];
	mad.lo.u32 %r3, %r6, 3, %r3;
	add.s64 %rd2, %rd2, 4;
	add.s32 %r5, %r5, 1;
	setp.lt.s32 %p2, %r5, %r1;
	@%p2 bra second;
	st.global.u32 [%rd3], %r3;
	ret;
}
`

// TestRolled checks which loops are unrolled by four, as ptxas does, by the loads that the kernel has: four, two and one for each of such loops. A pragma keeps the
// loop of whose head it stands in front of the first instruction, or all loops of a kernel or module (PTX ISA, pragma strings: "nounroll").
func TestRolled(t *testing.T) {
	const pragma = `.pragma "nounroll";`
	for _, c := range []struct {
		at    string
		loads int
	}{{"", 14}, {"@module", 2}, {"@entry", 2}, {"@before", 8}, {"@after", 8}, {"@middle", 14}} {
		text := sums
		for _, mark := range []string{"@module", "@entry", "@before", "@after", "@middle"} {
			with := ""
			if mark == c.at {
				with = pragma
			}
			text = strings.Replace(text, mark+"\n", with+"\n", 1)
		}
		m, err := readptx.Read("sums.ptx", []byte(text))
		require.NoError(t, err, c.at)
		k, err := m.Kernel("sums")
		require.NoError(t, err, c.at)
		loads := 0
		for i := range k.Program.Code {
			if in := &k.Program.Code[i]; in.Op == ir.OpLoad {
				loads++
			}
		}
		assert.Equal(t, c.loads, loads, "%q", c.at)
		for n := 1; n < 12; n++ {
			d := function.New(function.Options{})
			x, y := make([]byte, 64), make([]byte, 64)
			want := uint32(0)
			for i := range uint32(16) {
				binary.LittleEndian.PutUint32(x[4*i:], 7*i+1)
				binary.LittleEndian.PutUint32(y[4*i:], 1000+i*i)
				if i < uint32(n) {
					want += 7*i + 1 + 3*(1000+i*i)
				}
			}
			buffer := func(name string, data []byte) device.Buffer {
				b, err := d.Alloc(name, device.U8, len(data))
				require.NoError(t, err)
				require.NoError(t, d.Write(b, data))
				return b
			}
			out := buffer("out", make([]byte, 4))
			_, err = d.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: 1, Args: []any{buffer("x", x), buffer("y", y), out, uint32(n)}})
			require.NoError(t, err)
			got := make([]byte, 4)
			require.NoError(t, d.Read(out, got))
			assert.Equal(t, want, binary.LittleEndian.Uint32(got), "%q, %d rounds", c.at, n)
		}
	}
}
