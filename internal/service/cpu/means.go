package cpu

import (
	"context"
	"math"
	"sync"
)

// means is the iteration of nn, heat and circuit: each vertex gets a new value from its own and from the mean of its
// in-neighbors, weighted by the arcs, until no value changes by more than epsilon. The source begins with 1.
func means(param string, fixed bool, next func(param, old, mean float64) float64) func(context.Context, *problem) (any, error) {
	return func(ctx context.Context, p *problem) (any, error) {
		x, err := p.number(param)
		if err != nil {
			return nil, err
		}
		epsilon, err := p.number("epsilon")
		if err != nil {
			return nil, err
		}
		n := p.g.Vertices()
		now, then := make([]float32, n), make([]float32, n)
		total := make([]float64, n)
		for v := range total {
			for _, weight := range p.in.Weights(uint32(v)) {
				total[v] += float64(weight)
			}
		}
		now[p.source] = 1
		for moved := math.Inf(1); moved > epsilon; {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var mu sync.Mutex
			moved = 0
			p.each(n, 1024, func(_, from, to int) {
				most := 0.0
				for v := from; v < to; v++ {
					then[v] = now[v]
					if total[v] == 0 || fixed && uint32(v) == p.source {
						continue
					}
					sum, weights := 0.0, p.in.Weights(uint32(v))
					for i, u := range p.in.Neighbors(uint32(v)) {
						sum += float64(weights[i]) * float64(now[u])
					}
					then[v] = float32(next(x, float64(now[v]), sum/total[v]))
					most = max(most, math.Abs(float64(then[v]-now[v])))
				}
				mu.Lock()
				moved = max(moved, most)
				mu.Unlock()
			})
			now, then = then, now
		}
		return now, nil
	}
}
