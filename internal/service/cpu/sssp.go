package cpu

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/weft-gpu/weft/internal/reference"
)

// deltaStepping settles vertices in buckets of distances, delta wide: the largest weight divided by the mean degree.
//
// Source: Meyer and Sanders, Delta-stepping: a parallelizable shortest path algorithm, 2003.
func deltaStepping(ctx context.Context, p *problem) (any, error) {
	g := p.g
	dist := unreached(g.Vertices())
	dist[p.source] = 0
	delta := uint32(1)
	if g.Arcs() > 0 {
		delta = max(1, uint32(uint64(slices.Max(g.Weight))*uint64(g.Vertices())/uint64(g.Arcs())))
	}
	frontier := []uint32{p.source}
	bins := make([][][]uint32, p.workers) // of each worker, by distance
	lower := func(v, length uint32) bool {
		if p.workers == 1 {
			if length >= dist[v] {
				return false
			}
			dist[v] = length
			return true
		}
		for {
			old := atomic.LoadUint32(&dist[v])
			if length >= old {
				return false
			}
			if atomic.CompareAndSwapUint32(&dist[v], old, length) {
				return true
			}
		}
	}
	for bin := 0; ; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.each(len(frontier), 256, func(w, from, to int) {
			mine := bins[w]
			for _, u := range frontier[from:to] {
				d := atomic.LoadUint32(&dist[u])
				if int(d/delta) != bin {
					continue // settled in an earlier bucket
				}
				weights := g.Weights(u)
				for i, v := range g.Neighbors(u) {
					length := uint64(d) + uint64(weights[i])
					if length >= reference.Unreached || !lower(v, uint32(length)) {
						continue
					}
					to := int(uint32(length) / delta)
					for len(mine) <= to {
						mine = append(mine, nil)
					}
					mine[to] = append(mine[to], v)
				}
			}
			bins[w] = mine
		})
		next := -1
		for _, mine := range bins {
			for b := bin; b < len(mine) && (next < 0 || b < next); b++ {
				if len(mine[b]) > 0 {
					next = b
				}
			}
		}
		if next < 0 {
			return dist, nil
		}
		bin, frontier = next, frontier[:0]
		for _, mine := range bins {
			if bin < len(mine) {
				frontier = append(frontier, mine[bin]...)
				mine[bin] = mine[bin][:0]
			}
		}
	}
}
