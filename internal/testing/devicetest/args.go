package devicetest

import (
	"context"
	"math"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// rangeArg and packArg are testkernels.Range and Pack as a host program passes them.
type rangeArg struct {
	Lo, Hi uint32
	Scale  float32
}

type packArg struct {
	In    device.Buffer
	Range rangeArg
	Add   [3]uint32
	Last  device.Buffer
	On    bool
	Small int8
}

func testArgs(b *bench) {
	in := buffer(b, "in", device.U32, uint32(1), 2, 3, 4, 5)
	out := buffer(b, "out", device.F32, make([]float32, 5)...)
	p := packArg{In: in, Range: rangeArg{1, 4, 0.5}, Add: [3]uint32{1, 2, 3}, Last: in.Slice(4, 5), On: true, Small: -7}
	b.must("Packed", 1, 64, p, out)
	assert.Equal(b, []float32{4.5, 321, 5, 1, -7}, read[float32](b, out))

	f := buffer(b, "f", device.F64, make([]float64, 9)...)
	b.must("Scalars", 1, 1, f, uint32(math.MaxUint32), int32(-1), uint64(1)<<53, int64(-1)<<53, float32(0.5), 0.25, true, uint8(200), int16(-300))
	assert.Equal(b, []float64{math.MaxUint32, -1, 1 << 53, -1 << 53, 0.5, 0.25, 1, 200, -300}, read[float64](b, f))
	b.must("Scalars", 1, 1, f, 7, -7, 8, -8, float32(1), 2.0, false, 9, -9)
	assert.Equal(b, []float64{7, -7, 8, -8, 1, 2, 0, 9, -9}, read[float64](b, f), "constants need no conversion")

	type point struct {
		X, Y float32
		Tag  uint64
	}
	ps, err := b.Alloc("points", device.U8, 3*16)
	require.NoError(b, err)
	require.NoError(b, b.Write(ps, []point{{1, 2, 10}, {3, 4, 20}, {5, 6, 30}}))
	b.must("Points", 1, 32, ps)
	got := make([]point, 3)
	require.NoError(b, b.Read(ps, got))
	assert.Equal(b, []point{{2, 1, 10}, {4, 3, 21}, {6, 5, 32}}, got)

	word := buffer(b, "word", device.U64, uint64(0), 0)
	b.must("Through", 1, 32, word.Slice(1, 2), uint64(1)<<40)
	assert.Equal(b, []uint64{0, 1 << 40}, read[uint64](b, word))
	b.must("Iota", 1, 32, nil)
	b.must("Iota", 1, 32, device.Buffer{})
}

func testArgErrors(b *bench) {
	u32, f32 := buffer(b, "u32", device.U32, uint32(1), 2), buffer(b, "f32", device.F32, float32(1), 2, 3, 4, 5)
	u64, bytes := buffer(b, "u64", device.U64, uint64(1)), buffer(b, "bytes", device.U8, make([]uint8, 17)...)
	freed := buffer(b, "freed", device.U32, uint32(1))
	require.NoError(b, b.Free(freed))
	pack := packArg{In: u32, Last: u32}
	wrong := pack
	wrong.Last = f32
	for _, c := range []struct {
		kernel string
		args   []any
		want   string
	}{
		{"Iota", nil, "argument 1 (out []uint32) is missing: the kernel takes (out []uint32)"},
		{"Iota", []any{u32, 1}, "2 arguments where the kernel takes 1: (out []uint32)"},
		{"Iota", []any{f32}, "argument 1 (out []uint32): out has elements of uint32: buffer f32 has float32"},
		{"Iota", []any{[]uint32{1}}, "argument 1 (out []uint32): out is a slice: want a buffer, got []uint32; weft.Upload, or Alloc and Write, copies it to the device"},
		{"Iota", []any{5}, "argument 1 (out []uint32): out is a slice: want a buffer, got int"},
		{"Iota", []any{freed}, "argument 1 (out []uint32): out: buffer freed was freed"},
		{"Points", []any{bytes}, "ps has elements of 16 bytes: buffer bytes has 17 bytes"},
		{"Through", []any{u64, "x"}, "argument 2 (v uint64): v: want uint64, got string"},
		{"Through", []any{u64, 1.5}, "argument 2 (v uint64): v: want uint64, got float64"},
		{"Through", []any{u64, nil}, "argument 2 (v uint64): v wants uint64, got nil"},
		{"Through", []any{u64, -1}, "argument 2 (v uint64): v: -1 does not fit uint64"},
		{"Through", []any{u64.Slice(1, 1), 1}, "p is a pointer: buffer u64 has no element"},
		{"Through", []any{u64, u64}, "v: want uint64, got buffer u64"},
		{"Divide", []any{nil, 1 << 31, 1}, "argument 2 (a int32): a: 2147483648 does not fit int32"},
		{"Divide", []any{nil, uint64(1) << 63, 1}, "9223372036854775808 does not fit int32"},
		{"Scalars", []any{nil, 1, 1, 1, 1, 1.5, 1.5, true, 1, 1}, "argument 6 (e float32): e: want float32, got float64"},
		{"Scalars", []any{nil, 1, 1, 1, 1, float32(1), 1.5, 1, 1, 1}, "argument 8 (g bool): g: want bool, got int"},
		{"Scalars", []any{nil, true, 1, 1, 1, float32(1), 1.5, true, 1, 1}, "argument 2 (a uint32): a: want uint32, got bool"},
		{"Scalars", []any{nil, 1, 1, 1, 1, float32(1), 1.5, true, 256, 1}, "argument 9 (h uint8): h: 256 does not fit uint8"},
		{"Scalars", []any{nil, 1, 1, 1, 1, float32(1), 1.5, true, 1, -32769}, "argument 10 (i int16): i: -32769 does not fit int16"},
		{"Packed", []any{pack.Range, f32}, "argument 1 (p testkernels.Pack): p.In is a slice: want a buffer, got uint32"},
		{"Packed", []any{struct{ In device.Buffer }{u32}, f32}, "it has no value for p.Range.Lo"},
		{"Packed", []any{struct {
			In    device.Buffer
			Range rangeArg
			Add   [3]uint32
			Last  device.Buffer
			On    bool
			Small int
		}{In: u32, Last: u32, Small: 128}, f32}, "p.Small: 128 does not fit int8"},
		{"Packed", []any{wrong, f32}, "p.Last has elements of uint32: buffer f32 has float32"},
		{"Packed", []any{struct {
			packArg
			More uint32
		}{pack, 1}, f32}, "it has more values than the parameter"},
	} {
		_, err := b.launch(c.kernel, 1, 32, c.args...)
		var arg *device.ArgError
		if assert.ErrorAs(b, err, &arg, "%s%v", c.kernel, c.args) {
			assert.Equal(b, "testkernels."+c.kernel, arg.Kernel)
			assert.Contains(b, arg.What, c.want)
		}
	}
	_, err := b.Launch(context.Background(), device.Launch{Grid: 1, Block: 1})
	var arg *device.ArgError
	require.ErrorAs(b, err, &arg)
	assert.Equal(b, 0, b.Total().Launches, "a launch that is refused does not count")
}
