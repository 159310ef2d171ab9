package bitmap

import "github.com/weft-gpu/weft/gpu"

// signatures are those of the ends of the arcs of a lane.
type signatures struct {
	intoSource, intoTarget, outOfSource, outOfTarget [wave]uint32
}

// signatures returns the signatures of the ends of arcs, and 0 where there is no arc. The loads are under way together. The L1 may answer: after a barrier it knows what was
// stored before, and if a signature changes, another sweep follows.
func (p *peel) signatures(x links) (s signatures) {
	for k := range uint32(wave) {
		if x.ok[k] {
			s.intoSource[k], s.outOfSource[k] = p.seen(x.source[k], into), p.seen(x.source[k], outOf)
			s.intoTarget[k], s.outOfTarget[k] = p.seen(x.target[k], into), p.seen(x.target[k], outOf)
		}
	}
	return s
}

// seen returns a word of a signature as this SM knows it.
func (p *peel) seen(v, word uint32) uint32 {
	return gpu.Load(&p.l.Signatures[signatureWords*v+word], gpu.BlockScope) //weft:racy an old signature is one that the vertex had, and the sweep that raises one is not the last
}

// spread passes on signatures along the arcs. A block sweeps several times over its own ones, without a barrier of all blocks, as long as any changes.
func (p *peel) spread(t gpu.Thread) {
	now, _ := p.lists(p.l.Arcs, p.l.NextArcs)
	from, to := p.part(t, p.arcs)
	moved := false
	for i := uint32(0); i < p.how.Local || p.alone; i++ {
		if !t.SyncOr(p.sweep(t, now, from, to)) {
			break
		}
		moved = true
	}
	if t.Idx() == 0 && moved && !p.alone {
		gpu.Store(&p.set(p.step)[changes], 1)
	}
}

// sweep passes on signatures along the arcs of a part of a list, and reports whether any changed.
func (p *peel) sweep(t gpu.Thread, list []uint32, from, to uint32) (changed bool) {
	for base := from + t.Idx(); base < to; base += wave * t.BlockDim() {
		var x links
		x.load(t, list, base, to)
		s := p.signatures(x)
		var in, out [wave]uint32
		for k := range uint32(wave) {
			in[k] = p.beyond(max(s.intoSource[k], s.intoTarget[k]), into)
			out[k] = p.beyond(max(s.outOfSource[k], s.outOfTarget[k]), outOf)
		}
		for k := range uint32(wave) {
			// A vertex without a signature has left the graph, and neither takes one nor gives one.
			live := s.intoSource[k] > 0 && s.intoTarget[k] > 0
			if live && in[k] > s.intoTarget[k] {
				gpu.AtomicMax(&p.l.Signatures[signatureWords*x.target[k]+into], in[k])
				changed = true
			}
			if live && out[k] > s.outOfSource[k] {
				gpu.AtomicMax(&p.l.Signatures[signatureWords*x.source[k]+outOf], out[k])
				changed = true
			}
		}
	}
	return changed
}

// beyond returns the signature of a vertex that is in another one's: what leads to the vertex leads on to that one. So a signature passes many arcs at once (path compression).
func (p *peel) beyond(rank, word uint32) uint32 {
	if rank == 0 {
		return 0
	}
	return max(rank, p.seen(p.order.vertex(rank), word))
}

// order is an order of the vertices: a permutation of the numbers below a power of 2 in three steps that can be undone. Signatures have ranks, which are these numbers plus 1. With
// another order in each round, a chain of components is cut in several places whatever the numbers of its vertices are.
type order struct{ add, mask, shift, factor, inverse uint32 }

// Two odd numbers whose product is 1.
const (
	mixFactor  = 0x9e3779b1
	mixInverse = 0x0e8b2f51
)

// orderOf returns the order of a round: a random one, or in the rounds before that, that of the numbers.
func orderOf(vertices, round, random uint32) order {
	bits := gpu.WarpSize - gpu.LeadingZeros(max(vertices, 2)-1)
	o := order{mask: ^uint32(0) >> (gpu.WarpSize - bits), shift: gpu.WarpSize - 1, factor: 1, inverse: 1}
	if round >= random {
		o = order{add: round * 0x6c8e9cf5, mask: o.mask, shift: (bits + 1) / 2, factor: mixFactor, inverse: mixInverse}
	}
	return o
}

// rank returns the rank of a vertex, from 1.
func (o order) rank(v uint32) uint32 {
	x := (v + o.add) * o.factor & o.mask
	x ^= x >> o.shift
	return x*o.factor&o.mask + 1
}

// vertex returns the vertex of a rank.
func (o order) vertex(rank uint32) uint32 {
	x := (rank - 1) * o.inverse & o.mask
	x ^= x >> o.shift
	return (x*o.inverse - o.add) & o.mask
}
