package readptx_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/function"
)

const printing = `.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.global .align 1 .b8 text[19] = {120, 61, 37, 45, 52, 100, 124, 37, 46, 50, 102, 124, 37, 108, 108, 120, 37, 37, 10};
.global .align 1 .b8 condition[6] = {120, 32, 62, 32, 48, 0};
.global .align 1 .b8 file[5] = {112, 46, 99, 117, 0};
.visible .entry k(.param .u32 n)
{
	.local .align 8 .b8 args[24];
	.reg .pred %p;
	.reg .b32 %r<4>;
	.reg .b64 %rd<5>;
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	st.local.u32 [args], %r2;
	st.local.f64 [args+8], 0d4004000000000000;
	st.local.u64 [args+16], 0xABCDEF012;
	mov.u64 %rd1, text;
	cvta.global.u64 %rd2, %rd1;
	mov.u64 %rd3, args;
	cvta.local.u64 %rd4, %rd3;
	{
	.param .b64 a;
	st.param.b64 [a+0], %rd2;
	.param .b64 b;
	st.param.b64 [b+0], %rd4;
	.param .b32 c;
	call.uni (c), vprintf, (a, b);
	ld.param.b32 %r3, [c+0];
	}
	setp.gt.s32 %p, %r1, 0;
	@%p ret;
	mov.u64 %rd1, condition;
	mov.u64 %rd2, file;
	{
	.param .b64 a;
	st.param.b64 [a+0], %rd1;
	.param .b64 b;
	st.param.b64 [b+0], %rd2;
	.param .b32 c;
	st.param.b32 [c+0], 7;
	.param .b64 d;
	st.param.b64 [d+0], %rd2;
	.param .b64 e;
	st.param.b64 [e+0], 1;
	call.uni __assertfail, (a, b, c, d, e);
	}
	ret;
}
`

// TestPrintf prints from two threads, and fails an assertion.
func TestPrintf(t *testing.T) {
	m, err := readptx.Read("p.ptx", []byte(printing))
	require.NoError(t, err)
	require.Nil(t, m.PrintBuffer())
	k, err := m.Kernel("k")
	require.NoError(t, err)
	dev := function.New(function.Options{})
	_, err = dev.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: 2, Args: []any{1}})
	require.NoError(t, err)
	b, err := dev.Variable(m.PrintBuffer().ForHost())
	require.NoError(t, err)
	data := make([]byte, b.Len)
	require.NoError(t, dev.Read(b, data))
	out, lost := m.Printed(data, nil)
	require.Equal(t, "x=0   |2.50|abcdef012%\nx=1   |2.50|abcdef012%\n", out)
	require.Zero(t, lost)
	_, err = dev.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: 1, Args: []any{0}})
	require.ErrorContains(t, err, "assertion x > 0 failed (p.cu)")
}

// TestPrintBuffer fills the buffer: what does not fit is lost, and counted.
func TestPrintBuffer(t *testing.T) {
	m, err := readptx.Read("p.ptx", []byte(printing))
	require.NoError(t, err)
	k, err := m.Kernel("k")
	require.NoError(t, err)
	dev := function.New(function.Options{})
	_, err = dev.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 64, Block: 1024, Args: []any{1}})
	require.NoError(t, err)
	b, err := dev.Variable(m.PrintBuffer().ForHost())
	require.NoError(t, err)
	data := make([]byte, b.Len)
	require.NoError(t, dev.Read(b, data))
	require.EqualValues(t, 64*1024*32, binary.LittleEndian.Uint32(data))
	out, lost := m.Printed(data, nil)
	require.Equal(t, 64*1024*32-(1<<20-8)/32*32, lost)
	require.Len(t, out, len("x=0   |2.50|abcdef012%\n")*((1<<20-8)/32))
}
