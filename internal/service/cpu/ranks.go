package cpu

import (
	"context"
	"math"
	"sync"
)

// ranking is PageRank by pulling: the rank of a vertex is 1-damping and the damped shares of its in-neighbors, until no rank
// changes by more than epsilon. Ranks are in float32 as on a device, their sums in float64. The rank of vertices without
// arcs is dropped; in the end ranks are divided by their sum.
type ranking struct {
	*problem
	damping, epsilon float64
	rank             []float64
	share            []float32
}

func newRanking(p *problem) (*ranking, error) {
	r := &ranking{problem: p, rank: make([]float64, p.g.Vertices()), share: make([]float32, p.g.Vertices())}
	var err error
	if r.damping, err = p.number("damping"); err != nil {
		return nil, err
	}
	if r.epsilon, err = p.number("epsilon"); err != nil {
		return nil, err
	}
	for v := range r.rank {
		r.rank[v] = 1 - r.damping
		r.give(v)
	}
	return r, nil
}

// give computes the share of a rank that each out-neighbor of v receives.
func (r *ranking) give(v int) {
	if d := r.g.Degree(uint32(v)); d > 0 {
		r.share[v] = float32(r.rank[v] / float64(d))
	}
}

// pull computes the rank of v, and returns by how much it changes.
func (r *ranking) pull(v int) float64 {
	sum := 0.0
	for _, u := range r.in.Neighbors(uint32(v)) {
		sum += float64(r.share[u])
	}
	old := r.rank[v]
	r.rank[v] = 1 - r.damping + r.damping*sum
	return math.Abs(r.rank[v] - old)
}

// answer returns the ranks, which sum to 1.
func (r *ranking) answer() []float32 {
	sum := 0.0
	for _, x := range r.rank {
		sum += x
	}
	ranks := make([]float32, len(r.rank))
	for v, x := range r.rank {
		ranks[v] = float32(x / sum)
	}
	return ranks
}

// jacobi computes all ranks from those of the iteration before.
func jacobi(ctx context.Context, p *problem) (any, error) {
	r, err := newRanking(p)
	if err != nil {
		return nil, err
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var mu sync.Mutex
		moved := 0.0
		p.each(len(r.rank), 1024, func(_, from, to int) {
			most := 0.0
			for v := from; v < to; v++ {
				most = max(most, r.pull(v))
			}
			mu.Lock()
			moved = max(moved, most)
			mu.Unlock()
		})
		if moved <= r.epsilon {
			return r.answer(), nil
		}
		p.each(len(r.rank), 4096, func(_, from, to int) {
			for v := from; v < to; v++ {
				r.give(v)
			}
		})
	}
}

// gaussSeidel computes each rank from the latest ones.
func gaussSeidel(ctx context.Context, p *problem) (any, error) {
	r, err := newRanking(p)
	if err != nil {
		return nil, err
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		moved := 0.0
		for v := range r.rank {
			moved = max(moved, r.pull(v))
			r.give(v)
		}
		if moved <= r.epsilon {
			return r.answer(), nil
		}
	}
}
