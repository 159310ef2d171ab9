package gpu_test

import (
	"math"
	"math/big"
)

// The functions below compute with so many bits that their own error is negligible beside
// that of a float64.

const precision = 320

func exact(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func number() *big.Float { return new(big.Float).SetPrec(precision) }

// bigPi has enough bits to reduce the largest float64. It is computed by Machin's formula.
var bigPi = func() *big.Float {
	const prec = 1024 + precision
	one := new(big.Int).Lsh(big.NewInt(1), prec+32)
	arctan := func(n int64) *big.Int { // of 1/n
		sum, term := new(big.Int), new(big.Int).Div(one, big.NewInt(n))
		for k := int64(1); term.Sign() != 0; k += 2 {
			part := new(big.Int).Div(term, big.NewInt(k))
			if k%4 == 1 {
				sum.Add(sum, part)
			} else {
				sum.Sub(sum, part)
			}
			term.Div(term, big.NewInt(n*n))
		}
		return sum
	}
	pi := new(big.Int).Mul(arctan(5), big.NewInt(16))
	pi.Sub(pi, new(big.Int).Mul(arctan(239), big.NewInt(4)))
	return new(big.Float).SetMantExp(new(big.Float).SetPrec(prec).SetInt(pi), -prec-32)
}()

// bigExp returns e^x for |x| below a few thousand: the series for x/2^32, squared 32 times.
func bigExp(x *big.Float) *big.Float {
	r := number().SetMantExp(x, -32)
	sum, term := exact(1), exact(1)
	for k := 1; k <= 16; k++ {
		term.Quo(number().Mul(term, r), exact(float64(k)))
		sum.Add(sum, term)
	}
	for range 32 {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog returns the logarithm of x > 0: a guess, improved by Halley's method.
func bigLog(x *big.Float) *big.Float {
	m := number()
	e := x.MantExp(m)
	f, _ := m.Float64()
	y := exact(math.Log(f))
	for range 2 {
		g := bigExp(y)
		step := number().Quo(number().Sub(m, g), number().Add(m, g))
		y.Add(y, number().Mul(exact(2), step))
	}
	if x.Cmp(exact(1)) == 0 {
		return number()
	}
	return y.Add(y, number().Mul(exact(float64(e)), bigLn2))
}

var bigLn2 = func() *big.Float { // -log(1/2), by the series of 2*artanh(1/3)
	sum, power := number(), number().Quo(exact(1), exact(3))
	for k := 1; k < 220; k += 2 {
		sum.Add(sum, number().Quo(power, exact(float64(k))))
		power.Quo(power, exact(9))
	}
	return sum.Add(sum, sum)
}()

// bigSin returns the sine of x + quarter*pi/2.
func bigSin(x float64, quarter int64) *big.Float {
	half := new(big.Float).SetMantExp(bigPi, -1)
	t := new(big.Float).SetPrec(bigPi.Prec()).SetFloat64(x)
	n, _ := new(big.Float).Add(new(big.Float).Quo(t, half), big.NewFloat(math.Copysign(0.5, x))).Int(nil)
	r := number().Sub(t, new(big.Float).SetPrec(bigPi.Prec()).Mul(half, new(big.Float).SetInt(n)))
	q := (new(big.Int).And(n, big.NewInt(3)).Int64() + quarter) & 3
	z := number().Mul(r, r)
	term, k := r, 1.0
	if q&1 != 0 {
		term, k = exact(1), 0
	}
	sum := number().Set(term)
	for range 40 {
		term = number().Quo(number().Mul(term, z), exact(-(k+1)*(k+2)))
		sum.Add(sum, term)
		k += 2
	}
	if q&2 != 0 {
		sum.Neg(sum)
	}
	return sum
}

// bigTanh returns the hyperbolic tangent of x. It uses three terms of the series where the
// quotient would lose too many bits.
func bigTanh(x float64) *big.Float {
	a := exact(x)
	if math.Abs(x) < 0x1p-30 {
		z := number().Mul(a, a)
		s := number().Sub(number().Mul(exact(0.4), z), exact(1))
		s = number().Add(exact(1), number().Mul(number().Quo(z, exact(3)), s))
		return s.Mul(s, a)
	}
	e := bigExp(number().Mul(exact(2), a))
	return number().Quo(number().Sub(e, exact(1)), number().Add(e, exact(1)))
}

// ulps returns the distance between got and want in units of the last place of a float64 of
// want's size.
func ulps(got float64, want *big.Float) float64 {
	e := max(want.MantExp(nil)-1, -1022)
	d, _ := new(big.Float).SetMantExp(number().Sub(exact(got), want), 52-e).Float64()
	return math.Abs(d)
}
