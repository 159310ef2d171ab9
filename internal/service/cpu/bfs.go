package cpu

import (
	"context"
	"math/bits"
	"sync/atomic"

	"github.com/weft-gpu/weft/internal/reference"
)

// When a search changes its direction: to the unvisited vertices if the frontier has more than 1/towards of the arcs that
// are left, and back if it has fewer than 1/back of the vertices.
//
// Source: Beamer, Asanovic and Patterson, Direction-optimizing breadth-first search, SC 2012.
const (
	towards = 15
	back    = 18
)

// search is a breadth-first search, level by level, that changes its direction.
type search struct {
	*problem
	level       []uint32
	frontier    []uint32
	local       [][]uint32 // what each worker found
	front, next []uint64   // the frontier by vertex, one bit each
}

func directionOptimising(ctx context.Context, p *problem) (any, error) {
	n := p.g.Vertices()
	s := &search{problem: p, level: unreached(n), frontier: []uint32{p.source}, local: make([][]uint32, p.workers),
		front: make([]uint64, (n+63)/64), next: make([]uint64, (n+63)/64)}
	s.level[p.source] = 0
	left := p.g.Arcs()
	for depth := uint32(1); len(s.frontier) > 0; depth++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		arcs := 0
		for _, u := range s.frontier {
			arcs += p.g.Degree(u)
		}
		left -= arcs
		if arcs > left/towards && len(s.frontier) > n/(4*back) {
			depth = s.pull(depth)
			continue
		}
		s.push(depth)
	}
	return s.level, nil
}

// push visits the out-neighbors of the frontier.
func (s *search) push(depth uint32) {
	alone := s.each(len(s.frontier), 256, func(w, from, to int) {
		out := s.local[w]
		for _, u := range s.frontier[from:to] {
			for _, v := range s.g.Neighbors(u) {
				if s.workers == 1 {
					if s.level[v] == reference.Unreached {
						s.level[v] = depth
						out = append(out, v)
					}
				} else if atomic.LoadUint32(&s.level[v]) == reference.Unreached && atomic.CompareAndSwapUint32(&s.level[v], reference.Unreached, depth) {
					out = append(out, v)
				}
			}
		}
		s.local[w] = out
	})
	if alone {
		s.frontier, s.local[0] = s.local[0], s.frontier[:0]
		return
	}
	s.frontier = gather(s.frontier[:0], s.local)
}

// pull lets unvisited vertices look for a neighbor in the frontier, until the frontier is small, and returns the last depth.
func (s *search) pull(depth uint32) uint32 {
	clear(s.front)
	for _, u := range s.frontier {
		s.front[u/64] |= 1 << (u % 64)
	}
	n := len(s.level)
	for awake, last := len(s.frontier), 0; ; depth++ {
		var found atomic.Int64
		s.each(len(s.next), 32, func(_, from, to int) {
			count := 0
			for word := from; word < to; word++ {
				set := uint64(0)
				for v := word * 64; v < min(word*64+64, n); v++ {
					if s.level[v] != reference.Unreached {
						continue
					}
					for _, u := range s.in.Neighbors(uint32(v)) {
						if s.front[u/64]>>(u%64)&1 != 0 {
							s.level[v] = depth
							set |= 1 << (v % 64)
							count++
							break
						}
					}
				}
				s.next[word] = set
			}
			found.Add(int64(count))
		})
		s.front, s.next = s.next, s.front
		if awake, last = int(found.Load()), awake; awake == 0 || awake < last && awake <= n/back {
			break
		}
	}
	s.frontier = s.frontier[:0]
	for word, set := range s.front {
		for ; set != 0; set &= set - 1 {
			s.frontier = append(s.frontier, uint32(word*64+bits.TrailingZeros64(set)))
		}
	}
	return depth
}
