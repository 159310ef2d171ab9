package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/base/hugepage"
)

// pool hands out values of T by index, so that requests hold no pointers and no memory is allocated once the pool has
// grown to the number of values in use at the same time.
type pool[T any] struct {
	items []T
	free  []int32
}

// get returns the index of an item, which still holds its previous user's value.
func (p *pool[T]) get() int32 {
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		return i
	}
	var zero T
	p.items = append(p.items, zero)
	return int32(len(p.items) - 1)
}

func (p *pool[T]) put(i int32) { p.free = append(p.free, i) }

// each calls f for the items that are handed out. There is no list of them, only of those that are free.
func (p *pool[T]) each(f func(item *T)) {
	free := make([]bool, len(p.items))
	for _, i := range p.free {
		free[i] = true
	}
	for i := range p.items {
		if !free[i] {
			f(&p.items[i])
		}
	}
}

// inUse returns how many items are handed out.
func (p *pool[T]) inUse() int { return len(p.items) - len(p.free) }

func (p *pool[T]) reset() { p.items, p.free = p.items[:0], p.free[:0] }

// store hands out values for the registers and warps of blocks, from pieces large enough for huge pages. They stay
// with their owner.
type store[T any] struct {
	left  []T
	piece int // values of the next piece, at least
	most  int // values of the largest piece
}

// take returns n zero values, and up to a quarter more: a block asks again if it needs more than it has, so that
// little is wasted.
func (s *store[T]) take(n int) []T {
	step := 1 << max(bits.Len(uint(n))-3, 0)
	n = (n + step - 1) / step * step
	if n > len(s.left) {
		s.left = hugepage.Make[T](max(n, s.piece))
		s.piece = min(2*s.piece, s.most) // small machines and launches need little
	}
	out := s.left[:n:n]
	s.left = s.left[n:]
	return out
}
