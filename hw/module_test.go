//go:build cgo && linux

package hw_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
)

// head begins a module.
const head = ".version 7.0\n.target sm_70\n.address_size 64\n"

// scale multiplies by a factor of the module, adds a field of a structure, and counts in a variable by an address that
// another variable holds. Its grid and block have three dimensions, and a part of the work passes through dynamic shared memory.
const scale = head + `
.visible .const .align 4 .u32 factor = 3;
.visible .global .align 4 .u32 count;
.visible .global .align 8 .u64 where[2] = {generic(count), 5};
.extern .shared .align 4 .b8 room[];
.visible .entry scale(.param .u64 p0, .param .align 4 .b8 p1[8], .param .u8 p2, .param .u64 p3)
.maxntid 64, 1, 1
{
	.reg .b32 %r<24>;
	.reg .b64 %rd<16>;
	mov.u32 %r1, %tid.z;
	mov.u32 %r2, %ntid.y;
	mov.u32 %r3, %tid.y;
	mad.lo.u32 %r4, %r1, %r2, %r3;
	mov.u32 %r5, %ntid.x;
	mov.u32 %r6, %tid.x;
	mad.lo.u32 %r7, %r4, %r5, %r6;
	mov.u32 %r8, %ctaid.z;
	mov.u32 %r9, %nctaid.y;
	mov.u32 %r10, %ctaid.y;
	mad.lo.u32 %r11, %r8, %r9, %r10;
	mov.u32 %r12, %nctaid.x;
	mov.u32 %r13, %ctaid.x;
	mad.lo.u32 %r14, %r11, %r12, %r13;
	mad.lo.u32 %r15, %r14, 24, %r7;
	ld.param.u64 %rd1, [p0];
	mul.wide.u32 %rd2, %r15, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r16, [%rd3];
	ld.const.u32 %r17, [factor];
	ld.param.u32 %r18, [p1+4];
	mad.lo.u32 %r19, %r16, %r17, %r18;
	mov.u64 %rd4, room;
	mul.wide.u32 %rd5, %r7, 4;
	add.s64 %rd6, %rd4, %rd5;
	st.shared.u32 [%rd6], %r19;
	bar.sync 0;
	ld.shared.u32 %r20, [%rd6];
	ld.param.u8 %r21, [p2];
	add.u32 %r20, %r20, %r21;
	ld.param.u64 %rd7, [p3];
	add.s64 %rd8, %rd7, %rd2;
	st.global.u32 [%rd8], %r20;
	ld.global.u64 %rd9, [where];
	atom.add.u32 %r22, [%rd9], 1;
	ret;
}
.visible .entry factorOf(.param .u64 p0)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p0];
	ld.const.u32 %r1, [factor];
	st.global.u32 [%rd1], %r1;
	ret;
}
`

// kernelOf returns a kernel of a text.
func kernelOf(t *testing.T, m *readptx.Module, name string) *device.Kernel {
	t.Helper()
	k, err := m.Kernel(name)
	require.NoError(t, err)
	return k.ForHost()
}

func moduleOf(t *testing.T, text string) *readptx.Module {
	t.Helper()
	m, err := readptx.Read("m.ptx", []byte(text))
	require.NoError(t, err)
	return m
}

// TestKernelOfPTX runs kernels as their text stands, with bytes, buffers and structures as arguments, and variables that they share.
func TestKernelOfPTX(t *testing.T) {
	for _, without := range systems {
		t.Run("without "+without, func(t *testing.T) {
			if without != "" {
				t.Setenv(without, "1")
			}
			d := openFake(t, hw.Options{})
			m := moduleOf(t, scale)
			const n = 2 * 3 * 2 * 24
			in, out := make([]uint32, n), make([]uint32, n)
			for i := range in {
				in[i] = uint32(i)
			}
			a, b := alloc(t, d, "in", in), alloc(t, d, "out", out)
			l := device.Launch{
				Kernel: kernelOf(t, m, "scale"), Grid: 2, GridY: 3, GridZ: 2, Block: 4, BlockY: 3, BlockZ: 2, DynamicShared: 96,
				Args: []any{a, struct{ A, B uint32 }{1, 100}, byte(7), b},
			}
			rep, err := d.Launch(t.Context(), l)
			require.NoError(t, err)
			assert.Greater(t, rep.Seconds, 0.0)
			require.NoError(t, d.Read(b, out))
			for i := range out {
				require.Equal(t, uint32(3*i+107), out[i], i)
			}

			// The variables are those of all kernels of the module, and the host's.
			factor, err := d.Variable(variable(t, m, "factor"))
			require.NoError(t, err)
			require.NoError(t, d.Write(factor, []byte{11, 0, 0, 0}))
			_, err = d.Launch(t.Context(), device.Launch{Kernel: kernelOf(t, m, "factorOf"), Grid: 1, Block: 1, Args: []any{b}})
			require.NoError(t, err)
			l.Args[1] = binary.LittleEndian.AppendUint64(nil, 50<<32)
			l.Args[3], err = d.Address(b)
			require.NoError(t, err)
			l.Cooperative = true
			_, err = d.Launch(t.Context(), l)
			require.NoError(t, err)
			require.NoError(t, d.Read(b, out))
			assert.Equal(t, []uint32{57, 68}, out[:2])
			count, err := d.Variable(variable(t, m, "count"))
			require.NoError(t, err)
			got := make([]byte, 4)
			require.NoError(t, d.Read(count, got))
			assert.Equal(t, uint32(2*n), binary.LittleEndian.Uint32(got))
			assert.ErrorContains(t, d.Free(count), "stays as long as the module")
			still(t, d)
		})
	}
}

func variable(t *testing.T, m *readptx.Module, name string) *device.Variable {
	t.Helper()
	v, err := m.Variable(name)
	require.NoError(t, err)
	return v.ForHost()
}

// TestManyParameters passes more bytes than a launch of words has room for.
func TestManyParameters(t *testing.T) {
	d := openFake(t, hw.Options{})
	m := moduleOf(t, head+`.visible .entry sum(.param .u64 p0, .param .align 4 .b8 p1[4000])
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p0];
	ld.param.u32 %r1, [p1];
	ld.param.u32 %r2, [p1+3996];
	add.u32 %r1, %r1, %r2;
	st.global.u32 [%rd1], %r1;
	ret;
}
`)
	to := alloc(t, d, "to", make([]uint32, 1))
	all := make([]byte, 4000)
	all[1], all[3997] = 2, 3
	l := device.Launch{Kernel: kernelOf(t, m, "sum"), Grid: 1, Block: 1, Args: []any{to, all}}
	_, err := d.Launch(t.Context(), l)
	require.NoError(t, err)
	got := make([]uint32, 1)
	require.NoError(t, d.Read(to, got))
	assert.Equal(t, uint32(5<<8), got[0])
}

// TestRefusedOfPTX checks what a GPU refuses of a kernel that it runs as it stands, before anything runs.
func TestRefusedOfPTX(t *testing.T) {
	d := openFake(t, hw.Options{})
	m := moduleOf(t, scale)
	l := device.Launch{Kernel: kernelOf(t, m, "scale"), Grid: 1, Block: 65, Args: []any{nil, make([]byte, 8), byte(0), nil}}
	_, err := d.Launch(t.Context(), l)
	assert.EqualError(t, err, "launch of scale: a block of 65 threads; the kernel is for at most 64 (.maxntid, __launch_bounds__)")
	l.Block = 1
	l.Args = l.Args[:3]
	_, err = d.Launch(t.Context(), l)
	assert.ErrorContains(t, err, "3 arguments where the kernel takes 4")
	l.Args = []any{nil, make([]byte, 9), byte(0), nil}
	_, err = d.Launch(t.Context(), l)
	assert.ErrorContains(t, err, "the argument has 9 bytes, and the parameter 8")
	l.Args[1], l.DynamicShared = make([]byte, 8), 300<<10
	_, err = d.Launch(t.Context(), l)
	assert.ErrorContains(t, err, "a block takes 307200 bytes of shared memory; the device has 232448")
	l.DynamicShared = 0
	checked := openFake(t, hw.Options{Check: true})
	_, err = checked.Launch(t.Context(), l)
	assert.EqualError(t, err, "launch of scale: a kernel read from PTX runs on a GPU as it stands, without checks of bounds; func and simulated machines have them")

	bad := moduleOf(t, head+".visible .entry broken() { ret; }")
	_, err = d.Launch(t.Context(), device.Launch{Kernel: kernelOf(t, bad, "broken"), Grid: 1, Block: 1})
	assert.ErrorContains(t, err, "build of broken: cuModuleLoadDataEx: CUDA_ERROR (500)")
}

// failing has kernels that fail on a GPU, each in its way.
const failing = head + `
.visible .entry wild() { .reg .b64 %rd<2>; mov.u64 %rd1, 8; st.global.u32 [%rd1], 1; ret; }
.visible .entry odd(.param .u64 p0) { .reg .b64 %rd<2>; ld.param.u64 %rd1, [p0]; st.global.u32 [%rd1+1], 1; ret; }
.visible .entry trapped() { trap; ret; }
.visible .entry endless(.param .u64 p0) { .reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .pred %p<2>; ld.param.u64 %rd1, [p0];
again: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra again; ret; }
`

// TestFaultsOfPTX checks that a fault of such a kernel, and one that never ends, is an error that says so, and that the device goes on.
func TestFaultsOfPTX(t *testing.T) {
	d := openFake(t, hw.Options{Deadline: 300 * time.Millisecond})
	m := moduleOf(t, failing)
	for _, c := range []struct{ name, says string }{
		{"wild", "CUDA_ERROR_ILLEGAL_ADDRESS (700)"}, {"odd", "CUDA_ERROR_MISALIGNED_ADDRESS (716)"}, {"trapped", "CUDA_ERROR_LAUNCH_FAILED (719)"},
		{"endless", "it exceeded its deadline of 300ms"},
	} {
		w := alloc(t, d, "word", make([]uint32, 4))
		k := kernelOf(t, m, c.name)
		l := device.Launch{Kernel: k, Grid: 1, Block: 1}
		if len(k.Params) > 0 {
			l.Args = []any{w}
		}
		_, err := d.Launch(t.Context(), l)
		require.ErrorContains(t, err, c.says, c.name)
		still(t, d)
	}
}

// TestPrintedOfPTX checks that the output of printf comes to the host, once, and in its order.
func TestPrintedOfPTX(t *testing.T) {
	d := openFake(t, hw.Options{})
	m := moduleOf(t, head+`
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.global .align 1 .b8 format[11] = {103, 111, 116, 32, 37, 100, 10, 0, 0, 0, 0};
.visible .entry say(.param .u32 p0)
{
	.local .align 8 .b8 depot[8];
	.reg .b64 %SP;
	.reg .b32 %r<3>;
	.reg .b64 %rd<4>;
	mov.u64 %SP, depot;
	cvta.local.u64 %SP, %SP;
	ld.param.u32 %r1, [p0];
	st.u32 [%SP], %r1;
	mov.u64 %rd1, format;
	cvta.global.u64 %rd2, %rd1;
	{
	.param .b64 a;
	st.param.b64 [a], %rd2;
	.param .b64 b;
	st.param.b64 [b], %SP;
	.param .b32 r;
	call.uni (r), vprintf, (a, b);
	ld.param.b32 %r2, [r];
	}
	ret;
}
`)
	k := kernelOf(t, m, "say")
	for i := range 2 {
		_, err := d.Launch(t.Context(), device.Launch{Kernel: k, Grid: 1, Block: 2, Args: []any{41 + i}})
		require.NoError(t, err)
	}
	text, err := d.Printed()
	require.NoError(t, err)
	assert.Equal(t, "got 41\ngot 41\ngot 42\ngot 42\n", text)
	text, err = d.Printed()
	require.NoError(t, err)
	assert.Empty(t, text)
}

// TestShareFile checks memory that the host, another process and the GPU have at the same address.
func TestShareFile(t *testing.T) {
	d := openFake(t, hw.Options{})
	m := moduleOf(t, scale)
	file := filepath.Join(t.TempDir(), "shared")
	require.NoError(t, os.WriteFile(file, make([]byte, 4096), 0o600))
	var addresses []uint64
	for range 2 {
		b, err := d.ShareFile("both", file, 4096)
		require.NoError(t, err)
		at, err := d.Address(b)
		require.NoError(t, err)
		addresses = append(addresses, at)
		assert.Zero(t, at%4096)
		_, err = d.Launch(t.Context(), device.Launch{Kernel: kernelOf(t, m, "factorOf"), Grid: 1, Block: 1, Args: []any{at + 8}})
		require.NoError(t, err)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, byte(3), data[8])
		require.NoError(t, d.Fill(b.Slice(8, 10), 0xee))
		data, err = os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, []byte{0, 0xee, 0xee, 0}, data[7:11])
		require.NoError(t, d.Free(b))
	}
	assert.Equal(t, addresses[0], addresses[1], "an address comes again after Free")
	_, err := d.ShareFile("none", file+"x", 8)
	assert.ErrorContains(t, err, "no such file")
	still(t, d)
}

// TestGroupOfPTX runs a kernel of PTX in a list of commands, on two GPUs.
func TestGroupOfPTX(t *testing.T) {
	g := openWhole(t, 2, hw.Options{})
	m := moduleOf(t, scale)
	k := kernelOf(t, m, "factorOf")
	var cmds []device.Command
	var to []device.Buffer
	for i := range 2 {
		b := alloc(t, g.GPU(i), fmt.Sprint("to ", i), make([]uint32, 1))
		to = append(to, b)
		cmds = append(cmds, device.Command{GPU: i, Launch: &device.Launch{Kernel: k, Grid: 1, Block: 1, Args: []any{b}}})
	}
	_, err := g.Run(t.Context(), cmds)
	require.NoError(t, err)
	for i, b := range to {
		got := make([]uint32, 1)
		require.NoError(t, g.GPU(i).Read(b, got))
		assert.Equal(t, uint32(3), got[0])
	}
	big := moduleOf(t, head+".visible .entry large(.param .align 4 .b8 p0[2052]) { ret; }")
	wide := []device.Command{{Launch: &device.Launch{Kernel: kernelOf(t, big, "large"), Grid: 1, Block: 1, Args: []any{make([]byte, 2052)}}}}
	_, err = g.Run(t.Context(), wide)
	assert.ErrorContains(t, err, "2052 bytes of parameters; in a list, a real GPU takes 2048")
	_, ready := device.ReadyList(t.Context(), g, wide)
	assert.EqualError(t, ready, err.Error())
	assert.False(t, strings.Contains(fmt.Sprint(err), "panic"))
}

// TestMostParameters runs kernels with as many words of parameters as a launch takes, alone, in a list, and in a cooperative launch, and
// checks that each word arrives.
func TestMostParameters(t *testing.T) {
	g := openWhole(t, 2, hw.Options{})
	const words = 255 // and the address of the buffer
	text := head + fmt.Sprintf(".visible .entry sum(.param .u64 to, .param .align 8 .b8 p[%d]) {\n.reg .b64 %%a, %%s, %%x;\nld.param.u64 %%a, [to];\nmov.b64 %%s, 0;\n", 8*words)
	want, bytes := uint64(0), make([]byte, 8*words)
	for i := range words {
		text += fmt.Sprintf("ld.param.u64 %%x, [p+%d];\nmul.lo.u64 %%x, %%x, %d;\nadd.u64 %%s, %%s, %%x;\n", 8*i, i+1)
		value := uint64(i)*1e15 + 7
		binary.LittleEndian.PutUint64(bytes[8*i:], value)
		want += value * uint64(i+1)
	}
	k := kernelOf(t, moduleOf(t, text+"st.global.u64 [%a], %s;\nret;\n}"), "sum")
	for gpu := range 2 {
		b, err := g.GPU(gpu).Alloc("sum", device.U64, 1)
		require.NoError(t, err)
		for _, cooperative := range []bool{false, true} {
			for _, list := range []bool{false, true} {
				require.NoError(t, g.GPU(gpu).Write(b, []uint64{0}))
				l := device.Launch{Kernel: k, Grid: 1, Block: 1, Cooperative: cooperative, Args: []any{b, bytes}}
				if list {
					_, err = g.Run(t.Context(), []device.Command{{GPU: gpu, Launch: &l}})
				} else {
					_, err = g.GPU(gpu).Launch(t.Context(), l)
				}
				require.NoError(t, err)
				got := []uint64{0}
				require.NoError(t, g.GPU(gpu).Read(b, got))
				assert.Equal(t, want, got[0], "in a list: %v, cooperative: %v", list, cooperative)
			}
		}
	}
}
