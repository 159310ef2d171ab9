package waitfor

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// edge says that a set waits for threads, and why these do not go on. to is nil if they wait for
// nothing that the graph has.
type edge struct {
	to     *set
	cause  device.CauseKind
	who    threads
	writer *writer // the line that they would execute; nil for a barrier and the like
	own    bool    // they wait for the word themselves
	text   string  // of the cause, if it is known already
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
	if (x.Livelock || x.own(s) == "") && x.contested(s) != "" {
		s.contested = true
		s.edges = append(s.edges, edge{cause: device.CauseRunning})
		return
	}
	if word := x.own(s); word != "" {
		until := ""
		if t := s.waits[0].text; t != "" {
			until = " until " + x.word(s).Until
		}
		s.edges = append(s.edges, edge{cause: device.CauseRunning, text: fmt.Sprintf("it goes on changing %s itself%s, so it is not known whether it ends", word, until)})
		return
	}
	s.closed = x.closed(s)
	if e, ok := x.pastEdge(s); ok {
		s.edges = append(s.edges, e)
		return
	}
	useful := false
	for _, w := range s.writers {
		if w.vain || w.never {
			continue
		}
		useful = true
		if len(w.passed.lanes) > 0 && w.value != "" && len(s.words()) == 1 && x.past == nil {
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

// own returns a word that a set waits for and that its loop changes itself; "" if there is none.
func (x *explainer) own(s *set) string {
	words := s.words()
	for _, t := range s.waits {
		for _, pc := range t.round.steps {
			last := t.round.last[pc]
			if !last.wrote {
				continue
			}
			for m := last.lanes; m != 0; m &= m - 1 {
				if addr := last.addr[bits.TrailingZeros32(m)]; hasKey(words, addr) {
					return x.place(addr).String()
				}
			}
		}
	}
	return ""
}

func hasKey(m map[uint64]int32, key uint64) bool {
	_, ok := m[key]
	return ok
}

// pastEdge returns the edge of a set whose wait cannot end because of what has happened, if the past is known: a lock that
// nobody will give back, a value that was overwritten, a number that was drawn and is not served, a word that one of those
// who wait for it has changed again.
func (x *explainer) pastEdge(s *set) (e edge, ok bool) {
	if text, who, known := x.unserved(s); known {
		e.who.add(who.block, who.index/simt.Lanes, 1<<(who.index%simt.Lanes))
		e.cause, e.text = device.CauseNotPassed, text
		return e, true
	}
	c := s.closed
	if c == nil {
		if e.text = x.unbalanced(s); e.text != "" {
			e.cause = device.CauseNotReleased
			return e, true
		}
		return e, false
	}
	e.who.add(c.by.block, c.by.index/simt.Lanes, 1<<(c.by.index%simt.Lanes))
	in := &x.p.Code[c.pc]
	took := in.Op == ir.OpAtomCAS || in.Op == ir.OpAtomExch || slices.Contains(s.waits[0].reads, c.pc)
	others := slices.ContainsFunc(s.writers, func(w *writer) bool {
		return !w.vain && !w.never && slices.ContainsFunc(w.holders, func(h *holder) bool { return !h.own && h.cause != device.CauseExited })
	})
	e.own = c.self // then a set with several words is taken apart
	switch {
	case c.set == s && !c.self:
		return e, false
	case others: // somebody would end the wait, and does not
		return e, false
	case c.self && (took || in.Op == ir.OpAtomAdd):
		e.cause = device.CauseReused
		if took {
			e.cause = device.CauseNotReleased
		}
	case c.left && took:
		e.cause = device.CauseNotReleased
	case c.set != nil && c.set != s && took: // the graph shows for what that thread waits
		return e, false
	case in.Op == ir.OpAtomAdd:
		if e.text = x.unbalanced(s); e.text == "" {
			e.cause = device.CauseReused
			return e, c.set != nil
		}
		e.cause = device.CauseNotReleased
	default:
		e.cause = device.CauseOverwritten
	}
	c.cause = e.cause
	return e, true
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
