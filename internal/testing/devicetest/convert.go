package devicetest

import (
	"math"
	"math/big"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/testing/testkernels"
)

// converted returns x as an integer: rounded toward zero, the nearest one if none has this
// value, and 0 for NaN. It computes with numbers of any size.
func converted(x float64, bits uint, signed bool) uint64 {
	least, most := new(big.Int), new(big.Int).Lsh(big.NewInt(1), bits)
	if signed {
		most.Rsh(most, 1)
		least.Neg(most)
	}
	most.Sub(most, big.NewInt(1))
	n := new(big.Int)
	switch {
	case x != x:
	case math.IsInf(x, 1):
		n = most
	case math.IsInf(x, -1):
		n = least
	default:
		new(big.Float).SetFloat64(x).Int(n)
		if n.Cmp(most) > 0 {
			n = most
		} else if n.Cmp(least) < 0 {
			n = least
		}
	}
	if n.Sign() < 0 {
		return uint64(n.Int64())
	}
	return n.Uint64()
}

// testConversions checks conversions of floats to integers of all sizes, near the limits of
// each, and of what does not fit.
func testConversions(b *bench) {
	y := []float64{0, 1.5, -1.5, 0.999, -0.999, 5e-324, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 1e30, -1e30}
	for _, bits := range []int{7, 8, 15, 16, 24, 31, 32, 53, 63, 64} {
		limit := math.Ldexp(1, bits)
		for _, x := range []float64{limit, limit - 0.5, limit - 1, limit + 1, math.Nextafter(limit, 0), math.Nextafter(limit, 1e300), float64(math.Nextafter32(float32(limit), 0))} {
			y = append(y, x, -x)
		}
	}
	x := make([]float32, len(y))
	for i := range y {
		x[i] = float32(y[i])
	}
	out := buffer(b, "out", device.U64, make([]uint64, 32*len(y))...)
	b.must("FloatsToInts", 2, 64, buffer(b, "x", device.F32, x...), buffer(b, "y", device.F64, y...), out)
	check := func(got []uint64, x float64) {
		for i, v := range got {
			want := converted(x, 8<<(i%4), i%8 < 4)
			require.Equal(b, want, v, "%v to an integer of %d bits, signed: %v", x, 8<<(i%4), i%8 < 4)
		}
	}
	got := read[uint64](b, out)
	for i := range y {
		check(got[32*i:32*i+16], float64(x[i]))
		check(got[32*i+16:32*i+32], y[i])
		var native [8]uint64 // by gpu.Saturate
		testkernels.Saturate(native[:], y[i])
		require.Equal(b, native[:], got[32*i+24:32*i+32], "plain Go, of %v", y[i])
	}
	b.must("ConstantsToInts", 1, 1, out)
	got = read[uint64](b, out)
	check(got[:16], 256)
	check(got[16:32], float64(float32(-1e30)*256))
	check(got[32:48], math.NaN())
}
