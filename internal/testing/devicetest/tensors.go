package devicetest

import (
	"fmt"
	"slices"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/testing/testkernels"
)

// aBox is a copy of a box from a tensor to another one of the same type, with sizes of three dimensions, of which the last ones may be 1.
type aBox struct {
	dims          int
	from, to, box [3]int
	pitch         int // elements from a row to the next one, of both tensors
	at, into      [3]int32
	swizzle       int
	planes        int // rows from a plane to the next one
}

// element returns the number of an element of a tensor with such sizes, and whether it is inside.
func (c *aBox) element(sizes [3]int, x, y, z int) (int, bool) {
	inside := x >= 0 && x < sizes[0] && y >= 0 && y < sizes[1] && z >= 0 && z < sizes[2]
	return x + y*c.pitch + z*c.pitch*c.planes, inside
}

// swizzled returns where byte i of a box lies.
func (c *aBox) swizzled(i int) int {
	switch c.swizzle {
	case 32:
		return int(gpu.Swizzle32(uint32(i)))
	case 64:
		return int(gpu.Swizzle64(uint32(i)))
	case 128:
		return int(gpu.Swizzle128(uint32(i)))
	}
	return i
}

// tensor returns the argument of a tensor map.
func (c *aBox) tensor(buf device.Buffer, sizes [3]int) any {
	s := [3]uint32{uint32(sizes[0]), uint32(sizes[1]), uint32(sizes[2])}
	box := [3]uint32{uint32(c.box[0]), uint32(c.box[1]), uint32(c.box[2])}
	swizzle, pitch := uint32(c.swizzle), uint32(c.pitch)
	switch c.dims {
	case 1:
		m := device.NewTensorMap1(buf, box[0], swizzle)
		m.Sizes[0] = s[0]
		return m
	case 2:
		m := device.NewTensorMap2(buf, [2]uint32(s[:]), [2]uint32(box[:]), swizzle)
		m.Pitches[0] = pitch
		return m
	}
	m := device.NewTensorMap3(buf, s, box, swizzle)
	m.Pitches = [2]uint32{pitch, pitch * uint32(c.planes)}
	return m
}

// coordinates returns the argument of the coordinates of a box.
func (c *aBox) coordinates(at [3]int32) any {
	switch c.dims {
	case 1:
		return [1]int32{at[0]}
	case 2:
		return [2]int32{at[0], at[1]}
	}
	return at
}

// boxes are copies of boxes: inside, at each edge, wholly outside, from rows whose length is no multiple of 16 bytes.
func boxes(size int) (list []aBox) {
	row, step := 64/size, int32(16/size)
	for _, at := range [][2][3]int32{{{0, 0, 0}, {0, 0, 0}}, {{step, 2, 1}, {2 * step, 1, 0}}, {{-step, -1, -1}, {step, 2, 1}}, {{int32(2*row) - step, 4, 2}, {int32(row) + step, 5, 2}},
		{{int32(3 * row), 0, 0}, {0, 3, 1}}, {{-5 * step, 0, 1}, {int32(4 * row), 9, 9}}, {{2 * step, 6, -9}, {3 * step, 3, 2}}, {{-step, 6, 0}, {int32(2 * row), 0, 0}}} {
		for dims := 1; dims <= 3; dims++ {
			c := aBox{dims: dims, from: [3]int{2*row + 3, 1, 1}, to: [3]int{2*row + int(step), 1, 1}, box: [3]int{row, 1, 1}, pitch: 3 * row, planes: 8, at: at[0], into: at[1]}
			for d := dims; d < 3; d++ {
				c.at[d], c.into[d] = 0, 0
			}
			if dims > 1 {
				c.from[1], c.to[1], c.box[1] = 7, 6, 4
			}
			if dims > 2 {
				c.from[2], c.to[2], c.box[2] = 4, 3, 2
			}
			list = append(list, c)
			for _, swizzle := range []int{32, 64, 128} {
				turned := c
				turned.swizzle, turned.box[0] = swizzle, swizzle/size
				if dims > 1 {
					turned.box[1] = 16
				}
				list = append(list, turned)
			}
		}
	}
	return list
}

// plainBox runs the kernel of a box in plain Go.
func plainBox[T gpu.Num](b *bench, c *aBox, from, to, seen []T) {
	u := func(list [3]int) [3]uint32 { return [3]uint32{uint32(list[0]), uint32(list[1]), uint32(list[2])} }
	f, o, box, swizzle, pitch := u(c.from), u(c.to), u(c.box), uint32(c.swizzle), uint32(c.pitch)
	require.NoError(b, gpu.Launch(1, 64, func(t gpu.Thread) {
		switch c.dims {
		case 1:
			in, out := gpu.NewTensorMap1(from[:f[0]], box[0], swizzle), gpu.NewTensorMap1(to[:o[0]], box[0], swizzle)
			testkernels.Boxes1(t, in, out, [1]int32(c.at[:]), [1]int32(c.into[:]), seen)
		case 2:
			in, out := gpu.NewTensorMap2(from, [2]uint32(f[:]), [2]uint32(box[:]), swizzle), gpu.NewTensorMap2(to, [2]uint32(o[:]), [2]uint32(box[:]), swizzle)
			in.Pitches[0], out.Pitches[0] = pitch, pitch
			testkernels.Boxes2(t, in, out, [2]int32(c.at[:]), [2]int32(c.into[:]), seen)
		default:
			in, out := gpu.NewTensorMap3(from, f, box, swizzle), gpu.NewTensorMap3(to, o, box, swizzle)
			in.Pitches = [2]uint32{pitch, pitch * uint32(c.planes)}
			out.Pitches = in.Pitches
			testkernels.Boxes3(t, in, out, c.at, c.into, seen)
		}
	}))
}

// testBoxes copies boxes of numbers of a type, and compares all elements with those that the definition of a tensor map gives.
func testBoxes[T gpu.Num](b *bench, kind device.Kind, plain bool) {
	size := kind.Bytes()
	for i, c := range boxes(size) {
		n := c.pitch * c.planes * 4
		data, kept := make([]T, n), make([]T, n)
		for k := range data {
			data[k], kept[k] = T(k%113+1), T(k%101+128)
		}
		elements := c.box[0] * c.box[1] * c.box[2]
		seen, want := make([]T, elements), slices.Clone(kept)
		for k := range elements {
			x, y, z := k%c.box[0], k/c.box[0]%c.box[1], k/c.box[0]/c.box[1]
			value := T(0)
			if at, inside := c.element(c.from, int(c.at[0])+x, int(c.at[1])+y, int(c.at[2])+z); inside {
				value = data[at]
			}
			seen[c.swizzled(k*size)/size] = value
			if at, inside := c.element(c.to, int(c.into[0])+x, int(c.into[1])+y, int(c.into[2])+z); inside {
				want[at] = value
			}
		}
		name := fmt.Sprintf("%v %d: %+v", kind, i, c)
		got := make([]T, elements)
		if plain {
			plainBox(b, &c, data, kept, got)
		} else {
			from, to, out := buffer(b, "from", kind, data...), buffer(b, "to", kind, kept...), buffer(b, "seen", kind, got...)
			b.must(fmt.Sprintf("Boxes%d[%s]", c.dims, kind), 1, 64, c.tensor(from, c.from), c.tensor(to, c.to), c.coordinates(c.at), c.coordinates(c.into), out)
			kept, got = read[T](b, to), read[T](b, out)
			for _, buf := range []device.Buffer{from, to, out} {
				require.NoError(b, b.Free(buf))
			}
		}
		require.Equal(b, seen, got, name)
		require.Equal(b, want, kept, name)
	}
}

func testTensors(b *bench) {
	const wide, high = 101, 44
	in := make([]uint32, (wide+3)*high)
	for i := range in {
		in[i] = uint32(7*i + 1)
	}
	from, to := buffer(b, "from", device.U32, in...), buffer(b, "to", device.U32, make([]uint32, 48*(wide+3))...)
	rows, columns := device.NewTensorMap2(from, [2]uint32{wide, high}, [2]uint32{32, 32}, 0), device.NewTensorMap2(to, [2]uint32{high, wide}, [2]uint32{32, 32}, 0)
	rows.Pitches[0], columns.Pitches[0] = wide+3, 48
	if b.lacks(90) {
		_, err := b.launch("Turn", 8, 128, rows, columns)
		var refused *device.ArgError
		require.ErrorAs(b, err, &refused)
		assert.Contains(b, refused.What, "needs compute capability")
		return
	}
	b.must("Turn", 8, 128, rows, columns)
	for i, got := range read[uint32](b, to) {
		want := uint32(0)
		if x, y := i/48, i%48; x < wide && y < high {
			want = in[y*(wide+3)+x]
		}
		require.Equal(b, want, got, "element %d", i)
	}
	testBoxes[int32](b, device.S32, false)
	testBoxes[float64](b, device.F64, false)
	testBoxes[uint32](b, device.U32, false)
	testBoxes[uint64](b, device.U64, false)
	testBoxes[float32](b, device.F32, false)
	testBoxes[uint32](b, device.U32, true)
	testBoxes[float64](b, device.F64, true)
	testTensorErrors(b, rows, columns)
}

// testTensorErrors launches with maps that are none.
func testTensorErrors(b *bench, rows, columns device.TensorMap2) {
	for want, change := range map[string]func(m *device.TensorMap2){
		"Sizes[1] is 0":                func(m *device.TensorMap2) { m.Sizes[1] = 0 },
		"Box[0] is 0; want 1 to 256":   func(m *device.TensorMap2) { m.Box[0] = 0 },
		"Box[1] is 257; want 1 to 256": func(m *device.TensorMap2) { m.Box[1] = 257 },
		"Pitches[0] is 102 elements, 408 bytes; want a multiple of 16 bytes":   func(m *device.TensorMap2) { m.Pitches[0] = 102 },
		"Pitches[0] is 0 elements, 0 bytes; want a multiple of 16 bytes":       func(m *device.TensorMap2) { m.Pitches[0] = 0 },
		"its last element is number 4780, and Data has 4576":                   func(m *device.TensorMap2) { m.Sizes[1] = 46 },
		"Box[0] is 30 elements, 120 bytes; want a multiple of 16 bytes":        func(m *device.TensorMap2) { m.Box[0] = 30 },
		"Swizzle is 48; want 0, 32, 64 or 128":                                 func(m *device.TensorMap2) { m.Swizzle = 48 },
		"Box[0] is 128 bytes; with a Swizzle of 64 a row of a box has as many": func(m *device.TensorMap2) { m.Swizzle = 64 },
		"Bytes is 4092; a box has 4096":                                        func(m *device.TensorMap2) { m.Bytes = 4092 },
		"its last element is number 4572, and Data has 0":                      func(m *device.TensorMap2) { m.Data = device.Buffer{} },
	} {
		bad := rows
		change(&bad)
		_, err := b.launch("Turn", 8, 128, bad, columns)
		assert.EqualError(b, err, "launch of testkernels.Turn: tensor map of in.Data: "+want)
	}
	short := columns
	short.Sizes[0] = 43
	_, err := b.launch("Turn", 8, 128, rows, short)
	assert.EqualError(b, err, "launch of testkernels.Turn: tensor map of out.Data: Sizes[0] is 43 elements, 172 bytes; of a tensor to which boxes are stored, it is a multiple of 16 bytes")
	if !b.traits.Faults {
		return
	}
	for what, want := range []string{
		"a copy of a box at byte 64 of shared memory, which is not a multiple of 128", "out of range of w with length 2048",
		"a copy of a box at byte 128 of shared memory, which is not a multiple of 1024",
		"a box that begins at element -3 along x, byte -12; want a multiple of 16 bytes",
		"a box that begins at element -1 along y; one that is stored begins inside of the tensor or behind it",
		"element 9 of shared w is read while an asynchronous copy of thread 0 of the block",
		"element 208 of m.Data is written while an asynchronous copy of thread 0 of the block",
	} {
		if what >= 5 && !b.strict() {
			continue // the simulator finds what is there
		}
		m := rows
		m.Sizes[0] = 100
		m.Swizzle = uint32(what & 2 * 64)
		f := b.fault("BoxMisuse", 1, 32, uint32(what), m)
		assert.Contains(b, f.What, want, "%d", what)
	}
}
