package testkernels

import "github.com/weft-gpu/weft/gpu"

// Product multiplies matrices by one of the functions of package gpu. a, b and c have the registers of a warp, as they stand in it: those of a lane are 32
// words apart. So has out.
func Product(t gpu.Thread, which uint32, a, b, c, out []uint32) {
	var x, z [4]uint32
	var y [2]uint32
	for i := range x {
		x[i], z[i] = a[uint32(i)*32+t.Lane()], c[uint32(i)*32+t.Lane()]
	}
	for i := range y {
		y[i] = b[uint32(i)*32+t.Lane()]
	}
	numbers := [4]float32{gpu.Float32frombits(z[0]), gpu.Float32frombits(z[1]), gpu.Float32frombits(z[2]), gpu.Float32frombits(z[3])}
	counts := [4]int32{int32(z[0]), int32(z[1]), int32(z[2]), int32(z[3])}
	x2, z2, counts2 := [2]uint32{x[0], x[1]}, [2]uint32{z[0], z[1]}, [2]int32{counts[0], counts[1]}
	switch which {
	case 0:
		numbers = gpu.MMA16x8x8F16(t, x2, y[0], numbers)
	case 1:
		numbers = gpu.MMA16x8x16F16(t, x, y, numbers)
	case 2:
		z2 = gpu.MMA16x8x8F16F16(t, x2, y[0], z2)
		z[0], z[1] = z2[0], z2[1]
	case 3:
		z2 = gpu.MMA16x8x16F16F16(t, x, y, z2)
		z[0], z[1] = z2[0], z2[1]
	case 4:
		numbers = gpu.MMA16x8x8BF16(t, x2, y[0], numbers)
	case 5:
		numbers = gpu.MMA16x8x16BF16(t, x, y, numbers)
	case 6:
		numbers = gpu.MMA16x8x4TF32(t, x2, y[0], numbers)
	case 7:
		numbers = gpu.MMA16x8x8TF32(t, x, y, numbers)
	case 8:
		counts = gpu.MMA16x8x16S8(t, x2, y[0], counts)
	case 9:
		counts = gpu.MMA16x8x32S8(t, x, y, counts)
	case 10:
		counts = gpu.MMA16x8x16U8(t, x2, y[0], counts)
	case 11:
		counts = gpu.MMA16x8x32U8(t, x, y, counts)
	case 12:
		counts2 = gpu.MMA8x8x128And(t, x[0], y[0], counts2)
		counts[0], counts[1] = counts2[0], counts2[1]
	case 13:
		counts = gpu.MMA16x8x128And(t, x2, y[0], counts)
	case 14:
		counts = gpu.MMA16x8x256And(t, x, y, counts)
	case 15:
		counts2 = gpu.MMA8x8x128Xor(t, x[0], y[0], counts2)
		counts[0], counts[1] = counts2[0], counts2[1]
	case 16:
		counts = gpu.MMA16x8x128Xor(t, x2, y[0], counts)
	case 17:
		counts = gpu.MMA16x8x256Xor(t, x, y, counts)
	}
	for i := range z {
		switch {
		case which < 2 || which >= 4 && which < 8:
			z[i] = gpu.Float32bits(numbers[i])
		case which >= 8:
			z[i] = uint32(counts[i])
		}
		out[uint32(i)*32+t.Lane()] = z[i]
	}
}

// SmallProduct is Product for 8-bit floats.
func SmallProduct(t gpu.Thread, which uint32, a, b, c, out []uint32) {
	var x, z [4]uint32
	var y [2]uint32
	for i := range x {
		x[i], z[i] = a[uint32(i)*32+t.Lane()], c[uint32(i)*32+t.Lane()]
	}
	for i := range y {
		y[i] = b[uint32(i)*32+t.Lane()]
	}
	numbers := [4]float32{gpu.Float32frombits(z[0]), gpu.Float32frombits(z[1]), gpu.Float32frombits(z[2]), gpu.Float32frombits(z[3])}
	x2, z2 := [2]uint32{x[0], x[1]}, [2]uint32{z[0], z[1]}
	switch which {
	case 0:
		numbers = gpu.MMA16x8x16E4M3(t, x2, y[0], numbers)
	case 1:
		numbers = gpu.MMA16x8x32E4M3(t, x, y, numbers)
	case 2:
		numbers = gpu.MMA16x8x16E5M2(t, x2, y[0], numbers)
	case 3:
		numbers = gpu.MMA16x8x32E5M2(t, x, y, numbers)
	case 4:
		z2 = gpu.MMA16x8x16E4M3F16(t, x2, y[0], z2)
	case 5:
		z2 = gpu.MMA16x8x32E4M3F16(t, x, y, z2)
	case 6:
		z2 = gpu.MMA16x8x16E5M2F16(t, x2, y[0], z2)
	case 7:
		z2 = gpu.MMA16x8x32E5M2F16(t, x, y, z2)
	}
	for i := range z {
		z[i] = gpu.Float32bits(numbers[i])
	}
	if which >= 4 {
		z[0], z[1] = z2[0], z2[1]
	}
	for i := range z {
		out[uint32(i)*32+t.Lane()] = z[i]
	}
}

// Product64 is Product for matrices of float64.
func Product64(t gpu.Thread, a, b, c, out []float64) {
	d := gpu.MMA8x8x4F64(t, a[t.Lane()], b[t.Lane()], [2]float64{c[t.Lane()], c[32+t.Lane()]})
	out[t.Lane()], out[32+t.Lane()] = d[0], d[1]
}

// WideProduct64 is Product for matrices of float64 with 16 rows: with an inner dimension of 4, or of 8.
func WideProduct64(t gpu.Thread, which uint32, a, b, c, out []float64) {
	var x, z [4]float64
	for i := range x {
		x[i], z[i] = a[uint32(i)*32+t.Lane()], c[uint32(i)*32+t.Lane()]
	}
	if which == 0 {
		z = gpu.MMA16x8x4F64(t, [2]float64{x[0], x[1]}, b[t.Lane()], z)
	} else {
		z = gpu.MMA16x8x8F64(t, x, [2]float64{b[t.Lane()], b[32+t.Lane()]}, z)
	}
	for i := range z {
		out[uint32(i)*32+t.Lane()] = z[i]
	}
}

// Chain multiplies the same matrices again and again, so that registers have to be kept over a loop, and leaves a transpose.
func Chain(t gpu.Thread, rounds uint32, out []float32, transposed []uint32) {
	a := gpu.PackF16(float32(t.Lane()/4), 1)
	var c, d [4]float32
	for range rounds {
		c = gpu.MMA16x8x8F16(t, [2]uint32{a, a}, gpu.PackF16(1, 0), c)
		d = gpu.MMA16x8x8F16(t, [2]uint32{a, a}, gpu.PackF16(0, 2), d)
	}
	for i := range c {
		out[t.Global()*4+uint32(i)] = c[i] + 1000*d[i]
	}
	transposed[t.Global()] = gpu.Transpose8x8(t, t.Lane()*2|(t.Lane()*2+1)<<16)
}

// Formats converts numbers to the formats of matrices and back.
func Formats(t gpu.Thread, x []float32, words []uint32, back []float32) {
	i := t.Global()
	if i < gpu.Len(x) {
		words[3*i], words[3*i+1], words[3*i+2] = gpu.ToF16(x[i]), gpu.PackBF16(x[i], x[i]), gpu.ToTF32(x[i])
		back[2*i], back[2*i+1] = gpu.FromF16(words[3*i]|1<<16), gpu.FromBF16(gpu.ToBF16(x[i]))
	}
}

// Pairs converts numbers to f16, two to a word: with -1 above, and with -1 below.
func Pairs(t gpu.Thread, x []float32, words []uint32) {
	if i := t.Global(); i < gpu.Len(x) {
		words[2*i], words[2*i+1] = gpu.PackF16(x[i], -1), gpu.PackF16(-1, x[i])
	}
}

// Unaligned lets a product of matrices be executed by a part of a warp, by number: threads that have exited, or are elsewhere.
func Unaligned(t gpu.Thread, what uint32, out []float32) {
	var c [4]float32
	if what == 0 && t.Lane() >= 30 {
		return // these have exited
	}
	if what != 1 || t.Lane()%2 == 0 {
		c = gpu.MMA16x8x8F16(t, [2]uint32{}, 0, c) // by a part of the warp
	} else {
		c = gpu.MMA16x8x8F16(t, [2]uint32{}, 0, [4]float32{1}) // at another place
	}
	out[t.Global()] = c[0]
}

// LoadMatrices loads matrices from rows of shared memory, of which lane i takes row i*5+1 modulo 32, by one of the functions of package gpu.
func LoadMatrices(t gpu.Thread, which uint32, in, out []uint32) {
	rows := gpu.Shared[[32][4]uint32](t)
	for i := range rows[0] {
		rows[t.Lane()][i] = in[t.Lane()*4+uint32(i)]
	}
	t.Sync()
	row := &rows[(t.Lane()*5+1)%32]
	var x [4]uint32
	switch which {
	case 0:
		x[0] = gpu.LoadMatrix1(t, row)
	case 1:
		y := gpu.LoadMatrix2(t, row)
		x[0], x[1] = y[0], y[1]
	case 2:
		x = gpu.LoadMatrix4(t, row)
	case 3:
		x[0] = gpu.LoadTransposed1(t, row)
	case 4:
		y := gpu.LoadTransposed2(t, row)
		x[0], x[1] = y[0], y[1]
	case 5:
		x = gpu.LoadTransposed4(t, row)
	case 6: // some of the lanes have exited
		if t.Lane() > 20 {
			return
		}
		x[0] = gpu.LoadMatrix1(t, row)
	}
	for i := range x {
		out[t.Lane()*4+uint32(i)] = x[i]
	}
}

// StoreMatrices stores matrices to rows of shared memory, of which lane i takes row i*5+1 modulo 32, by one of the functions of package gpu. A lane
// has words 4*lane and so on of in; rows to which nothing is stored are zeros.
func StoreMatrices(t gpu.Thread, which uint32, in, out []uint32) {
	rows := gpu.Shared[[32][4]uint32](t)
	var x [4]uint32
	for i := range x {
		rows[t.Lane()][i], x[i] = 0, in[t.Lane()*4+uint32(i)]
	}
	t.Sync()
	row := &rows[(t.Lane()*5+1)%32]
	switch which {
	case 0:
		gpu.StoreMatrix1(t, row, x[0])
	case 1:
		gpu.StoreMatrix2(t, row, [2]uint32{x[0], x[1]})
	case 2:
		gpu.StoreMatrix4(t, row, x)
	case 3:
		gpu.StoreTransposed1(t, row, x[0])
	case 4:
		gpu.StoreTransposed2(t, row, [2]uint32{x[0], x[1]})
	case 5:
		gpu.StoreTransposed4(t, row, x)
	case 6: // some of the lanes have exited
		if t.Lane() > 20 {
			return
		}
		gpu.StoreMatrix1(t, row, x[0])
	}
	t.Sync()
	for i := range x {
		out[t.Lane()*4+uint32(i)] = rows[t.Lane()][i]
	}
}
