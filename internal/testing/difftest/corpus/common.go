package corpus

import "github.com/weft-gpu/weft/gpu"

//lint:file-ignore U1000 generated kernels use these

// Pair has fields of several widths, and padding.
type Pair struct {
	A uint32
	B int64
	C bool
	D float32
}

// Box nests an array of structs.
type Box struct {
	P [3]Pair
	N uint16
}

// In is what kernels only read; each slice has Size elements.
type In struct {
	U []uint32
	S []int32
	Q []uint64
	L []int64
	F []float32
	D []float64
	H []int16
	B []uint8
	T []bool
	P []Pair
}

// Size is the length of each slice of In.
const Size = 64

// Par is scalars, the same for all threads.
type Par struct {
	N uint32
	K int64
	X float32
	G bool
	M [2]uint16
}

// Acc is what all threads update by atomics whose order does not matter:
// cell 4*op+i takes one kind of operation only.
type Acc struct {
	U []uint32
	S []int32
	Q []uint64
	L []int64
	F []float32 // small integers are added, which is exact
}

// Accs is the length of each slice of Acc.
const Accs = 24

// MaxBlock is the largest number of threads a block.
const MaxBlock = 64

// Owns is how many cells of the parameter own each thread has.
const Owns = 8

// Outs is how many cells of the parameter out each thread writes.
const Outs = 6

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint
}

type number interface {
	integer | ~float32 | ~float64
}

// pick is a generic select.
func pick[T any](c bool, a, b T) T {
	if c {
		return a
	}
	return b
}

// clamp is generic over all numbers.
func clamp[T number](x, lo, hi T) T {
	if x < lo {
		return lo
	} else if x > hi {
		return hi
	}
	return x
}

// fold is generic over integers, with a loop.
func fold[T integer](x T, n uint32) T {
	s := x
	for i := uint32(0); i < n&3; i++ {
		s = s*3 + x
		if s&1 == 0 {
			s ^= x
		}
	}
	return s
}

// apply calls a function known at compile time.
func apply(f func(uint32) uint32, x uint32, n uint32) uint32 {
	for range n & 3 {
		x = f(x)
	}
	return x
}

// upTo yields 0, step, 2*step, ... below n.
func upTo(n, step uint32) func(func(uint32) bool) {
	return func(yield func(uint32) bool) {
		for i := uint32(0); i < n; i += step {
			if !yield(i) {
				return
			}
		}
	}
}

// add changes the receiver.
func (p *Pair) add(x uint32, y int64) {
	p.A += x
	p.B ^= y
	p.C = p.A > 1000 || p.B < 0
}

// sum reads the receiver.
func (p Pair) sum() int64 {
	if p.C {
		return p.B - int64(p.A)
	}
	return p.B + int64(p.A)
}

// Float to integer conversions are defined in range only.
func fix32(x float32) int32 {
	if !(x > -1e9 && x < 1e9) {
		return -7
	}
	return int32(x)
}

func fix64(x float64) int64 {
	if !(x > -1e18 && x < 1e18) {
		return -7
	}
	return int64(x)
}

// bits32 hides the payload of a NaN, which is not defined.
func bits32(x float32) uint64 {
	if x != x {
		return 0x7FC00000
	}
	return uint64(gpu.Float32bits(x))
}

func bits64(x float64) uint64 {
	if x != x {
		return 0x7FF8000000000000
	}
	return gpu.Float64bits(x)
}

func bitsOf(c bool) uint64 {
	if c {
		return 1
	}
	return 0
}
