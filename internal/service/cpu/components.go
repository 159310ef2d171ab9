package cpu

import (
	"context"
	"sync/atomic"
)

// hooking is union-find by all workers at once: the root with the larger number gets the smaller one as its parent, unless
// somebody else was first.
//
// Source: Jayanti and Tarjan, A randomized concurrent algorithm for disjoint set union, PODC 2016.
func hooking(ctx context.Context, p *problem) (any, error) {
	parent := make([]uint32, p.g.Vertices())
	for v := range parent {
		parent[v] = uint32(v)
	}
	find := func(v uint32) uint32 {
		for {
			up := atomic.LoadUint32(&parent[v])
			above := atomic.LoadUint32(&parent[up])
			if up == above {
				return up
			}
			atomic.CompareAndSwapUint32(&parent[v], up, above)
			v = above
		}
	}
	p.each(len(parent), 1024, func(_, from, to int) {
		if ctx.Err() != nil {
			return
		}
		for u := from; u < to; u++ {
			for _, v := range p.g.Neighbors(uint32(u)) {
				for a, b := find(uint32(u)), find(v); a != b; a, b = find(a), find(b) {
					if atomic.CompareAndSwapUint32(&parent[max(a, b)], max(a, b), min(a, b)) {
						break
					}
				}
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	labels := make([]uint32, len(parent))
	p.each(len(parent), 4096, func(_, from, to int) {
		for v := from; v < to; v++ {
			labels[v] = find(uint32(v))
		}
	})
	return labels, nil
}

// peel takes the vertices with at most k neighbors left off a graph, level by level, for each k in turn.
//
// Source: Dasari, Desh and Zubair, ParK: an efficient algorithm for k-core decomposition on multicore processors, 2014.
func peel(ctx context.Context, p *problem) (any, error) {
	degree := p.g.Degrees()
	core := make([]uint32, len(degree))
	left := make([]uint32, len(degree))
	for v := range left {
		left[v] = uint32(v)
	}
	local := make([][]uint32, p.workers)
	for len(left) > 0 {
		k := degree[left[0]]
		for _, v := range left {
			k = min(k, degree[v])
		}
		var frontier []uint32
		rest := left[:0]
		for _, v := range left {
			if degree[v] == k {
				frontier = append(frontier, v)
			} else {
				rest = append(rest, v)
			}
		}
		for len(frontier) > 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			p.each(len(frontier), 256, func(w, from, to int) {
				for _, v := range frontier[from:to] {
					core[v] = k
					for _, u := range p.g.Neighbors(v) {
						if atomic.LoadUint32(&degree[u]) <= k {
							continue
						}
						switch now := atomic.AddUint32(&degree[u], ^uint32(0)); {
						case now == k:
							local[w] = append(local[w], u)
						case now < k:
							atomic.AddUint32(&degree[u], 1) // somebody else was first
						}
					}
				}
			})
			frontier = gather(frontier[:0], local)
		}
		left = rest[:0]
		for _, v := range rest {
			if degree[v] > k {
				left = append(left, v)
			}
		}
	}
	return core, nil
}
