package corpus

import "github.com/weft-gpu/weft/gpu"

// This file is written by hand, too: functions that take and return more than
// scalars. Kernels of new seeds call some that no kernel of the corpus does.

//lint:file-ignore U1000 kernels that are made at run time call these functions

// swap exchanges what two pointers point to, in part.
func swap(p, q *Pair) {
	p.A, q.A = q.A, p.A
	p.B, q.B = q.B+1, p.B-1
}

// merge takes structs by value and returns one.
func merge(p, q Pair) Pair {
	if p.A > q.A {
		p.A -= q.A
		p.C = q.C
		return p
	}
	q.B += p.B
	return q
}

// rotate returns an array that is indexed at run time.
func rotate(a [4]uint32, n uint32) (r [4]uint32) {
	for i := range uint32(4) {
		r[(i+n)&3] = a[i]
	}
	return r
}

// total ranges over an array by value.
func total(a [4]uint32) (s uint32) {
	for i, x := range a {
		s += x * uint32(i+1)
	}
	return s
}

// scaled returns a closure.
func scaled(k uint32) func(uint32) uint32 {
	n := uint32(0)
	return func(x uint32) uint32 {
		n += k
		return x*n + k
	}
}

// bump works through a pointer to an element.
func bump(p *uint64, x uint64) uint64 {
	*p = *p*3 + x
	return *p
}

// law is what a type parameter brings at compile time.
type law interface {
	join(a, b uint32) uint32
	zero() uint32
}

type least struct{}

func (least) join(a, b uint32) uint32 { return min(a, b) }
func (least) zero() uint32            { return ^uint32(0) }

type sums struct{}

func (sums) join(a, b uint32) uint32 { return a + b }
func (sums) zero() uint32            { return 0 }

// reduce folds part of a slice by a law.
func reduce[L law](s []uint32, from, n uint32) uint32 {
	var l L
	x := l.zero()
	for i := from; i < from+n; i++ {
		x = l.join(x, s[i])
	}
	return x
}

// find leaves a loop over a slice early.
func find(s []uint32, x uint32) (int, bool) {
	for i, y := range s {
		if y == x {
			return i, true
		}
	}
	return -1, false
}

// share gives each thread the value of another one of its block; each line
// that calls it has memory of its own.
func share(t gpu.Thread, x, from uint32) uint32 {
	s := gpu.Shared[[MaxBlock]uint32](t)
	s[t.Idx()] = x
	t.Sync()
	x = s[from%t.BlockDim()]
	t.Sync()
	return x
}

// prefix is the sum over the lanes of a warp up to this one.
func prefix[T ~uint32 | ~int32 | ~uint64 | ~int64](t gpu.Thread, x T) T {
	for d := uint32(1); d < gpu.WarpSize; d *= 2 {
		y := gpu.ShflUp(t, gpu.FullMask, x, d)
		if t.Lane() >= d {
			x += y
		}
	}
	return x
}

// lanes returns how many lanes the thread's warp has.
func lanes(t gpu.Thread) uint32 { return min(gpu.WarpSize, t.BlockDim()-t.Idx()&^(gpu.WarpSize-1)) }

// lane returns the x of any lane that the warp has.
func lane[T gpu.Num](t gpu.Thread, x T, from uint32) T {
	return gpu.Shfl(t, gpu.FullMask, x, from%lanes(t))
}

// above returns the x of a lane above, if the warp has it.
func above[T gpu.Num](t gpu.Thread, x T, by uint32) T {
	from := t.Lane() + by%gpu.WarpSize
	if from >= lanes(t) {
		from = t.Lane()
	}
	return gpu.ShflDown(t, gpu.FullMask, x, from-t.Lane())
}

// twin returns the x of a lane that is even if the thread's is, by two shuffles at the
// same time whose masks lack each other's lanes.
func twin[T gpu.Num](t gpu.Thread, x T, by uint32) T {
	own := t.Lane() & 1
	has := (lanes(t) + 1 - own) / 2
	return gpu.Shfl(t, 0x55555555<<own, x, own+by%has*2)
}

// total32 is the sum over the lanes of a warp, of which some may be missing.
func total32(t gpu.Thread, x uint32) uint32 {
	for d := uint32(gpu.WarpSize / 2); d > 0; d /= 2 {
		if y := gpu.Shfl(t, gpu.FullMask, x, min(t.Lane()+d, lanes(t)-1)); t.Lane()+d < lanes(t) {
			x += y
		}
	}
	return gpu.Shfl(t, gpu.FullMask, x, 0)
}

// saturated converts x by gpu.Saturate and checks the result by comparisons.
func saturated[T gpu.Integer, F gpu.Float](x F) T {
	y := gpu.Saturate[T](x)
	z := F(y)
	switch {
	case x != x:
		if y != 0 {
			panic("NaN does not become 0")
		}
	case x > z && x-z >= 1 && y+1 > y, x < z && z-x >= 1 && y-1 < y && z < F(1<<24):
		panic("a conversion does not saturate")
	}
	return y
}
