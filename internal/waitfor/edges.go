package waitfor

import (
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/simt"
)

// edge says that a set waits for threads, and why these do not go on. to is nil if they wait for
// nothing that the graph has.
type edge struct {
	to     *set
	cause  device.CauseKind
	who    threads
	writer *writer // the line that they would execute; nil for a barrier and the like
	own    bool    // they wait for the word themselves
}

// connect finds what each set waits for.
func (x *explainer) connect() {
	for _, s := range x.sets {
		switch s.waits[0].kind {
		case device.WaitMemory:
			x.connectMemory(s)
		case device.WaitBarrier, device.WaitNamed:
			x.connectBarrier(s)
		case device.WaitWarp, device.WaitReconverge:
			x.connectLanes(s)
		case device.WaitHeld:
			s.edges = append(s.edges, edge{cause: device.CauseHeld})
		default:
			s.edges = append(s.edges, edge{cause: device.CauseRunning})
		}
	}
}

func (x *explainer) connectMemory(s *set) {
	s.writers = x.writersOf(s)
	if s.waits[0].stale { // the value is there: nobody else has to do anything
		s.edges = append(s.edges, edge{cause: device.CauseStale})
		return
	}
	useful := false
	for _, w := range s.writers {
		if w.vain || w.never {
			continue
		}
		useful = true
		if len(w.passed.lanes) > 0 && w.value != "" && len(s.words()) == 1 {
			s.edges = append(s.edges, edge{cause: device.CauseOverwritten, who: w.passed, writer: w})
		}
		for _, h := range w.holders {
			s.edges = append(s.edges, edge{to: h.set, cause: h.cause, who: h.who, writer: w, own: h.own})
		}
	}
	if !useful || len(s.edges) == 0 { // or all who would have done it have, and it was not enough
		cause := device.CauseNoWriter
		if slices.ContainsFunc(s.writers, func(w *writer) bool { return w.unseen > 0 }) {
			cause = device.CauseUnexamined
		}
		s.edges = append(s.edges, edge{cause: cause})
	}
	// Threads that wait for the word themselves matter only if there are no others.
	others := slices.ContainsFunc(s.edges, func(e edge) bool { return !e.own })
	s.edges = slices.DeleteFunc(s.edges, func(e edge) bool { return e.own && others })
	for _, w := range s.writers {
		w.holders = slices.DeleteFunc(w.holders, func(h *holder) bool { return h.own && h.set != s && others })
	}
	slices.SortStableFunc(s.edges, func(a, b edge) int { return rank(a.cause, a.own) - rank(b.cause, b.own) })
}

// connectBarrier adds an edge for each set with threads that a barrier lacks.
func (x *explainer) connectBarrier(s *set) {
	first := s.waits[0]
	blocks := map[int]bool{}
	for _, t := range s.waits {
		blocks[t.w.Block.ID] = true
	}
	at := map[*set]int{}
	live := map[[2]int]uint32{}
	for _, v := range x.waits {
		block := v.w.Block.ID
		if !blocks[block] {
			continue
		}
		live[[2]int{block, v.w.Index}] |= v.g.Mask
		there := v.kind == first.kind && v.g.Barrier == first.g.Barrier
		if there && !(first.g.Mixed && x.p.Code[v.g.PC].Op != x.p.Code[first.g.PC].Op) {
			continue
		}
		i, ok := at[v.set]
		if !ok {
			i = len(s.edges)
			at[v.set] = i
			s.edges = append(s.edges, edge{to: v.set, cause: causeOf(v)})
		}
		s.edges[i].who.add(block, v.w.Index, v.g.Mask)
	}
	if first.kind != device.WaitNamed {
		return
	}
	// A named barrier counts threads, whichever they are; those that have left never arrive.
	gone := edge{cause: device.CauseExited}
	for block := range blocks {
		for i := range x.g.Threads {
			if live[[2]int{block, i / simt.Lanes}]>>(i%simt.Lanes)&1 == 0 {
				gone.who.add(block, i/simt.Lanes, 1<<(i%simt.Lanes))
			}
		}
	}
	if len(gone.who.lanes) > 0 {
		s.edges = append([]edge{gone}, s.edges...)
	}
	if len(s.edges) == 0 {
		s.edges = append(s.edges, edge{cause: device.CauseBarrier})
	}
}

// connectLanes adds an edge for each set with lanes of the same warp that others wait for.
func (x *explainer) connectLanes(s *set) {
	at := map[*set]int{}
	for _, t := range s.waits {
		for _, v := range x.byWarp[t.w] {
			if v == t || v.g.Mask&t.g.Missing == 0 {
				continue
			}
			i, ok := at[v.set]
			if !ok {
				i = len(s.edges)
				at[v.set] = i
				s.edges = append(s.edges, edge{to: v.set, cause: causeOf(v)})
			}
			s.edges[i].who.add(v.w.Block.ID, v.w.Index, v.g.Mask&t.g.Missing)
		}
	}
}
