package reference

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/graph"
)

// ErrNoWeights reports that an algorithm needs weights and the graph has none.
var ErrNoWeights = errors.New("the graph has no weights; load it with graph.WeightsAlways, or use CSR.WithWeights")

// SSSP returns the length of a shortest path from src to each vertex (Dijkstra), or
// Unreached if there is no path. Lengths have 32 bits, as on devices; a longer distance is
// an error.
func SSSP(ctx context.Context, g *graph.CSR, src uint32) ([]uint32, error) {
	if err := checkSource(g, src); err != nil {
		return nil, err
	}
	if g.Weight == nil {
		return nil, fmt.Errorf("graph %s: %w", g.Name, ErrNoWeights)
	}
	dist := make([]uint32, g.Vertices())
	for v := range dist {
		dist[v] = Unreached
	}
	dist[src] = 0
	// Entries that a shorter path has superseded stay in the heap and are skipped when they
	// are popped.
	q := heap{uint64(src)}
	tooLong := false
	for i := 0; len(q) > 0; i++ {
		if err := poll(ctx, i); err != nil {
			return nil, err
		}
		top := q.pop()
		d, u := top>>32, uint32(top)
		if d != uint64(dist[u]) {
			continue
		}
		weight := g.Weights(u)
		for i, v := range g.Neighbors(u) {
			length := d + uint64(weight[i])
			switch {
			case length < uint64(dist[v]):
				dist[v] = uint32(length)
				q.push(length<<32 | uint64(v))
			case length >= Unreached && dist[v] == Unreached:
				tooLong = true
			}
		}
	}
	if tooLong {
		for u := range dist {
			if dist[u] == Unreached {
				continue
			}
			for _, v := range g.Neighbors(uint32(u)) {
				if dist[v] == Unreached {
					return nil, fmt.Errorf("graph %s: the distance from %d to %d is %d or more, which needs more than 32 bits",
						g.Name, g.FileID(src), g.FileID(v), uint32(Unreached))
				}
			}
		}
	}
	return dist, nil
}

// heap is a four-ary heap of distance<<32 | vertex with the smallest element first. It is
// flatter than a binary heap, and the children of an element are in one cache line.
type heap []uint64

const arity = 4

func (h *heap) push(x uint64) {
	*h = append(*h, x)
	s := *h
	i := len(s) - 1
	for i > 0 {
		parent := (i - 1) / arity
		if s[parent] <= x {
			break
		}
		s[i] = s[parent]
		i = parent
	}
	s[i] = x
}

func (h *heap) pop() uint64 {
	s := *h
	top, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	if len(s) == 0 {
		return top
	}
	i := 0
	for {
		first := i*arity + 1
		if first >= len(s) {
			break
		}
		least := first
		for c := first + 1; c < min(first+arity, len(s)); c++ {
			if s[c] < s[least] {
				least = c
			}
		}
		if s[least] >= last {
			break
		}
		s[i] = s[least]
		i = least
	}
	s[i] = last
	return top
}
