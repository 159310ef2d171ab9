package graph

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weft-gpu/weft/internal/base/memory"
)

// compact renumbers the ends of edges from 0 without gaps, in ascending order of ids, and
// returns the id of each new number.
func compact(ctx context.Context, parts []part) (ids []uint32, err error) {
	top := make([]uint32, len(parts))
	err = eachPiece(ctx, len(parts), func(_, i int) {
		var highest uint32
		for _, e := range parts[i].edge {
			highest = max(highest, uint32(e>>32), uint32(e))
		}
		top[i] = highest
	})
	if err != nil {
		return nil, err
	}
	edges := 0
	for i := range parts {
		edges += len(parts[i].edge)
	}
	highest := slices.Max(top)
	// A set of all ids is fast, but must not be much larger than the edges.
	if uint64(highest) > 32*uint64(edges)+1<<16 {
		return compactSparse(ctx, parts, edges)
	}
	if err := memory.Need(memory.Sum(uint64(highest)/5, memory.Bytes[uint32](min(uint64(highest)+1, 2*uint64(edges)))), "numbering the vertices of %d edges", edges); err != nil {
		return nil, err
	}
	set := newIDSet(highest)
	if err := eachPiece(ctx, len(parts), func(_, i int) { set.add(parts[i].edge) }); err != nil {
		return nil, err
	}
	if ids, err = set.list(ctx); err != nil || len(ids) == int(highest)+1 {
		return ids, err
	}
	return ids, eachPiece(ctx, len(parts), func(_, i int) {
		for j, e := range parts[i].edge {
			parts[i].edge[j] = uint64(set.number(uint32(e>>32)))<<32 | uint64(set.number(uint32(e)))
		}
	})
}

// idSet is a set of ids, a bit for each, that numbers its elements.
type idSet struct {
	bits   []atomic.Uint64
	before []uint32 // by word: elements in the words before
}

func newIDSet(highest uint32) *idSet {
	words := highest/64 + 1
	return &idSet{make([]atomic.Uint64, words), make([]uint32, words)}
}

// add adds the ends of edges. Goroutines may add at the same time; most ids are there already, which
// takes no write.
func (s *idSet) add(edges []uint64) {
	for _, e := range edges {
		for _, id := range [2]uint32{uint32(e >> 32), uint32(e)} {
			if w, bit := &s.bits[id/64], uint64(1)<<(id%64); w.Load()&bit == 0 {
				w.Or(bit)
			}
		}
	}
}

// list returns the elements, ascending, after the last call of add. From then on, number may be
// called.
func (s *idSet) list(ctx context.Context) ([]uint32, error) {
	counts := make([]int, (len(s.bits)+pieceSize-1)/pieceSize)
	err := eachRange(ctx, len(s.bits), func(_, lo, hi int) {
		n := 0
		for i := lo; i < hi; i++ {
			n += bits.OnesCount64(s.bits[i].Load())
		}
		counts[lo/pieceSize] = n
	})
	if err != nil {
		return nil, err
	}
	sum := 0
	for i, n := range counts {
		counts[i], sum = sum, sum+n
	}
	ids := make([]uint32, sum)
	return ids, eachRange(ctx, len(s.bits), func(_, lo, hi int) {
		at := counts[lo/pieceSize]
		for i := lo; i < hi; i++ {
			s.before[i] = uint32(at)
			for w := s.bits[i].Load(); w != 0; w &= w - 1 {
				ids[at] = uint32(i*64 + bits.TrailingZeros64(w))
				at++
			}
		}
	})
}

// number returns the place of an element in the list.
func (s *idSet) number(id uint32) uint32 {
	return s.before[id/64] + uint32(bits.OnesCount64(s.bits[id/64].Load()&(1<<(id%64)-1)))
}

// compactSparse is compact for ids that are far apart; it sorts them.
func compactSparse(ctx context.Context, parts []part, edges int) (ids []uint32, err error) {
	if err := memory.Need(memory.Bytes[[4]uint32](uint64(edges)), "numbering the vertices of %d edges", edges); err != nil {
		return nil, err
	}
	ids = make([]uint32, 0, 2*edges)
	for i := range parts {
		for _, e := range parts[i].edge {
			ids = append(ids, uint32(e>>32), uint32(e))
		}
	}
	if ids, err = sortUnique(ctx, ids, make([]uint32, 0, len(ids))); err != nil {
		return nil, err
	}
	ids = slices.Clone(ids)
	return ids, eachPiece(ctx, len(parts), func(_, i int) {
		for j, e := range parts[i].edge {
			u, _ := slices.BinarySearch(ids, uint32(e>>32))
			v, _ := slices.BinarySearch(ids, uint32(e))
			parts[i].edge[j] = uint64(u)<<32 | uint64(v)
		}
	})
}

// sortUnique sorts s and removes duplicates. It sorts by halves, at the same time, so that it can
// stop when ctx is done. other must have the capacity of s and is overwritten.
func sortUnique(ctx context.Context, s, other []uint32) ([]uint32, error) {
	const atOnce = 1 << 18
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(s) <= atOnce {
		slices.Sort(s)
		return slices.Compact(s), nil
	}
	half := len(s) / 2
	var a, b []uint32
	var errA, errB error
	var first sync.WaitGroup
	first.Go(func() { a, errA = sortUnique(ctx, s[:half:half], other[:0:half]) })
	if cores() == 1 {
		first.Wait()
	}
	b, errB = sortUnique(ctx, s[half:], other[half:half])
	first.Wait()
	if err := cmp.Or(errA, errB); err != nil {
		return nil, err
	}
	out := other[:0:len(s)]
	for len(a) > 0 && len(b) > 0 {
		least := min(a[0], b[0])
		out = append(out, least)
		if a[0] == least {
			a = a[1:]
		}
		if b[0] == least {
			b = b[1:]
		}
	}
	out = append(append(out, a...), b...)
	return append(s[:0], out...), nil
}
