package graph

import (
	"context"
	"fmt"
)

// Each generator draws from one random sequence in a fixed order, so that a specification
// means the same graph on every machine and in every version; golden hashes in the tests
// enforce that. Separate streams keep one part of a graph unchanged when another part
// changes.
const (
	streamEdges = iota
	streamShuffle
)

// makeRMAT is the recursive model of Chakrabarti, Zhan and Faloutsos (R-MAT, SDM 2004),
// with Graph500's parameters as defaults: each edge selects a quadrant of the adjacency
// matrix, bit by bit.
func makeRMAT(ctx context.Context, v values, b *builder) (plan, error) {
	scale, n := int(v.whole["scale"]), uint64(1)<<v.whole["scale"]
	pa, pb, pc := v.real["a"], v.real["b"], v.real["c"]
	a, ab, abc := threshold(pa), threshold(pa+pb), threshold(pa+pb+pc)
	if abc > threshold(1)+1 { // one unit of rounding
		return plan{}, fmt.Errorf("a+b+c is %.12g, more than 1", pa+pb+pc)
	}
	edges, perEdge := n*v.whole["degree"], 1
	if !v.yes["directed"] {
		edges, perEdge = edges/2, 2
	}
	if err := b.room(n, float64(edges), perEdge); err != nil {
		return plan{}, err
	}
	seed := v.whole["seed"]
	r := newRNG(seed, streamEdges)
	var label []uint32
	if v.yes["shuffle"] {
		var err error
		if label, err = permutation(ctx, newRNG(seed, streamShuffle), n); err != nil {
			return plan{}, err
		}
	}
	look := poller{ctx: ctx}
	for range edges {
		if err := look.after(1 + scale/4); err != nil {
			return plan{}, err
		}
		var from, to uint32
		for range scale {
			p := r.next() >> 32
			from, to = from<<1, to<<1
			switch {
			case p < a:
			case p < ab:
				to |= 1
			case p < abc:
				from |= 1
			default:
				from |= 1
				to |= 1
			}
		}
		if label != nil {
			from, to = label[from], label[to]
		}
		b.add(from, to, 0)
	}
	return plan{n: int(n), undirected: !v.yes["directed"]}, nil
}

// permutation returns the numbers from 0 to n-1 in random order (Fisher and Yates).
func permutation(ctx context.Context, r *rng, n uint64) ([]uint32, error) {
	p := make([]uint32, n)
	look := poller{ctx: ctx}
	for i := range p {
		if err := look.after(1); err != nil {
			return nil, err
		}
		j := r.below(uint64(i) + 1)
		p[i] = p[j]
		p[j] = uint32(i)
	}
	return p, nil
}

// makeUniform gives each vertex the same number of arcs, to distinct vertices other than
// itself. Each set of targets has the same probability.
func makeUniform(ctx context.Context, v values, b *builder) (plan, error) {
	n, degree := v.whole["n"], v.whole["degree"]
	if n > 0 && degree > n-1 {
		return plan{}, fmt.Errorf("degree=%d, but a vertex has only %d others", degree, n-1)
	}
	if err := b.room(n, float64(n)*float64(degree), 1); err != nil {
		return plan{}, err
	}
	r := newRNG(v.whole["seed"], streamEdges)
	taken := make([]uint32, n) // by target: 1 + the last vertex with an arc to it
	look := poller{ctx: ctx}
	for u := range n {
		if err := look.after(1 + int(degree)); err != nil {
			return plan{}, err
		}
		// Floyd's sampling draws a set of degree numbers below n-1 in degree steps. Numbers
		// from u on are incremented, which leaves out u itself.
		for last := n - 1 - degree; last < n-1; last++ {
			t := r.below(last + 1)
			if taken[t] == uint32(u+1) {
				t = last
			}
			taken[t] = uint32(u + 1)
			if t >= u {
				t++
			}
			b.add(uint32(u), uint32(t), 0)
		}
	}
	return plan{n: int(n)}, nil
}

// makeGrid connects each vertex to its right and to its lower neighbor, each with
// probability keep. Vertex (x, y) has number y*width + x.
func makeGrid(ctx context.Context, v values, b *builder) (plan, error) {
	width, height := v.whole["width"], v.whole["height"]
	if float64(width)*float64(height) > maxN {
		return plan{}, fmt.Errorf("%d by %d vertices; at most %d", width, height, uint64(MaxVertices))
	}
	n := width * height
	keep := v.real["keep"]
	if err := b.room(n, float64(n)*2*keep, 2); err != nil {
		return plan{}, err
	}
	r, t := newRNG(v.whole["seed"], streamEdges), threshold(keep)
	look := poller{ctx: ctx}
	for u := range n {
		if err := look.after(1); err != nil {
			return plan{}, err
		}
		if u%width+1 < width && r.chance(t) {
			b.add(uint32(u), uint32(u+1), 0)
		}
		if u+width < n && r.chance(t) {
			b.add(uint32(u), uint32(u+width), 0)
		}
	}
	return plan{n: int(n), undirected: true}, nil
}

// makeSmallWorld connects each vertex to the next degree/2 vertices on a ring. With
// probability rewire an edge goes to a random vertex instead (Watts and Strogatz, Nature
// 1998). Duplicates that result are merged.
func makeSmallWorld(ctx context.Context, v values, b *builder) (plan, error) {
	n, degree := v.whole["n"], v.whole["degree"]
	if degree%2 != 0 {
		return plan{}, fmt.Errorf("degree=%d: expected an even number, half of it on either side", degree)
	}
	if n > 0 && degree > n-1 {
		return plan{}, fmt.Errorf("degree=%d, but a vertex has only %d others", degree, n-1)
	}
	if err := b.room(n, float64(n)*float64(degree/2), 2); err != nil {
		return plan{}, err
	}
	r, t := newRNG(v.whole["seed"], streamEdges), threshold(v.real["rewire"])
	look := poller{ctx: ctx}
	for u := range n {
		if err := look.after(1 + int(degree)); err != nil {
			return plan{}, err
		}
		for k := uint64(1); k <= degree/2; k++ {
			to := (u + k) % n
			if r.chance(t) {
				if to = r.below(n - 1); to >= u {
					to++
				}
			}
			b.add(uint32(u), uint32(to), 0)
		}
	}
	return plan{n: int(n), undirected: true}, nil
}
