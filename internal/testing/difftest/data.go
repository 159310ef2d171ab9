package difftest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/testing/difftest/corpus"
)

// Data holds all data that a kernel of the corpus reads and writes.
type Data struct {
	In  corpus.In
	Par corpus.Par
	Own []uint64
	Out []uint64
	Rec []corpus.Pair
	Acc corpus.Acc
	Net corpus.Net
}

// NewData returns the data before a launch: random inputs, many of them edge
// cases of their types. Equal seeds give equal data.
func NewData(seed uint64, threads int) *Data {
	r := rand.New(rand.NewPCG(seed, 7))
	d := &Data{
		In: corpus.In{
			U: filled[uint32](r, corpus.Size), S: filled[int32](r, corpus.Size), Q: filled[uint64](r, corpus.Size), L: filled[int64](r, corpus.Size),
			H: filled[int16](r, corpus.Size), B: filled[uint8](r, corpus.Size),
			F: make([]float32, corpus.Size), D: make([]float64, corpus.Size), T: make([]bool, corpus.Size), P: make([]corpus.Pair, corpus.Size),
		},
		Par: corpus.Par{N: r.Uint32(), K: r.Int64() - r.Int64(), X: float(r), G: r.IntN(2) == 0, M: [2]uint16{uint16(r.IntN(12)), uint16(r.Uint32())}},
		Own: filled[uint64](r, threads*corpus.Owns),
		Out: make([]uint64, threads*corpus.Outs),
		Rec: make([]corpus.Pair, threads),
		Acc: corpus.Acc{
			U: filled[uint32](r, corpus.Accs), S: filled[int32](r, corpus.Accs), Q: filled[uint64](r, corpus.Accs), L: filled[int64](r, corpus.Accs),
			F: make([]float32, corpus.Accs),
		},
		Net: corpus.Net{Flag: make([]uint32, corpus.Flags), Cell: make([]uint64, corpus.Cells), Blank: make([]uint64, threads*corpus.Owns)},
	}
	for i := range corpus.Size {
		d.In.F[i], d.In.D[i], d.In.T[i] = float(r), float64(float(r))*(1+r.Float64()), r.IntN(2) == 0
		d.In.P[i] = corpus.Pair{A: d.In.U[r.IntN(corpus.Size)], B: d.In.L[r.IntN(corpus.Size)], C: r.IntN(2) == 0, D: float(r)}
	}
	return d
}

// filled returns a slice of random integers: small numbers, edge cases, or any.
func filled[T ~uint32 | ~int32 | ~uint64 | ~int64 | ~int16 | ~uint8](r *rand.Rand, n int) []T {
	s := make([]T, n)
	for i := range s {
		switch r.IntN(4) {
		case 0:
			s[i] = T(r.IntN(10))
		case 1:
			s[i] = -T(r.IntN(3))
		case 2:
			s[i] = T(1)<<r.IntN(64) - T(r.IntN(2))
		default:
			s[i] = T(r.Uint64())
		}
	}
	return s
}

// float returns mostly numbers of ordinary size, sometimes special values.
func float(r *rand.Rand) float32 {
	switch r.IntN(12) {
	case 0:
		return []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), math.MaxFloat32,
			math.SmallestNonzeroFloat32, 1 << 31, -1 << 31, 1 << 24}[r.IntN(10)]
	case 1:
		return math.Float32frombits(r.Uint32())
	case 2, 3, 4:
		return float32(r.IntN(21) - 10)
	}
	return (r.Float32() - 0.5) * 2000
}

// Native runs a kernel of the corpus on the data as plain Go.
func Native(k corpus.Kernel, d *Data, opts ...gpu.Option) error {
	return gpu.Launch(k.Grid, k.Block, func(t gpu.Thread) { k.Func(t, d.In, d.Par, d.Own, d.Out, d.Rec, d.Acc, d.Net) }, opts...)
}

// Diff describes where the results of two launches of one kernel on the same
// data differ; "" if they agree. All NaNs are equal.
func Diff(a, b *Data) string {
	if i := firstDiff(a.Net.Cell, b.Net.Cell); i >= 0 {
		return fmt.Sprintf("net.Cell[%d] is %v and %v", i, a.Net.Cell[i], b.Net.Cell[i])
	}
	if i := firstDiff(a.Net.Flag, b.Net.Flag); i >= 0 {
		return fmt.Sprintf("net.Flag[%d] is %v and %v", i, a.Net.Flag[i], b.Net.Flag[i])
	}
	type part struct {
		name string
		a, b any
	}
	for _, p := range []part{
		{"out", a.Out, b.Out}, {"own", a.Own, b.Own}, {"rec", a.Rec, b.Rec}, {"acc.U", a.Acc.U, b.Acc.U}, {"acc.S", a.Acc.S, b.Acc.S},
		{"acc.Q", a.Acc.Q, b.Acc.Q}, {"acc.L", a.Acc.L, b.Acc.L}, {"acc.F", a.Acc.F, b.Acc.F},
	} {
		x, y := reflect.ValueOf(p.a), reflect.ValueOf(p.b)
		if x.Len() != y.Len() {
			return fmt.Sprintf("%s has %d and %d elements", p.name, x.Len(), y.Len())
		}
		for i := range x.Len() {
			if !same(x.Index(i).Interface(), y.Index(i).Interface()) {
				return fmt.Sprintf("%s[%d] is %v and %v", p.name, i, x.Index(i), y.Index(i))
			}
		}
	}
	return ""
}

// same reports whether two elements have the same bits or are both NaN.
func same(a, b any) bool {
	bits := func(f float32) uint32 {
		if f != f {
			return 0x7FC00000
		}
		return math.Float32bits(f)
	}
	switch x := a.(type) {
	case float32:
		return bits(x) == bits(b.(float32))
	case corpus.Pair:
		y := b.(corpus.Pair)
		return x.A == y.A && x.B == y.B && x.C == y.C && bits(x.D) == bits(y.D)
	}
	return a == b
}

// firstDiff returns the first index at which two slices of equal length differ;
// -1 if there is none.
func firstDiff[T comparable](a, b []T) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}
