package readptx_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/function"
)

// TestTextureReference fetches from a texture that is a variable: it has no memory until somebody writes where that is.
func TestTextureReference(t *testing.T) {
	m, err := readptx.Read("m.ptx", []byte(`.version 7.0
.target sm_70
.address_size 64
.file 1 "prog.cu"
.visible .global .texref image;
.entry k(.param .u64 out) {
	.reg .b32 %r<9>;
	.reg .b64 %rd<3>;
	.loc 1 12 3
	tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [image, {1}];
	ld.param.u64 %rd1, [out];
	st.global.u32 [%rd1], %r1;
	ret;
}
`))
	require.NoError(t, err)
	k, err := m.Kernel("k")
	require.NoError(t, err)
	v, err := m.Variable("image")
	require.NoError(t, err)
	require.Equal(t, 16, v.Size)
	dev := function.New(function.Options{})
	out, err := dev.Alloc("out", device.U32, 1)
	require.NoError(t, err)
	launch := device.Launch{Kernel: k.ForHost(), Grid: 1, Block: 1, Args: []any{out}}
	_, err = dev.Launch(t.Context(), launch)
	require.ErrorContains(t, err, "prog.cu:12:3: the texture is bound to no memory")

	texels, err := dev.Alloc("texels", device.U16, 3)
	require.NoError(t, err)
	require.NoError(t, dev.Write(texels, []uint16{7, 8, 9}))
	image, err := device.VariableOn(dev, v.ForHost())
	require.NoError(t, err)
	require.NoError(t, dev.Write(image, binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, texels.Addr), 3|0x81<<32)))
	_, err = dev.Launch(t.Context(), launch)
	require.NoError(t, err)
	got := make([]uint32, 1)
	require.NoError(t, dev.Read(out, got))
	require.Equal(t, []uint32{8}, got)
}
