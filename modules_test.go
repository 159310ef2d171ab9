package weft_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft"
)

// scalePTX multiplies by a factor of the module, adds a field of a structure and counts.
const scalePTX = `.version 7.0
.target sm_70
.address_size 64
.visible .const .align 4 .u32 factor = 3;
.visible .global .align 4 .u32 count;
.visible .global .align 8 .u64 where[2] = {generic(count), 5};
.visible .entry _Z5scalePj4Pairi(
	.param .u64 _Z5scalePj4Pairi_param_0,
	.param .align 4 .b8 _Z5scalePj4Pairi_param_1[8],
	.param .u32 _Z5scalePj4Pairi_param_2
)
.maxntid 64, 1, 1
{
	.reg .pred %p<2>;
	.reg .b32 %r<9>;
	.reg .b64 %rd<6>;
	ld.param.u32 %r1, [_Z5scalePj4Pairi_param_2];
	mov.u32 %r2, %tid.x;
	setp.ge.u32 %p1, %r2, %r1;
	@%p1 bra DONE;
	ld.param.u64 %rd1, [_Z5scalePj4Pairi_param_0];
	cvta.to.global.u64 %rd2, %rd1;
	mul.wide.u32 %rd3, %r2, 4;
	add.s64 %rd4, %rd2, %rd3;
	ld.global.u32 %r3, [%rd4];
	ld.const.u32 %r4, [factor];
	ld.param.u32 %r5, [_Z5scalePj4Pairi_param_1+4];
	mad.lo.u32 %r6, %r3, %r4, %r5;
	st.global.u32 [%rd4], %r6;
	ld.global.u64 %rd5, [where];
	atom.add.u32 %r7, [%rd5], 1;
DONE:
	ret;
}
`

// TestLoadPTX runs a kernel of PTX with bytes, buffers and structures as arguments, and reads and writes its variables.
func TestLoadPTX(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scale.ptx")
	require.NoError(t, os.WriteFile(file, []byte(scalePTX), 0o600))
	m, err := weft.LoadPTX(file)
	require.NoError(t, err)
	require.Equal(t, []string{"_Z5scalePj4Pairi"}, m.Kernels())
	k, err := m.Kernel("scale")
	require.NoError(t, err)
	require.Equal(t, 64, k.MaxThreads)
	require.Equal(t, []int{8, 8, 4}, []int{k.Params[0].Bytes, k.Params[1].Bytes, k.Params[2].Bytes})
	for _, name := range []string{"func", "sim:h200", "sim:k40"} {
		dev, err := weft.Open(t.Context(), name, weft.Options{})
		require.NoError(t, err)
		x, err := weft.Upload(dev, "x", []uint32{1, 2, 3, 4})
		require.NoError(t, err)
		type pair struct{ A, B uint32 }
		launch := func(args ...any) error {
			_, err := dev.Launch(t.Context(), weft.Launch{Kernel: k, Grid: 1, Block: 32, Args: args})
			return err
		}
		require.NoError(t, launch(x, pair{9, 7}, 4))
		got, err := x.Values()
		require.NoError(t, err)
		require.Equal(t, []uint32{10, 13, 16, 19}, got, name)

		factor, err := m.Variable("factor")
		require.NoError(t, err)
		require.True(t, factor.Constant)
		b, err := dev.Variable(factor)
		require.NoError(t, err)
		require.NoError(t, dev.Write(b, []byte{2, 0, 0, 0}))
		require.NoError(t, launch(x, []byte{0, 0, 0, 0, 1, 0, 0, 0}, uint32(2)))
		got, err = x.Values()
		require.NoError(t, err)
		require.Equal(t, []uint32{21, 27, 16, 19}, got, name)

		count, err := m.Variable("count")
		require.NoError(t, err)
		b, err = dev.Variable(count)
		require.NoError(t, err)
		bytes := make([]byte, 4)
		require.NoError(t, dev.Read(b, bytes))
		require.Equal(t, []byte{6, 0, 0, 0}, bytes)

		require.EqualError(t, launch(x, []byte{1}, 4), "launch of scale: argument 2 (_Z5scalePj4Pairi_param_1 .b8[8]): the argument has 1 bytes, and the parameter 8")
		require.EqualError(t, launch(x, pair{}, "4"), "launch of scale: argument 3 (_Z5scalePj4Pairi_param_2 .u32): a string has no bytes for a kernel; pass []byte, numbers, buffers, or structs and arrays of these")
		require.EqualError(t, launch(x, pair{}, 1<<40), "launch of scale: argument 3 (_Z5scalePj4Pairi_param_2 .u32): 1099511627776 does not fit 4 bytes")
		_, err = dev.Launch(t.Context(), weft.Launch{Kernel: k, Grid: 1, Block: 96, Args: []any{x, pair{}, 4}})
		require.EqualError(t, err, "launch of scale: a block of 96 threads; the kernel is for at most 64 (.maxntid, __launch_bounds__)")
		require.NoError(t, dev.Close())
	}
	_, err = m.Kernel("nothing")
	require.EqualError(t, err, file+` has no kernel "nothing"; it has _Z5scalePj4Pairi`)
	_, err = m.Variable("nothing")
	require.EqualError(t, err, file+` has no variable "nothing" in global or constant memory`)
	_, err = weft.LoadPTX("none.ptx")
	require.EqualError(t, err, "weft.LoadPTX: open none.ptx: no such file or directory")
	_, err = weft.ReadPTX("bad.ptx", []byte(".version 7.0\n.nothing"))
	require.EqualError(t, err, `bad.ptx:2: ".nothing" is no directive of a module`)
}
