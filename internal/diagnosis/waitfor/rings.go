package waitfor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
)

// ring is sets that wait for each other: each has an edge to the next, and the last one to the first.
type ring struct {
	kind  device.CauseKind
	sets  []*set
	pivot *set  // that the text is about
	ids   []int // of the sets, from the smallest on
}

// rings lists the rings in which nobody waits for something else. Of rings of the kind CauseCycle that share sets, it
// has the first.
func (x *explainer) rings() (list []*ring) {
	for _, s := range x.sets {
		sets := x.cycle(s)
		// A ring of which one could be freed from outside is not why the kernel hangs.
		if sets == nil || s.waits[0].g.Mixed || slices.ContainsFunc(sets, hasReason) {
			continue
		}
		found := &ring{sets: sets}
		for _, v := range sets {
			found.ids = append(found.ids, v.id)
		}
		// A ring has no beginning: it is told from its smallest number on, so that it is told once.
		low := slices.Index(found.ids, slices.Min(found.ids))
		found.ids = append(found.ids[low:], found.ids[:low]...)
		found.kind, found.pivot = ringKind(sets)
		known := func(o *ring) bool {
			return o.pivot == found.pivot || found.kind == device.CauseCycle && slices.ContainsFunc(o.sets, func(v *set) bool { return slices.Contains(sets, v) })
		}
		if !slices.ContainsFunc(list, known) {
			list = append(list, found)
		}
	}
	return list
}

// outside lists the sets that wait for a ring and for nobody else, and are in none themselves.
func (x *explainer) outside(r *ring) (ids []int) {
	in := map[*set]bool{}
	for _, v := range r.sets {
		in[v] = true
	}
	// Who waits only for those who wait for the ring belongs to it as well, however long the chain is.
	for grown := true; grown; {
		grown = false
		for _, set := range x.sets {
			if !in[set] && !slices.ContainsFunc(set.edges, func(e edge) bool { return !in[e.to] }) && x.cycle(set) == nil && len(set.edges) > 0 {
				in[set], grown = true, true
				ids = append(ids, set.id)
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// cycle returns sets that wait for each other in a ring, starting with s; nil if there is none.
func (x *explainer) cycle(s *set) []*set {
	// In breadth first, so that the ring that is shown is a shortest one.
	from := map[*set]*set{}
	todo := []*set{s}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for _, edge := range at.edges {
			switch {
			case edge.to == nil:
			case edge.to == s:
				ring := []*set{at}
				for at != s {
					at = from[at]
					ring = append(ring, at)
				}
				slices.Reverse(ring)
				return ring
			case from[edge.to] == nil:
				from[edge.to] = at
				todo = append(todo, edge.to)
			}
		}
	}
	return nil
}

// hasReason reports whether threads outside of the graph would end the wait of a set.
func hasReason(s *set) bool {
	return slices.ContainsFunc(s.edges, func(e edge) bool { return e.to == nil && e.cause != device.CauseBarrier })
}

// ringKind returns why sets that wait for each other do not go on, and the set that shows it.
func ringKind(ring []*set) (device.CauseKind, *set) {
	kind, pivot := device.CauseCycle, slices.MinFunc(ring, func(a, b *set) int { return a.id - b.id })
	for i, s := range ring {
		to := ring[(i+1)%len(ring)]
		for _, edge := range s.edges {
			if edge.to == to && edge.cause != device.CauseWaitsItself && rank(edge.cause, false) < rank(kind, false) {
				kind, pivot = edge.cause, to
			}
		}
	}
	return kind, pivot
}

// text describes the ring, and the sets that wait for it.
func (r *ring) text(others []int) string {
	chain := idsText(append(slices.Clone(r.ids), r.ids[0]), " -> ")
	var text string
	switch {
	case len(r.ids) == 1:
		text = fmt.Sprintf("only threads that wait themselves would end the wait of [%d]", r.ids[0])
	case r.kind == device.CauseReconverge:
		text = fmt.Sprintf("the lanes of [%d] would end the wait, but go on only when the other lanes of their warp have come to where the branch ends, and those wait: %s", r.pivot.id, chain)
	case r.kind == device.CauseBarrier:
		text = fmt.Sprintf("the barrier of [%d] opens only when threads come that wait for what is done after it: %s", r.pivot.id, chain)
	case r.kind == device.CauseMaskMismatch:
		text = fmt.Sprintf("the lanes for which [%d] waits do not come to it: %s", r.pivot.id, chain)
	default:
		text = "each of these waits for the next: " + chain
	}
	switch {
	case len(others) == 1:
		text += fmt.Sprintf("; [%d] waits for one of them", others[0])
	case len(others) > 1:
		text += "; " + idsText(others, ", ") + " wait for one of them"
	}
	return text
}

// shownRing is how many groups of a ring a text shows.
const shownRing = 8

// idsText lists groups by their numbers; of a long list, the last one and those at the beginning.
func idsText(ids []int, between string) string {
	var names []string
	for i, id := range ids {
		if i == shownRing {
			names = append(names, "...")
		}
		if i < shownRing || i == len(ids)-1 {
			names = append(names, fmt.Sprintf("[%d]", id))
		}
	}
	return strings.Join(names, between)
}
