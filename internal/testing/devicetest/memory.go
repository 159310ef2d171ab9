package devicetest

import (
	"math"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

func roundTrip[T any](b *bench, kind device.Kind, data ...T) {
	b.Helper()
	buf := buffer(b, "b", kind, data...)
	assert.Equal(b, kind, buf.Elem)
	assert.Equal(b, len(data), buf.Len)
	assert.Equal(b, data, read[T](b, buf))
	long := make([]T, len(data)+3)
	require.NoError(b, b.Read(buf, long), "a longer slice takes the buffer too")
	assert.Equal(b, data, long[:len(data)])
	require.NoError(b, b.Free(buf))
}

func testMemory(b *bench) {
	type vertex uint32
	roundTrip(b, device.U8, []uint8{1, 2, 255}...)
	roundTrip(b, device.S8, []int8{-1, 127, -128}...)
	roundTrip(b, device.U16, []uint16{1, 65535}...)
	roundTrip(b, device.S16, []int16{-32768, 5}...)
	roundTrip(b, device.U32, []uint32{0, math.MaxUint32}...)
	roundTrip(b, device.U32, []vertex{1, 2, 3}...)
	roundTrip(b, device.S32, []int32{math.MinInt32, 7}...)
	roundTrip(b, device.U64, []uint64{math.MaxUint64}...)
	roundTrip(b, device.S64, []int64{math.MinInt64, -1}...)
	roundTrip(b, device.S64, []int{-5, 5}...)
	roundTrip(b, device.F32, []float32{1.5, float32(math.Inf(-1))}...)
	roundTrip(b, device.F64, []float64{math.Pi}...)
	roundTrip(b, device.Bool, []bool{true, false, true}...)
	roundTrip(b, device.U32, []uint32{}...)
}

func testMemoryErrors(b *bench) {
	buf := buffer(b, "ranks", device.F32, float32(1), 2, 3)
	fails := func(err error, text string) {
		b.Helper()
		assert.ErrorContains(b, err, text)
	}
	fails(b.Write(buf, []float64{1, 2, 3}), "ranks: want a slice of float32, got []float64")
	fails(b.Write(buf, []uint32{1, 2, 3}), "want a slice of float32, got []uint32")
	fails(b.Write(buf, [3]float32{}), "want a slice of float32, got [3]float32")
	fails(b.Write(buf, nil), "want a slice of float32, got nil")
	fails(b.Write(buf, []float32{1, 2}), "to a buffer of 3 elements of float32")
	fails(b.Write(buf, []float32{1, 2, 3, 4}), "use Buffer.Slice for a part")
	fails(b.Read(buf, make([]float32, 2)), "3 elements of float32")
	fails(b.Read(buf, make([]int32, 3)), "want a slice of float32, got []int32")
	fails(b.Read(buf, nil), "got nil")
	longer := buf
	longer.Len++
	fails(b.Read(longer, make([]float32, 4)), "has 3 elements")
	other := buf
	other.Elem = device.U32
	fails(b.Read(other, make([]uint32, 3)), "has elements of float32")
	fails(b.Free(buf.Slice(0, 2)), "free the whole")
	require.NoError(b, b.Free(buf))
	fails(b.Free(buf), "ranks was freed")
	fails(b.Write(buf, []float32{1, 2, 3}), "ranks was freed")
	fails(b.Read(buf, make([]float32, 3)), "ranks was freed")
	fails(b.Read(device.Buffer{Name: "x", Elem: device.U32, Addr: 1 << 59, Len: 1}, make([]uint32, 1)), "x is not of this device")
	_, err := b.Alloc("n", device.U32, -1)
	fails(err, "alloc n: -1 elements")
	_, err = b.Alloc("n", 0, 1)
	fails(err, "alloc n:")
	_, err = b.Alloc("huge", device.U64, math.MaxInt64/16)
	fails(err, "alloc huge: out of memory")
}

// testOwners uses buffers of another device, which have the same addresses, and of one that is closed.
func testOwners(b *bench) {
	other := b.open(b.T)
	fill := func(d device.Device, name string) device.Buffer {
		buf, err := d.Alloc(name, device.U32, 4)
		require.NoError(b, err)
		require.NoError(b, d.Write(buf, []uint32{1, 2, 3, 4}))
		return buf
	}
	own, foreign := fill(b, "own"), fill(other, "foreign")
	second := fill(other, "second")
	refused := func() {
		b.Helper()
		words := make([]uint32, 4)
		assert.EqualError(b, b.Write(foreign, words), "write: buffer foreign is not of this device")
		assert.EqualError(b, b.Write(foreign.Slice(1, 2), words[:1]), "write: buffer foreign is not of this device")
		assert.EqualError(b, b.Read(foreign, words), "read: buffer foreign is not of this device")
		assert.EqualError(b, b.Free(foreign), "free: buffer foreign is not of this device")
		_, err := b.launch("Iota", 1, 32, foreign)
		var arg *device.ArgError
		assert.ErrorAs(b, err, &arg)
		assert.ErrorContains(b, err, "buffer foreign is not of this device")
		if c, ok := b.Device.(device.Copier); ok {
			assert.ErrorContains(b, c.Copy(b.Context(), device.Copy{Dst: own, Src: foreign}), "buffer foreign is not of this device")
			assert.ErrorContains(b, c.Copy(b.Context(), device.Copy{Dst: foreign, Src: own}), "buffer foreign is not of this device")
		}
		if g, ok := b.Device.(device.Group); ok {
			_, err := g.Where(foreign)
			assert.EqualError(b, err, "buffer foreign is not of this device")
		}
		assert.Equal(b, []uint32{1, 2, 3, 4}, read[uint32](b, own), "nothing was changed")
	}
	refused()
	forged := foreign
	forged.Owner = 0
	assert.EqualError(b, b.Free(forged), "free: buffer foreign is not of this device")
	require.NoError(b, other.Free(second))
	assert.EqualError(b, other.Free(second), "free: buffer second was freed")
	words := make([]uint32, 4)
	require.NoError(b, other.Read(foreign, words))
	assert.Equal(b, []uint32{1, 2, 3, 4}, words, "and nothing there")
	require.NoError(b, other.Close())
	refused()
	assert.EqualError(b, other.Read(foreign, words), "read: buffer foreign: the device is closed")
	assert.EqualError(b, other.Free(foreign), "free: buffer foreign: the device is closed")
	require.NoError(b, b.Free(own))
}

// testCopies checks the counters of copies: their names, which are the same on all devices,
// and the numbers of bytes.
func testCopies(b *bench) {
	bytes := func(name string) float64 {
		b.Helper()
		v, ok := b.Total().Counter(name)
		assert.True(b, ok, name)
		return v
	}
	assert.Zero(b, bytes("host__bytes_to_device.sum"))
	assert.Zero(b, bytes("host__bytes_to_host.sum"))
	buf := buffer(b, "b", device.U32, make([]uint32, 100)...)
	require.NoError(b, b.Write(buf.Slice(0, 7), make([]uint32, 7)))
	read[uint32](b, buf.Slice(0, 20))
	require.Error(b, b.Write(buf, make([]uint32, 3)))
	require.Error(b, b.Read(buf, make([]uint32, 3)))
	b.must("Iota", 1, 32, buf)
	assert.Equal(b, 428.0, bytes("host__bytes_to_device.sum"), "nothing is copied where the sizes are wrong, nor by a launch")
	assert.Equal(b, 80.0, bytes("host__bytes_to_host.sum"))
	for _, c := range b.Total().Counters {
		switch {
		case strings.HasPrefix(c.Name, "host__bytes_"):
			assert.Equal(b, "byte", c.Unit, c.Name)
			assert.Contains(b, []string{device.BytesToDevice, device.BytesToHost}, c.Name)
		default:
			assert.NotContains(b, c.Name, "memcpy")
		}
	}
}

// testOwnCopies checks copies that a device makes between its own buffers: the time passes, and the host's counters of
// copies stay as they are.
func testOwnCopies(b *bench) {
	d, ok := b.Device.(device.Copier)
	if !ok {
		b.Skip("the device does not copy by itself")
	}
	src, dst := buffer(b, "src", device.U32, uint32(1), 2, 3, 4), buffer(b, "dst", device.U32, make([]uint32, 6)...)
	counted, _ := b.Total().Counter(device.BytesToDevice)
	before := b.Total().Seconds
	require.NoError(b, d.Copy(b.Context(), device.Copy{Dst: dst.Slice(1, 4), Src: src.Slice(1, 4)}))
	require.NoError(b, d.Copy(b.Context(), device.Copy{Dst: dst.Slice(0, 0), Src: src.Slice(0, 0)}))
	if before > 0 {
		assert.Greater(b, b.Total().Seconds, before)
	}
	again, _ := b.Total().Counter(device.BytesToDevice)
	assert.Equal(b, counted, again)
	assert.Equal(b, []uint32{0, 2, 3, 4, 0, 0}, read[uint32](b, dst))
	b.must("Iota", 1, 32, src)
	require.NoError(b, d.Copy(b.Context(), device.Copy{Dst: dst.Slice(2, 6), Src: src}))
	assert.Equal(b, []uint32{0, 2, 1, 2, 3, 4}, read[uint32](b, dst), "what a kernel wrote before")
	require.EqualError(b, d.Copy(b.Context(), device.Copy{Dst: dst, Src: src}), "copy of src to dst: 4 elements to 6; use Buffer.Slice for a part")
	require.NoError(b, b.Free(src))
	assert.ErrorContains(b, d.Copy(b.Context(), device.Copy{Dst: dst.Slice(0, 4), Src: src}), "src was freed")
}

func testSlices(b *bench) {
	buf := buffer(b, "data", device.U32, uint32(0), 1, 2, 3, 4, 5, 6, 7)
	part := buf.Slice(2, 5)
	assert.Equal(b, []uint32{2, 3, 4}, read[uint32](b, part))
	require.NoError(b, b.Write(part, []uint32{20, 30, 40}))
	assert.Equal(b, []uint32{0, 1, 20, 30, 40, 5, 6, 7}, read[uint32](b, buf))
	b.must("Iota", 1, 32, part.Slice(1, 3))
	assert.Equal(b, []uint32{0, 1, 20, 1, 2, 5, 6, 7}, read[uint32](b, buf), "the kernel sees a slice of its length")
	b.must("Iota", 1, 32, buf.Slice(8, 8))
	assert.Panics(b, func() { buf.Slice(3, 9) })
}

func testKinds(b *bench) {
	u8, s8 := buffer(b, "u8", device.U8, uint8(255)), buffer(b, "s8", device.S8, int8(-128))
	u16, s16 := buffer(b, "u16", device.U16, uint16(65535)), buffer(b, "s16", device.S16, int16(-32768))
	flags, out := buffer(b, "flags", device.Bool, true, true), buffer(b, "out", device.S64, make([]int64, 4)...)
	b.must("Narrow", 1, 32, u8, s8, u16, s16, flags, out)
	assert.Equal(b, []int64{255, -128, 65535, -32768}, read[int64](b, out))
	assert.Equal(b, []uint8{0}, read[uint8](b, u8))
	assert.Equal(b, []int8{127}, read[int8](b, s8))
	assert.Equal(b, []uint16{0}, read[uint16](b, u16))
	assert.Equal(b, []int16{32767}, read[int16](b, s16))
	assert.Equal(b, []bool{true, false}, read[bool](b, flags))

	u64, s64 := buffer(b, "u64", device.U64, uint64(math.MaxUint64-1), 0), buffer(b, "s64", device.S64, int64(math.MinInt64+1), 0)
	f32, f64 := buffer(b, "f32", device.F32, float32(0.3), 0), buffer(b, "f64", device.F64, 0.3, 0)
	b.must("Wide", 2, 32, u64, s64, f32, f64)
	assert.Equal(b, uint64(math.MaxUint64), read[uint64](b, u64)[1])
	assert.Equal(b, int64(math.MinInt64), read[int64](b, s64)[1])
	assert.Equal(b, float32(0.6), read[float32](b, f32)[1])
	assert.Equal(b, 0.15, read[float64](b, f64)[1])

	const big, small = math.MaxInt64, math.MinInt64
	floats := []float64{-7.9, 7.9, -0.5, math.NaN(), 1 << 40, -1 << 40, math.Inf(1), math.Inf(-1)}
	ints := buffer(b, "ints", device.S64, make([]int64, 6*len(floats))...)
	b.must("Convert", 1, 32, buffer(b, "floats", device.F64, floats...), ints)
	assert.Equal(b, []int64{
		-7, -7, 0, -7, -7, 0,
		7, 7, 7, 7, 7, 7,
		0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0,
		1 << 40, math.MaxInt32, 1 << 40, 1 << 40, math.MaxInt32, math.MaxUint32,
		-1 << 40, math.MinInt32, 0, -1 << 40, math.MinInt32, 0,
		big, math.MaxInt32, -1, big, math.MaxInt32, math.MaxUint32,
		small, math.MinInt32, 0, small, math.MinInt32, 0,
	}, read[int64](b, ints), "beyond the range they end at its edge, and NaN is 0")

	in, four := buffer(b, "in", device.U32, uint32(0), 1, 2, 3, 4, 5, 6, 7), buffer(b, "four", device.U32, make([]uint32, 4)...)
	b.must("Vector", 1, 1, in, four, 4)
	assert.Equal(b, []uint32{4, 5, 6, 7}, read[uint32](b, four))
}
