package simdx

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// This file has the persistent kernels with the filters that the paper compares with (sections
// 4 and 8). They are kernels of their own, so that those of the scheme do not have their
// registers.

// filters says which filters a persistent kernel has; the compiler leaves the others out.
type filters interface {
	// Baseline reports whether they are those of the comparison. It must return a constant.
	Baseline() bool
}

// ownFilters are those of the scheme, and otherFilters those that it is compared with;
// Run.Filter says which one of them.
type (
	ownFilters   struct{}
	otherFilters struct{}
)

func (ownFilters) Baseline() bool   { return false }
func (otherFilters) Baseline() bool { return true }

// PushBaseline is Push with the atomic, the strided or Khorasani's filter.
func PushBaseline[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, out, in scheduler.Graph, values []V, m Memory, run Run) {
	pushWith[A, otherFilters, V](t, alg, out, in, values, m, run)
}

// AllBaseline is All with the atomic, the strided or Khorasani's filter.
func AllBaseline[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, out, in scheduler.Graph, values, next []V, m Memory, run Run) {
	allWith[A, otherFilters, V](t, alg, out, in, values, next, m, run)
}

// scan makes the lists of the marked vertices by a filter of the comparison that scans, and
// returns the size of the frontier.
func (r *rounds) scan(t gpu.Thread, row []uint32) {
	expand := func(v uint32) entry { return whole(row, v) }
	n, out := gpu.Len(r.m.Marks), r.m.lists(r.step, r.m.Push)
	if r.run.Filter == Strided {
		countStrided(t, r.m, r.m.Push, n, r.marked, expand)
		r.barrier.Wait(t)
		r.front = writeStrided(t, r.m, out, n, r.marked, expand)
		r.barrier.Wait(t)
		return
	}
	found := gpu.Shared[news](t)
	reserveByVotes(t, r.m.set(r.step), out, n, r.marked, expand)
	r.barrier.WaitThen(t, func() { r.m.fetch(found, r.step) })
	r.front = found.front
}

// append adds v to the lists of the next frontier, with an atomic for each entry: the atomic
// filter (section 8).
func (n *collector) append(v uint32) {
	e := whole(n.row, v)
	arcs := e.End - e.Begin
	class := n.out.shape.class(arcs)
	for p := range n.out.shape.pieces(arcs) {
		n.put(class, gpu.AtomicAdd(&n.counts[class], 1), n.out.shape.piece(e, p))
	}
	gpu.AtomicAdd(&n.counts[arcsCount], arcs)
}

// SendAtomic is Send with the atomic filter, without fusion.
func SendAtomic[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, m Memory, run Run, n uint32) {
	var mapping M
	m.clear(t, run.Step+2)
	found := open(t, m, false)
	found.atomic = true
	found.begin(run.Step+1, run.Iteration+1, g.Row)
	s := sender[A, V]{alg: alg, g: g, values: values, phase: run.Phase}
	from := m.lists(run.Step, m.Push)
	switch mapping.Team() {
	case scheduler.OneThread:
		sendSmall(t, s, from, n, grid(t), &found)
	case scheduler.OneWarp:
		sendMedium(t, s, from, n, grid(t), &found)
	case scheduler.OneBlock:
		sendLarge(t, s, from, n, grid(t), &found)
	}
}
