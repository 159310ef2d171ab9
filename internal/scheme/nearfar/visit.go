package nearfar

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// rows are arcs of vertices of a warp's lanes: each lane has some of one vertex, and what that sends.
type rows[V gpu.Num] struct {
	v, begin, end uint32
	src           V
}

// visit sends the updates of the near list. All threads of the GPU call it, and a barrier of all blocks has passed when it returns.
func (s *search[A, W, V]) visit(t gpu.Thread) {
	warp, warps := t.Global()/gpu.WarpSize, t.Stride()/gpu.WarpSize
	each := share(s.vertices, warps)
	for first := warp * each; first < s.vertices; first += warps * each {
		i, place := first+t.Lane(), uint32(0)
		var r rows[V]
		if t.Lane() < each && i < s.vertices {
			place = s.block.front.place(i, s.p.Others)
			r = s.sender(place)
			r.begin, r.end = s.out.Row[r.v], s.out.Row[r.v+1]
		}
		if s.run.Long {
			s.hold(t, place, &r)
		}
		s.relax(t, r, func(v uint32) { s.mark(v) })
	}
	if !s.run.Long {
		s.grid.Wait(t)
		return
	}
	s.release(t)
	s.grid.WaitThen(t, func() {
		s.block.pieces, s.block.full = 0, noPlace
		s.block.long = gpu.Load(&s.m.Counts[piecesCount])
	})
	if count := s.block.long; count > 0 {
		s.visitPieces(t, count)
		s.grid.Wait(t)
	}
}

// share returns how many of n things a warp takes at a time, at most one for each lane, so that all warps have as many in all, or almost.
func share(n, warps uint32) uint32 {
	times := (n + warps*gpu.WarpSize - 1) / (warps * gpu.WarpSize)
	return (n + warps*max(times, 1) - 1) / (warps * max(times, 1))
}

// visitPieces sends the updates of the parts of long rows.
func (s *search[A, W, V]) visitPieces(t gpu.Thread, count uint32) {
	warp, warps := t.Global()/gpu.WarpSize, t.Stride()/gpu.WarpSize
	each := share(count, warps)
	for first := warp * each; first < count; first += warps * each {
		var r rows[V]
		if t.Lane() < each && first+t.Lane() < count {
			if p := s.m.piece(first + t.Lane()); p.begin < p.end {
				r = s.sender(p.place)
				r.begin, r.end = p.begin, p.end
			}
		}
		s.relax(t, r, func(v uint32) { s.mark(v) })
	}
}

// sender returns a vertex of the near list with what it sends, its value, and no arcs.
func (s *search[A, W, V]) sender(place uint32) rows[V] {
	v, x := scheduler.GetPair[V](s.p.Inbox, place)
	return rows[V]{v: v, src: x}
}

// mark records that a vertex was improved.
func (s *search[A, W, V]) mark(v uint32) {
	gpu.AtomicOr(&s.m.Marks[v/gpu.WarpSize], 1<<(v%gpu.WarpSize))
}

// relax sends the updates of the arcs of all lanes, and calls change for each vertex that was improved, which may be the same one several times. The lanes have equal parts of these arcs, whatever vertices they are of (Merrill,
// Garland and Grimshaw, Scalable GPU Graph Traversal, PPoPP 2012). All lanes of a warp must call it together.
func (s *search[A, W, V]) relax(t gpu.Thread, r rows[V], change func(v uint32)) {
	upTo := scheduler.SumUpTo(t, r.end-r.begin)
	all := gpu.Shfl(t, gpu.FullMask, upTo, gpu.WarpSize-1)
	for base := t.Lane(); base-t.Lane() < all; base += wave * gpu.WarpSize {
		var index, of, to [wave]uint32
		var ok [wave]bool
		for k := range uint32(wave) {
			i := base + k*gpu.WarpSize
			of[k], index[k] = scheduler.ArcAt(t, i, upTo, r.end)
			ok[k] = i < all
		}
		for k := range uint32(wave) {
			if ok[k] {
				to[k] = s.out.Col[s.run.Stride*index[k]]
			}
		}
		var update, old [wave]V
		for k := range uint32(wave) {
			from, src := gpu.Shfl(t, gpu.FullMask, r.v, of[k]), gpu.Shfl(t, gpu.FullMask, r.src, of[k])
			if ok[k] {
				edge := s.out.Edge(s.run.Stride*index[k]+s.run.Stride-1, from, to[k])
				edge.Phase = s.now
				update[k], ok[k] = s.alg.Compute(edge, src)
			}
		}
		// Most updates come too late to change anything: all of them look first, together.
		for k := range uint32(wave) {
			if ok[k] {
				old[k] = gpu.Load(&s.values[to[k]])
			}
		}
		for k := range uint32(wave) {
			ok[k] = ok[k] && s.alg.Combine(old[k], update[k]) != old[k]
		}
		for k := range uint32(wave) {
			if ok[k] {
				old[k] = s.combine(&s.values[to[k]], update[k])
			}
		}
		for k := range uint32(wave) {
			if next := s.alg.Combine(old[k], update[k]); ok[k] && next != old[k] && s.alg.Active(to[k], old[k], next) {
				change(to[k])
			}
		}
	}
}

// Way is how an update is combined into a value. Both of its methods return a constant.
type Way interface {
	Least() bool
	Most() bool
}

// Least is for algorithms with the Update of scheduler.Min, Most for those with that of scheduler.Max, and Own for those that have one of their own.
type (
	Least struct{}
	Most  struct{}
	Own   struct{}
)

// Least returns true.
func (Least) Least() bool { return true }

// Most returns false.
func (Least) Most() bool { return false }

// Least returns false.
func (Most) Least() bool { return false }

// Most returns true.
func (Most) Most() bool { return true }

// Least returns false.
func (Own) Least() bool { return false }

// Most returns false.
func (Own) Most() bool { return false }

// combine combines an update that changed the value when it was looked at, and returns the old value. Update would look again, and a lane's updates would wait for each other.
func (s *search[A, W, V]) combine(p *V, x V) V {
	var way W
	switch {
	case way.Least():
		return gpu.AtomicMin(p, x)
	case way.Most():
		return gpu.AtomicMax(p, x)
	}
	return s.alg.Update(p, x)
}
