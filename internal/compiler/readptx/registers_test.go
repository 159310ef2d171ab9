package readptx_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/ptx"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/function"
)

// registersProgram returns a kernel in which the first warpgroup gives registers back and the second one takes some.
func registersProgram(directive, gives, takes string) []byte {
	return []byte(`.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out) ` + directive + `
{
	.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;
	mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 128; @%p bra GIVES;
	setmaxnreg.inc.sync.aligned.u32 ` + takes + `; bra OUT;
GIVES:
	setmaxnreg.dec.sync.aligned.u32 ` + gives + `;
OUT:
	ld.param.u64 %rd1, [out]; mad.wide.u32 %rd2, %r1, 4, %rd1; st.global.u32 [%rd2], %r1;
	ret;
}
`)
}

// TestRegisters reads and executes changes of the registers of warpgroups. A kernel begins with as many as .maxnreg says, or as a block of its largest
// size has of 65,536; both are computed by hand.
func TestRegisters(t *testing.T) {
	for _, c := range []struct{ directive, gives, takes, fault string }{
		{".maxnreg 96", "40", "152", ""},
		{".maxnreg 96", "104", "152", "setmaxnreg.dec of all but 104 registers in a warp that has 96"},
		{".maxntid 256, 1, 1 .minnctapersm 2", "24", "232", ""}, // 128
		{".maxntid 384, 1, 1", "40", "160", "setmaxnreg.inc of up to 160 registers in a warp that has 168"},
		{".reqntid 256, 1, 1", "240", "256", ""}, // 248, since no more is allowed at launch
	} {
		m, err := readptx.Read("k.ptx", registersProgram(c.directive, c.gives, c.takes))
		require.NoError(t, err)
		k, err := m.Kernel("k")
		require.NoError(t, err)
		require.NoError(t, k.Func.Verify())
		text, err := ptx.Module(ptx.Options{Target: "sm_90"}, ir.Compiled(k.ForHost()))
		require.NoError(t, err)
		require.Contains(t, text, "setmaxnreg.inc.sync.aligned.u32 "+c.takes+";")
		require.Contains(t, text, ".target sm_90a")
		require.Contains(t, text, "\n.maxnreg ")
		d := function.New(function.Options{})
		out, err := d.Alloc("out", device.U32, 256)
		require.NoError(t, err)
		_, err = d.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: 256, Args: []any{out}})
		if c.fault != "" {
			require.ErrorContains(t, err, c.fault)
			continue
		}
		require.NoError(t, err, "%v", c)
		got := make([]uint32, 256)
		require.NoError(t, d.Read(out, got))
		for i := range got {
			require.EqualValues(t, i, got[i])
		}
	}
	for text, why := range map[string]string{
		string(registersProgram("", "40", "152")):            "k.ptx:8: setmaxnreg in a kernel whose number of registers is not fixed, by .maxnreg or by the largest block (.maxntid, .reqntid)",
		string(registersProgram(".maxnreg 96", "40", "100")): "k.ptx:8: setmaxnreg of 100 registers; want a multiple of 8 from 24 to 256",
		string(registersProgram(".maxnreg 96", "16", "152")): "setmaxnreg of 16 registers; want a multiple of 8 from 24 to 256",
		string(registersProgram(".maxnreg 96", "40", "264")): "the number of registers of setmaxnreg is 264; it is at most 256",
	} {
		m, err := readptx.Read("k.ptx", []byte(text))
		require.NoError(t, err)
		_, err = m.Kernel("k")
		require.ErrorContains(t, err, why)
	}
	require.Equal(t, 1, strings.Count(string(registersProgram("", "40", "152")), "inc"))
}
