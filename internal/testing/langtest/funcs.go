package langtest

import "github.com/weft-gpu/weft/gpu"

type shape interface {
	area() uint32
	grow(k uint32)
}

type square struct{ a uint32 }
type rect struct{ a, b uint32 }

func (s *square) area() uint32  { return s.a * s.a }
func (s *square) grow(k uint32) { s.a += k }
func (r *rect) area() uint32    { return r.a * r.b }
func (r *rect) grow(k uint32)   { r.a, r.b = r.a+k, r.b*k }

func total(shapes ...shape) (n uint32) {
	for i := range 2 {
		shapes[0].grow(uint32(i))
		shapes[1].grow(uint32(i))
	}
	return shapes[0].area() + shapes[1].area()
}

func apply(f func(uint32) uint32, x uint32) uint32 { return f(f(x)) }

func compose(f, g func(uint32) uint32) func(uint32) uint32 {
	return func(x uint32) uint32 { return f(g(x)) }
}

func twice(x uint32) uint32 { return 2 * x }

type adder struct{ by uint32 }

func (a adder) add(x uint32) uint32 { return x + a.by }

func (a *adder) bump() { a.by++ }

type deep struct{ *adder }

// Functions uses closures, function values, methods and interfaces.
func Functions(t gpu.Thread, in, out []uint32) {
	w, x := mine(t, out), in[t.Global()]
	n := uint32(0)
	count := func() uint32 { n++; return n }
	count()
	w.put(0, count()+apply(twice, x)+apply(func(y uint32) uint32 { return y ^ n }, x))
	a := adder{x % 10}
	f := a.add // binds a copy
	a.bump()
	g := adder.add
	w.put(1, f(1)+g(a, 2)+compose(f, twice)(3))
	d := deep{&a}
	d.bump()
	w.put(2, d.add(1)+a.by)
	w.put(3, total(&square{x % 7}, &rect{2, x % 5}))
	var s shape = &square{3}
	if sq, ok := s.(*square); ok {
		sq.a += x % 3
	}
	if _, ok := s.(*rect); ok {
		w.put(4, 1000)
	} else {
		w.put(4, s.area())
	}
	global := t.Global
	w.put(5, global())
	var op func(uint32) uint32
	if op == nil {
		op = twice
	}
	for range 2 {
		x = op(x)
	}
	w.put(6, x)
}

type number interface{ ~uint32 | ~int32 | ~float32 }

type monoid[T any] interface {
	zero() T
	plus(a, b T) T
	wide() bool
}

type sums struct{}
type maxes struct{ Floor int32 }

func (sums) zero() uint32            { return 0 }
func (sums) plus(a, b uint32) uint32 { return a + b }
func (sums) wide() bool              { return true }
func (m maxes) zero() int32          { return m.Floor }
func (maxes) plus(a, b int32) int32  { return max(a, b) }
func (maxes) wide() bool             { return false }

func kindOf[T number](x T) uint32 {
	switch any(x).(type) {
	case uint32:
		return 1
	case int32:
		return 2
	}
	return 3
}

func reduce[M monoid[T], T number](m M, s []uint32) (acc T) {
	acc = m.zero()
	for _, v := range s {
		acc = m.plus(acc, T(v))
	}
	if m.wide() {
		acc *= 3
	}
	return acc
}

// Fold is a generic kernel.
func Fold[M monoid[T], T number](t gpu.Thread, in, out []uint32, m M) {
	w, x := mine(t, out), in[t.Global()]
	w.put(0, uint32(reduce(m, in[:4+x%8])))
	w.put(1, kindOf(m.zero())<<8+kindOf(float32(1)))
}

// Instantiations of Fold.
var (
	FoldSum = Fold[sums, uint32]
	FoldMax = Fold[maxes, int32]
)

func minmax(xs ...uint32) (lo, hi uint32) {
	lo = ^uint32(0)
	for _, x := range xs {
		lo, hi = min(lo, x), max(hi, x)
	}
	return
}

// Variadics uses variadic calls.
func Variadics(t gpu.Thread, in, out []uint32) {
	w, x := mine(t, out), in[t.Global()]
	lo, hi := minmax(x, 500, in[0])
	w.put(0, lo)
	w.put(1, hi)
	lo, hi = minmax()
	w.put(2, lo-hi)
	lo, hi = minmax(in[:8]...)
	w.put(3, lo^hi)
}
