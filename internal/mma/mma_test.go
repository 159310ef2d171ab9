package mma_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/base/floats"
	"github.com/weft-gpu/weft/internal/mma"
)

// variant returns an instruction by its modifiers in PTX.
func variant(t testing.TB, name string) *mma.Variant {
	id, ok := mma.ByName(name)
	require.True(t, ok, name)
	return &mma.Variants[id]
}

// TestFragments compares the places of elements with the formulas of the PTX ISA, which are written for each shape by itself. i
// counts the elements of a lane over all of its registers.
func TestFragments(t *testing.T) {
	type place func(group, lane, i int) (row, column int)
	pick := func(lower bool, x, y int) int {
		if lower {
			return x
		}
		return y
	}
	c16 := func(g, l, i int) (int, int) { return pick(i < 2, g, g+8), l*2 + i&1 }
	for name, want := range map[string]struct{ a, b, c place }{
		"m16n8k16.row.col.f32.f16.f16.f32": {
			func(g, l, i int) (int, int) {
				return pick(i < 2 || 4 <= i && i < 6, g, g+8), pick(i < 4, l*2+i&1, l*2+i&1+8)
			},
			func(g, l, i int) (int, int) { return pick(i < 2, l*2+i&1, l*2+i&1+8), g }, c16},
		"m16n8k8.row.col.f16.f16.f16.f16": {
			func(g, l, i int) (int, int) { return pick(i < 2, g, g+8), l*2 + i&1 },
			func(g, l, i int) (int, int) { return l*2 + i, g }, c16},
		"m16n8k8.row.col.f32.bf16.bf16.f32": {
			func(g, l, i int) (int, int) { return pick(i < 2, g, g+8), l*2 + i&1 },
			func(g, l, i int) (int, int) { return l*2 + i, g }, c16},
		"m16n8k4.row.col.f32.tf32.tf32.f32": {
			func(g, l, i int) (int, int) { return pick(i == 0, g, g+8), l },
			func(g, l, _ int) (int, int) { return l, g }, c16},
		"m16n8k8.row.col.f32.tf32.tf32.f32": {
			func(g, l, i int) (int, int) { return pick(i == 0 || i == 2, g, g+8), pick(i < 2, l, l+4) },
			func(g, l, i int) (int, int) { return pick(i == 0, l, l+4), g }, c16},
		"m8n8k4.row.col.f64.f64.f64.f64": {
			func(g, l, _ int) (int, int) { return g, l },
			func(g, l, _ int) (int, int) { return l, g },
			func(g, l, i int) (int, int) { return g, l*2 + i&1 }},
		"m16n8k16.row.col.s32.u8.s8.s32": {
			func(g, l, i int) (int, int) { return pick(i < 4, g, g+8), l*4 + i&3 },
			func(g, l, i int) (int, int) { return l*4 + i, g }, c16},
		"m16n8k32.row.col.s32.s8.s8.s32": {
			func(g, l, i int) (int, int) {
				return pick(i < 4 || 8 <= i && i < 12, g, g+8), pick(i < 8, l*4+i&3, l*4+i&3+16)
			},
			func(g, l, i int) (int, int) { return pick(i < 4, l*4+i&3, l*4+i&3+16), g }, c16},
		"m16n8k4.row.col.f64.f64.f64.f64": {
			func(g, l, i int) (int, int) { return pick(i == 0, g, g+8), l },
			func(g, l, _ int) (int, int) { return l, g }, c16},
		"m16n8k8.row.col.f64.f64.f64.f64": {
			func(g, l, i int) (int, int) { return pick(i == 0 || i == 2, g, g+8), pick(i < 2, l, l+4) },
			func(g, l, i int) (int, int) { return pick(i == 0, l, l+4), g }, c16},
		"m16n8k16.row.col.f16.e5m2.e4m3.f16": {
			func(g, l, i int) (int, int) { return pick(i < 4, g, g+8), l*4 + i&3 },
			func(g, l, i int) (int, int) { return l*4 + i, g }, c16},
		"m16n8k32.row.col.f32.e4m3.e5m2.f32": {
			func(g, l, i int) (int, int) {
				return pick(i < 4 || 8 <= i && i < 12, g, g+8), pick(i < 8, l*4+i&3, l*4+i&3+16)
			},
			func(g, l, i int) (int, int) { return pick(i < 4, l*4+i&3, l*4+i&3+16), g }, c16},
		"m8n8k128.row.col.s32.b1.b1.s32.and.popc": {
			func(g, l, i int) (int, int) { return g, l*32 + i },
			func(g, l, i int) (int, int) { return l*32 + i, g },
			func(g, l, i int) (int, int) { return g, l*2 + i }},
		"m16n8k128.row.col.s32.b1.b1.s32.xor.popc": {
			func(g, l, i int) (int, int) { return pick(i < 32, g, g+8), l*32 + i&0x1F },
			func(g, l, i int) (int, int) { return l*32 + i, g }, c16},
		"m16n8k256.row.col.s32.b1.b1.s32.xor.popc": {
			func(g, l, i int) (int, int) {
				return pick(i < 32 || 64 <= i && i < 96, g, g+8), pick(i < 64, l*32+i&0x1F, l*32+i&0x1F+128)
			},
			func(g, l, i int) (int, int) { return pick(i < 32, l*32+i&0x1F, l*32+i&0x1F+128), g }, c16},
	} {
		v := variant(t, name)
		na, nb, nc := v.Registers()
		for lane := range 32 {
			for _, m := range []struct {
				registers int
				of        mma.Type
				got       func(lane, register, i int) (row, column int)
				want      place
			}{{na, v.A, v.ElementA, want.a}, {nb, v.B, v.ElementB, want.b}, {nc, v.C, v.ElementC, want.c}} {
				packed := m.of.RegisterBits() / m.of.Bits()
				for i := range m.registers * packed {
					row, column := m.got(lane, i/packed, i%packed)
					wantRow, wantColumn := m.want(lane>>2, lane%4, i)
					require.Equal(t, []int{wantRow, wantColumn}, []int{row, column}, "%s lane %d element %d of %v", name, lane, i, m.of)
				}
			}
		}
	}
}

// TestVariants counts registers as the PTX ISA does, and checks that each element has one place.
func TestVariants(t *testing.T) {
	assert.Len(t, mma.Variants, 31+2+2*2*4)
	names := map[string]bool{}
	for i := range mma.Variants {
		v := &mma.Variants[i]
		names[v.String()] = true
		a, b, c := v.Registers()
		assert.LessOrEqual(t, a+b+c, mma.MaxRegisters)
		seen := map[string]bool{}
		for lane := range 32 {
			for e := range a * v.A.RegisterBits() / v.A.Bits() {
				n := v.A.RegisterBits() / v.A.Bits()
				row, column := v.ElementA(lane, e/n, e%n)
				seen[fmt.Sprint(row, column)] = true
			}
		}
		assert.Len(t, seen, v.M*v.K, v.String())
	}
	assert.Len(t, names, len(mma.Variants))
	a, b, c := variant(t, "m16n8k16.row.col.f16.f16.f16.f16").Registers()
	assert.Equal(t, []int{4, 2, 2}, []int{a, b, c})
	_, ok := mma.ByName("m8n8k4.row.col.f32.f16.f16.f32")
	assert.False(t, ok)
}

// warp has the registers of a warp for an instruction, and the matrices that they hold.
type warp struct {
	v       *mma.Variant
	a, b, c []*mma.Row
}

func rows(n int) []*mma.Row {
	out := make([]*mma.Row, n)
	for i := range out {
		out[i] = new(mma.Row)
	}
	return out
}

func newWarp(v *mma.Variant) *warp {
	a, b, c := v.Registers()
	return &warp{v, rows(a), rows(b), rows(c)}
}

// put sets elements of a matrix by their place.
func put(of []*mma.Row, t mma.Type, place func(lane, register, i int) (row, column int), bits func(row, column int) uint64) {
	n := t.RegisterBits() / t.Bits()
	for r := range of {
		for lane := range of[r] {
			of[r][lane] = 0
			for i := range n {
				of[r][lane] |= bits(place(lane, r, i)) << (i * t.Bits())
			}
		}
	}
}

// results returns the elements of the result by place.
func (w *warp) results() map[[2]int]uint64 {
	_, _, n := w.v.Registers()
	d := rows(n)
	w.v.Multiply(d, w.a, w.b, w.c)
	out := map[[2]int]uint64{}
	packed := w.v.C.RegisterBits() / w.v.C.Bits()
	for r := range d {
		for lane, x := range d[r] {
			for i := range packed {
				row, column := w.v.ElementC(lane, r, i)
				bits := x >> (i * w.v.C.Bits())
				if w.v.C.Bits() < 64 {
					bits &= 1<<w.v.C.Bits() - 1
				}
				out[[2]int{row, column}] = bits
			}
		}
	}
	return out
}

// bitsOf returns a whole number in a type.
func bitsOf(t mma.Type, n int) uint64 {
	switch t {
	case mma.F16:
		return floats.Half.Round(float64(n), floats.NearestEven)
	case mma.BF16:
		return floats.BFloat.Round(float64(n), floats.NearestEven)
	case mma.TF32, mma.F32:
		return uint64(math.Float32bits(float32(n)))
	case mma.F64:
		return math.Float64bits(float64(n))
	case mma.S32:
		return uint64(uint32(n))
	case mma.B1:
		return uint64(n & 1)
	case mma.E4M3, mma.E5M2:
		for x := range uint64(256) {
			if small(t, x) == float64(n) {
				return x
			}
		}
	}
	return uint64(uint8(n))
}

// TestWholeNumbers multiplies matrices of small whole numbers, which all types hold exactly, and compares with a product of
// integers.
func TestWholeNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range mma.Variants {
		w := newWarp(&mma.Variants[i])
		v := w.v
		least, most := -3, 4
		switch {
		case v.A == mma.U8 && v.B == mma.U8:
			least, most = 0, 256
		case v.A == mma.S8 && v.B == mma.S8:
			least, most = -128, 128
		case v.A == mma.B1, v.A == mma.U8, v.B == mma.U8:
			least, most = 0, 2
		}
		var a, b, c [32][256]int
		for i := range a {
			for j := range a[i] {
				a[i][j], b[i][j], c[i][j] = least+r.IntN(most-least), least+r.IntN(most-least), r.IntN(100)-50
			}
		}
		put(w.a, v.A, v.ElementA, func(row, k int) uint64 { return bitsOf(v.A, a[row][k]) })
		put(w.b, v.B, v.ElementB, func(k, column int) uint64 { return bitsOf(v.B, b[column][k]) })
		put(w.c, v.C, v.ElementC, func(row, column int) uint64 { return bitsOf(v.C, c[row][column]) })
		got := w.results()
		require.Len(t, got, v.M*v.N)
		for at, bits := range got {
			sum := c[at[0]][at[1]]
			for k := range v.K {
				switch x, y := a[at[0]][k], b[at[1]][k]; v.Combine {
				case "and":
					sum += x & y
				case "xor":
					sum += x ^ y
				default:
					sum += x * y
				}
			}
			require.Equal(t, bitsOf(v.C, sum), bits, "%v at %v: %d", v, at, sum)
		}
	}
}

// TestSaturation adds to the largest and smallest numbers, with and without .satfinite.
func TestSaturation(t *testing.T) {
	for name, want := range map[string]uint32{
		"m16n8k32.row.col.s32.s8.s8.s32":           math.MaxInt32 + 32*100*100,
		"m16n8k32.row.col.satfinite.s32.s8.s8.s32": math.MaxInt32,
	} {
		w := newWarp(variant(t, name))
		put(w.a, mma.S8, w.v.ElementA, func(int, int) uint64 { return 100 })
		put(w.b, mma.S8, w.v.ElementB, func(int, int) uint64 { return 100 })
		put(w.c, mma.S32, w.v.ElementC, func(int, int) uint64 { return math.MaxInt32 })
		assert.EqualValues(t, want, w.results()[[2]int{3, 5}], name)
	}
	w := newWarp(variant(t, "m16n8k16.row.col.satfinite.s32.s8.u8.s32"))
	put(w.a, mma.S8, w.v.ElementA, func(int, int) uint64 { return 0x80 }) // -128
	put(w.b, mma.U8, w.v.ElementB, func(int, int) uint64 { return 255 })
	put(w.c, mma.S32, w.v.ElementC, func(int, int) uint64 { return 1 << 31 })
	assert.EqualValues(t, 1<<31, w.results()[[2]int{0, 0}])
}

// sumOf multiplies rows of ones by one column, and returns the element at the start of the result.
func sumOf(w *warp, c float32, products func(k int) float64) float32 {
	format := floats.BFloat
	if w.v.A == mma.F16 {
		format = floats.Half
	}
	put(w.a, w.v.A, w.v.ElementA, func(int, int) uint64 { return format.Round(1, floats.NearestEven) })
	put(w.b, w.v.B, w.v.ElementB, func(k, _ int) uint64 { return format.Round(products(k), floats.NearestEven) })
	put(w.c, w.v.C, w.v.ElementC, func(int, int) uint64 { return uint64(math.Float32bits(c)) })
	return math.Float32frombits(uint32(w.results()[[2]int{0, 0}]))
}

// TestAccumulation has the findings of Fasi et al. (2021) on an A100 that show in few terms.
func TestAccumulation(t *testing.T) {
	w := newWarp(variant(t, "m16n8k8.row.col.f32.bf16.bf16.f32"))
	all := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	exp := func(e int) float64 { return math.Ldexp(1, e) }
	assert.Equal(t, float32(1+exp(-21)), sumOf(w, 1, all(exp(-24))), "eight halves of the last place count together: terms are not rounded one by one")
	assert.Equal(t, float32(1), sumOf(w, 1, all(exp(-25))), "bits below those are cut off, whatever they add up to")
	assert.Equal(t, float32(1), sumOf(w, 1, func(k int) float64 { return []float64{exp(-24), 0}[min(k, 1)] }), "the result is rounded towards zero")
	assert.Equal(t, float32(-1), sumOf(w, -1, func(k int) float64 { return []float64{-exp(-24), 0}[min(k, 1)] }), "and so is a negative one")
	assert.Equal(t, float32(exp(-24)), sumOf(w, 1, func(k int) float64 { return []float64{-1, exp(-24), 0}[min(k, 2)] }), "cancellation keeps the bits below the last place")
	assert.Equal(t, float32(0), sumOf(w, 1, func(k int) float64 { return []float64{-1, exp(-25), 0}[min(k, 2)] }), "but not those that were cut off")
	long := newWarp(variant(t, "m16n8k16.row.col.f32.bf16.bf16.f32"))
	at := func(places ...int) func(int) float64 {
		return func(k int) float64 {
			if slices.Contains(places, k) {
				return exp(-24)
			}
			return 0
		}
	}
	assert.Equal(t, float32(1+exp(-23)), sumOf(long, 1, at(0, 7)), "two products of one group")
	assert.Equal(t, float32(1), sumOf(long, 1, at(0, 8)), "one of each group: the sum is rounded in between")

	assert.Equal(t, float32(exp(-24)), sumOf(newWarp(variant(t, "m16n8k8.row.col.f32.f16.f16.f32")), 0, func(k int) float64 { return []float64{exp(-24), 0}[min(k, 1)] }), "subnormal numbers count")
	inf := float32(math.Inf(1))
	assert.Equal(t, inf, sumOf(w, math.MaxFloat32, all(exp(127))), "overflow")
	assert.True(t, math.IsNaN(float64(sumOf(w, inf, all(math.Inf(-1))))))
	assert.Equal(t, uint32(0x7FFFFFFF), math.Float32bits(sumOf(w, float32(math.NaN()), all(1))), "the NaN of the PTX ISA")
	assert.Equal(t, uint32(1<<31), math.Float32bits(sumOf(w, float32(math.Copysign(0, -1)), all(math.Copysign(0, -1)))), "zeros keep their sign")
}

// TestRounding compares random products with sums of 64 bits: they differ by no more than the places that are cut off.
func TestRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, ulps := range map[string]float64{"m16n8k16.row.col.f32.f16.f16.f32": 2, "m16n8k16.row.col.f32.bf16.bf16.f32": 2, "m16n8k8.row.col.f32.tf32.tf32.f32": 2} {
		w := newWarp(variant(t, name))
		format := map[mma.Type]floats.Format{mma.F16: floats.Half, mma.BF16: floats.BFloat, mma.TF32: floats.Single}[w.v.A]
		var a, b [16][16]float64
		for i := range a {
			for j := range a[i] {
				round := func() float64 {
					x := r.Float64()*2 - 1
					if w.v.A == mma.TF32 {
						return float64(math.Float32frombits(math.Float32bits(float32(x)) &^ 0x1FFF))
					}
					return format.Value(format.Round(x, floats.NearestEven))
				}
				a[i][j], b[i][j] = round(), round()
			}
		}
		put(w.a, w.v.A, w.v.ElementA, func(row, k int) uint64 { return format.Round(a[row][k], floats.NearestEven) })
		put(w.b, w.v.B, w.v.ElementB, func(k, column int) uint64 { return format.Round(b[column][k], floats.NearestEven) })
		put(w.c, w.v.C, w.v.ElementC, func(row, column int) uint64 { return uint64(math.Float32bits(float32(row - column))) })
		for at, bits := range w.results() {
			exact, size := float64(at[0]-at[1]), math.Abs(float64(at[0]-at[1]))
			for k := range w.v.K {
				exact += a[at[0]][k] * b[at[1]][k]
				size = max(size, math.Abs(exact), math.Abs(a[at[0]][k]*b[at[1]][k]))
			}
			// Per group: one place of the largest term for the result, and half a place for each term.
			place := math.Ldexp(1, math.Ilogb(size)-23)
			assert.InDelta(t, exact, float64(math.Float32frombits(uint32(bits))), ulps*place*(1+9/2.), "%s at %v", name, at)
		}
	}
}

// TestSharedRows writes the result over the factors and the accumulators, in another order.
func TestSharedRows(t *testing.T) {
	w := newWarp(variant(t, "m16n8k16.row.col.f32.f16.f16.f32"))
	r := rand.New(rand.NewPCG(5, 6))
	for _, list := range [][]*mma.Row{w.a, w.b, w.c} {
		for _, row := range list {
			for lane := range row {
				row[lane] = uint64(r.Uint32()) &^ 0x40004000 // finite numbers
			}
		}
	}
	want := rows(4)
	w.v.Multiply(want, w.a, w.b, w.c)
	d := []*mma.Row{w.c[3], w.a[0], w.c[0], w.b[1]}
	w.v.Multiply(d, w.a, w.b, w.c)
	assert.Equal(t, want, d)
}

func BenchmarkMultiply(b *testing.B) {
	for _, name := range []string{"m16n8k16.row.col.f32.f16.f16.f32", "m16n8k32.row.col.s32.s8.s8.s32", "m16n8k256.row.col.s32.b1.b1.s32.and.popc", "m8n8k4.row.col.f64.f64.f64.f64"} {
		b.Run(name, func(b *testing.B) {
			w := newWarp(variant(b, name))
			_, _, n := w.v.Registers()
			d := rows(n)
			for b.Loop() {
				w.v.Multiply(d, w.a, w.b, w.c)
			}
		})
	}
}
