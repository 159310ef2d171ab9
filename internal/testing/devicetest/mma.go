package devicetest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/floats"
	"github.com/weft-gpu/weft/internal/mma"
)

// products are the functions that kernel Product calls, by number.
var products = []string{
	"MMA16x8x8F16", "MMA16x8x16F16", "MMA16x8x8F16F16", "MMA16x8x16F16F16", "MMA16x8x8BF16", "MMA16x8x16BF16", "MMA16x8x4TF32", "MMA16x8x8TF32",
	"MMA16x8x16S8", "MMA16x8x32S8", "MMA16x8x16U8", "MMA16x8x32U8",
	"MMA8x8x128And", "MMA16x8x128And", "MMA16x8x256And", "MMA8x8x128Xor", "MMA16x8x128Xor", "MMA16x8x256Xor",
}

// smallProducts are those of kernel SmallProduct.
var smallProducts = []string{
	"MMA16x8x16E4M3", "MMA16x8x32E4M3", "MMA16x8x16E5M2", "MMA16x8x32E5M2", "MMA16x8x16E4M3F16", "MMA16x8x32E4M3F16", "MMA16x8x16E5M2F16", "MMA16x8x32E5M2F16",
}

// whole returns a small whole number in a type.
func whole(t mma.Type, n int) uint64 {
	switch t {
	case mma.F16:
		return floats.Half.Round(float64(n), floats.NearestEven)
	case mma.BF16:
		return floats.BFloat.Round(float64(n), floats.NearestEven)
	case mma.TF32, mma.F32:
		return uint64(math.Float32bits(float32(n)))
	case mma.F64:
		return math.Float64bits(float64(n))
	case mma.B1:
		return uint64(n & 1)
	case mma.E4M3: // 0, and the numbers 1 to 4 as sign, exponent and mantissa
		return [...]uint64{0, 0x38, 0x40, 0x44, 0x48}[max(n, -n)] | uint64(n)>>63<<7
	case mma.E5M2:
		return [...]uint64{0, 0x3C, 0x40, 0x42, 0x44}[max(n, -n)] | uint64(n)>>63<<7
	case mma.S32:
		return uint64(uint32(n))
	}
	return uint64(uint8(n))
}

// fragment returns the registers that hold a matrix, those of a lane 32 apart.
func fragment(t mma.Type, place func(lane, register, i int) (row, column int), n int, element func(row, column int) int) []uint64 {
	out := make([]uint64, 8*32)
	for r := range n {
		for lane := range 32 {
			for i := range t.RegisterBits() / t.Bits() {
				out[r*32+lane] |= whole(t, element(place(lane, r, i))) << (i * t.Bits())
			}
		}
	}
	return out
}

// testProducts compares products of whole numbers, which all types hold exactly, with those that the CPU computes.
func testProducts(b *bench) {
	if b.lacks(80) {
		_, err := b.launch("Product", 1, 32, uint32(0), buffer(b, "a", device.U32, uint32(0)), buffer(b, "b", device.U32, uint32(0)), buffer(b, "c", device.U32, uint32(0)), buffer(b, "out", device.U32, uint32(0)))
		var refused *device.ArgError
		require.ErrorAs(b, err, &refused)
		assert.Contains(b, refused.What, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 needs compute capability 8.0")
		return
	}
	r := rand.New(rand.NewPCG(11, 12))
	for i := range mma.Variants {
		v := &mma.Variants[i]
		if v.Func == "" || b.lacks(v.Capability()) {
			continue
		}
		var x, y, z [32][256]int
		for i := range x {
			for j := range x[i] {
				x[i][j], y[i][j], z[i][j] = r.IntN(5), r.IntN(5), r.IntN(90)
				if v.A != mma.U8 {
					x[i][j], y[i][j], z[i][j] = x[i][j]-2, y[i][j]-2, z[i][j]-45
				}
			}
		}
		na, nb, nc := v.Registers()
		registersA := fragment(v.A, v.ElementA, na, func(row, k int) int { return x[row][k] })
		registersB := fragment(v.B, v.ElementB, nb, func(k, column int) int { return y[column][k] })
		registersC := fragment(v.C, v.ElementC, nc, func(row, column int) int { return z[row][column] })
		want := fragment(v.C, v.ElementC, nc, func(row, column int) int {
			sum := z[row][column]
			for k := range v.K {
				switch v.Combine {
				case "and":
					sum += x[row][k] & y[column][k] & 1
				case "xor":
					sum += (x[row][k] ^ y[column][k]) & 1
				default:
					sum += x[row][k] * y[column][k]
				}
			}
			return sum
		})
		if v.A == mma.F64 {
			of := func(list []uint64) (out []float64) {
				for _, x := range list {
					out = append(out, math.Float64frombits(x))
				}
				return out
			}
			out := buffer(b, "out", device.F64, make([]float64, 4*32)...)
			kernel, args := "Product64", []any{}
			if v.M == 16 {
				kernel, args = "WideProduct64", []any{uint32(v.K/4 - 1)}
			}
			b.must(kernel, 1, 32, append(args, buffer(b, "a", device.F64, of(registersA)...), buffer(b, "b", device.F64, of(registersB)...), buffer(b, "c", device.F64, of(registersC)...), out)...)
			require.Equal(b, of(want)[:nc*32], read[float64](b, out)[:nc*32], v.Func)
			continue
		}
		kernel, which := "Product", slices.Index(products, v.Func)
		if which < 0 {
			kernel, which = "SmallProduct", slices.Index(smallProducts, v.Func)
		}
		of := func(list []uint64) (out []uint32) {
			for _, x := range list {
				out = append(out, uint32(x))
			}
			return out
		}
		out := buffer(b, "out", device.U32, make([]uint32, 4*32)...)
		b.must(kernel, 1, 32, uint32(which), buffer(b, "a", device.U32, of(registersA)...), buffer(b, "b", device.U32, of(registersB)...), buffer(b, "c", device.U32, of(registersC)...), out)
		require.Equal(b, of(want)[:nc*32], read[uint32](b, out)[:nc*32], v.Func)
	}
}

func testChain(b *bench) {
	if b.lacks(80) {
		return
	}
	const grid, block = 2, 64
	for _, rounds := range []uint32{0, 1, 9} {
		out, transposed := buffer(b, "out", device.F32, make([]float32, 4*grid*block)...), buffer(b, "transposed", device.U32, make([]uint32, grid*block)...)
		b.must("Chain", grid, block, rounds, out, transposed)
		for i, got := range read[float32](b, out) {
			// Row g of a has the number g in even columns and 1 in odd ones, b has 1, or 2, in all even, or odd, rows: four of each.
			g := i / 4 % 32 / 4
			require.InDelta(b, float64(rounds)*float64(4*g+1000*8), got, 0, "element %d", i)
		}
		for i, got := range read[uint32](b, transposed) {
			at := func(row, column int) uint32 { return uint32(row*8 + column) } // of the matrix that is transposed
			row, column := i%32/4, i%4*2
			require.Equal(b, at(column, row)|at(column+1, row)<<16, got, "thread %d", i)
		}
	}
}

// testFormats converts numbers with known results: those of the standard (IEEE 754), and ties.
func testFormats(b *bench) {
	pairs := buffer(b, "pairs", device.U32, make([]uint32, 6)...)
	b.must("Pairs", 1, 32, buffer(b, "x", device.F32, 1, 65520, float32(1+3./2048)), pairs)
	require.Equal(b, []uint32{0xBC003C00, 0x3C00BC00, 0xBC007C00, 0x7C00BC00, 0xBC003C02, 0x3C02BC00}, read[uint32](b, pairs))
	if b.lacks(80) {
		_, err := b.launch("Formats", 1, 32, buffer(b, "x", device.F32, float32(1)), buffer(b, "words", device.U32, make([]uint32, 3)...), buffer(b, "back", device.F32, make([]float32, 2)...))
		var refused *device.ArgError
		require.ErrorAs(b, err, &refused)
		assert.Contains(b, refused.What, "a conversion to bf16 or tf32 needs compute capability 8.0")
		return
	}
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		x              float32
		f16, bf16, t32 uint32
		back           float32 // of f16
	}{
		{1, 0x3C00, 0x3F80, 0x3F800000, 1}, {-2, 0xC000, 0xC000, 0xC0000000, -2}, {65504, 0x7BFF, 0x4780, 0x477FE000, 65504},
		{65520, 0x7C00, 0x4780, 0x47800000, inf}, {1 << 15 * 1.0 / (1 << 39), 0x0001, 0x3380, 0x33800000, 1. / (1 << 24)},
		{1 + 1./2048, 0x3C00, 0x3F80, 0x3F802000, 1}, {1 + 3./2048, 0x3C02, 0x3F80, 0x3F804000, 1 + 2./1024},
		{1 + 1./256, 0x3C04, 0x3F80, 0x3F808000, 1 + 1./256}, {1 + 3./256, 0x3C0C, 0x3F82, 0x3F818000, 1 + 3./256},
		{-inf, 0xFC00, 0xFF80, 0xFF800000, -inf}, {0, 0, 0, 0, 0},
	} {
		words, back := buffer(b, "words", device.U32, make([]uint32, 3)...), buffer(b, "back", device.F32, make([]float32, 2)...)
		b.must("Formats", 1, 32, buffer(b, "x", device.F32, c.x), words, back)
		require.Equal(b, []uint32{c.f16, c.bf16 | c.bf16<<16, c.t32}, read[uint32](b, words), "%v", c.x)
		require.Equal(b, []float32{c.back, math.Float32frombits(c.bf16 << 16)}, read[float32](b, back), "%v", c.x)
	}
}

// testUnaligned lets parts of a warp execute a product of matrices, which PTX leaves undefined.
func testUnaligned(b *bench) {
	if !b.traits.Hangs || b.lacks(80) {
		return // hardware does not report it
	}
	for what, want := range []string{
		"gpu.MMA16x8x8F16 while lanes c0000000 have exited: all 32 lanes of the warp have to take part",
		"of the warp are elsewhere: all 32 lanes have to execute it together",
		"gpu.MMA16x8x8F16 in a warp without lanes ffffff00: the block has 40 threads, and all 32 lanes have to take part",
	} {
		threads := []int{32, 32, 40}[what]
		_, err := b.launch("Unaligned", 1, threads, uint32(what), buffer(b, "out", device.F32, make([]float32, threads)...))
		var f *device.Fault
		require.ErrorAs(b, err, &f, want)
		assert.Contains(b, f.What, want)
		assert.NotEmpty(b, f.At)
	}
}

// testLoadMatrices compares with the definition: lane 4*g+i gets elements 2*i and 2*i+1 of row g, or of column g.
func testLoadMatrices(b *bench) {
	if b.lacks(75) {
		return
	}
	in := make([]uint32, 128)
	for i := range in {
		in[i] = uint32(2*i) | uint32(2*i+1)<<16 // element e of row r is r*8+e
	}
	for which := range 6 {
		out := buffer(b, "out", device.U32, make([]uint32, 128)...)
		b.must("LoadMatrices", 1, 32, uint32(which), buffer(b, "in", device.U32, in...), out)
		for at, got := range read[uint32](b, out) {
			lane, j := at/4, at%4
			element := func(row, column int) uint32 { return uint32(((8*j+row)*5+1)%32*8 + column) }
			g, i := lane/4, lane%4*2
			want := element(g, i) | element(g, i+1)<<16
			if which >= 3 {
				want = element(i, g) | element(i+1, g)<<16
			}
			if j >= 1<<(which%3) {
				want = 0
			}
			require.Equal(b, want, got, "function %d, lane %d, matrix %d", which, lane, j)
		}
	}
	if b.traits.Hangs {
		_, err := b.launch("LoadMatrices", 1, 32, uint32(6), buffer(b, "in", device.U32, in...), buffer(b, "out", device.U32, make([]uint32, 128)...))
		var f *device.Fault
		require.ErrorAs(b, err, &f)
		assert.Contains(b, f.What, "gpu.LoadMatrix1 while lanes ffe00000 have exited")
	}
}

// testStoreMatrices compares with the definition: elements 2*i and 2*i+1 of lane 4*g+i go to row g, or to column g.
func testStoreMatrices(b *bench) {
	in := make([]uint32, 128)
	for i := range in { // word j of a lane is of matrix j
		in[i] = uint32(2*i) | uint32(2*i+1)<<16
	}
	if b.lacks(90) {
		_, err := b.launch("StoreMatrices", 1, 32, uint32(0), buffer(b, "in", device.U32, in...), buffer(b, "out", device.U32, make([]uint32, 128)...))
		var refused *device.ArgError
		require.ErrorAs(b, err, &refused)
		assert.Contains(b, refused.What, "stmatrix.x1 needs compute capability 9.0")
		return
	}
	for which := range 6 {
		out := buffer(b, "out", device.U32, make([]uint32, 128)...)
		b.must("StoreMatrices", 1, 32, uint32(which), buffer(b, "in", device.U32, in...), out)
		want := make([]uint32, 128)
		for lane := range 32 {
			for j := range 1 << (which % 3) {
				for half := range 2 {
					row, column := lane/4, lane%4*2+half
					if which >= 3 {
						row, column = column, row
					}
					at := ((8*j+row)*5+1)%32*8 + column // in elements of 16 bits
					want[at/2] |= in[4*lane+j] >> (16 * half) & 0xFFFF << (at % 2 * 16)
				}
			}
		}
		require.Equal(b, want, read[uint32](b, out), "function %d", which)
	}
	if b.traits.Hangs {
		_, err := b.launch("StoreMatrices", 1, 32, uint32(6), buffer(b, "in", device.U32, in...), buffer(b, "out", device.U32, make([]uint32, 128)...))
		var f *device.Fault
		require.ErrorAs(b, err, &f)
		assert.Contains(b, f.What, "gpu.StoreMatrix1 while lanes ffe00000 have exited")
	}
}
