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
	for _, group := range x.sets {
		switch group.waits[0].kind {
		case device.WaitMemory:
			x.connectMemory(group)
		case device.WaitBarrier, device.WaitNamed, device.WaitCluster:
			x.connectBarrier(group)
		case device.WaitRegisters:
			x.connectRegisters(group)
		case device.WaitWarp, device.WaitReconverge:
			x.connectLanes(group)
		case device.WaitHeld:
			group.edges = append(group.edges, edge{cause: device.CauseHeld})
		default:
			group.edges = append(group.edges, edge{cause: device.CauseRunning})
		}
	}
}

func (x *explainer) connectMemory(set *set) {
	set.writers = x.writersOf(set)
	if set.waits[0].stale { // the value is there: nobody else has to do anything
		set.edges = append(set.edges, edge{cause: device.CauseStale})
		return
	}
	// The value comes and goes: at another moment this group would not wait, so that no thread is to blame for it.
	if (x.Livelock || x.own(set) == "") && x.contested(set) != "" {
		set.contested = true
		set.edges = append(set.edges, edge{cause: device.CauseRunning})
		return
	}
	// A loop that changes the word that it waits for makes a past of its own: who wrote the word last says nothing then.
	if word := x.own(set); word != "" {
		until := ""
		if t := set.waits[0].text; t != "" {
			until = " until " + x.word(set).Until
		}
		set.edges = append(set.edges, edge{cause: device.CauseRunning, text: fmt.Sprintf("it goes on changing %s itself%s, so it is not known whether it ends", word, until)})
		return
	}
	// What has happened says more than what could: it is asked first.
	phase := x.phaseOf(set)
	if phase == nil { // what an mbarrier was in other phases says nothing of this one
		set.closed = x.closed(set)
		if e, ok := x.pastEdge(set); ok {
			set.edges = append(set.edges, e)
			return
		}
	} else if text := x.overrunText(phase, set); text != "" {
		set.edges = append(set.edges, edge{cause: device.CauseReused, text: text})
		return
	}
	useful := false
	for _, line := range set.writers {
		if line.vain || line.never {
			continue
		}
		useful = true
		// All of them stored the value that ends the wait, and it is not there: somebody has replaced it.
		if len(line.passed.lanes) > 0 && line.value != "" && len(set.words()) == 1 && x.past == nil {
			set.edges = append(set.edges, edge{cause: device.CauseOverwritten, who: line.passed, writer: line})
		}
		for _, h := range line.holders {
			set.edges = append(set.edges, edge{to: h.set, cause: h.cause, who: h.who, writer: line, own: h.own})
		}
	}
	if !useful || len(set.edges) == 0 { // or all who would have done it have, and it was not enough
		// That nobody would write it is said only if all threads were asked.
		cause := device.CauseNoWriter
		if slices.ContainsFunc(set.writers, func(line *writer) bool { return line.unseen > 0 }) {
			cause = device.CauseUnexamined
		}
		set.edges = append(set.edges, edge{cause: cause})
	}
	// Threads that wait for the word themselves matter only if there are no others.
	others := slices.ContainsFunc(set.edges, func(e edge) bool { return !e.own })
	set.edges = slices.DeleteFunc(set.edges, func(e edge) bool { return e.own && others })
	for _, line := range set.writers {
		line.holders = slices.DeleteFunc(line.holders, func(h *holder) bool { return h.own && h.set != set && others })
	}
	slices.SortStableFunc(set.edges, func(a, b edge) int { return rank(a.cause, a.own) - rank(b.cause, b.own) })
	if phase != nil && !slices.ContainsFunc(set.edges, func(e edge) bool {
		return e.to != nil && (e.to != set || x.reachesOthers(e.writer.pc)) || e.cause == device.CauseUnexamined
	}) {
		set.edges = []edge{x.phaseEdge(phase, set)}
	}
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
func (x *explainer) pastEdge(set *set) (edge edge, ok bool) {
	if text, who, known := x.unserved(set); known {
		edge.who.add(who.block, who.index/simt.Lanes, 1<<(who.index%simt.Lanes))
		edge.cause, edge.text = device.CauseNotPassed, text
		return edge, true
	}
	closed := set.closed
	if closed == nil {
		if edge.text = x.unbalanced(set); edge.text != "" {
			edge.cause = device.CauseNotReleased
			return edge, true
		}
		return edge, false
	}
	edge.who.add(closed.by.block, closed.by.index/simt.Lanes, 1<<(closed.by.index%simt.Lanes))
	in := &x.p.Code[closed.pc]
	// An atomic that tests the word and changes it takes something, as a lock does; a store only replaces the value.
	took := in.Op == ir.OpAtomCAS || in.Op == ir.OpAtomExch || slices.Contains(set.waits[0].reads, closed.pc)
	others := slices.ContainsFunc(set.writers, func(w *writer) bool {
		return !w.vain && !w.never && slices.ContainsFunc(w.holders, func(h *holder) bool { return !h.own && h.cause != device.CauseExited })
	})
	edge.own = closed.self // then a set with several words is taken apart
	switch {
	// It waits for another word of the set: the ring that this makes is a better explanation.
	case closed.set == set && !closed.self:
		return edge, false
	case others: // somebody would end the wait, and does not
		return edge, false
	// It closed its own wait: it takes a lock twice, or comes to a barrier again before the others have left it.
	case closed.self && (took || in.Op == ir.OpAtomAdd):
		edge.cause = device.CauseReused
		if took {
			edge.cause = device.CauseNotReleased
		}
	// It took the lock and left the kernel with it.
	case closed.left && took:
		edge.cause = device.CauseNotReleased
	case closed.set != nil && closed.set != set && took: // the graph shows for what that thread waits
		return edge, false
	// A counter that went past the number waited for. If additions and subtractions do not balance, the odd ones are named.
	case in.Op == ir.OpAtomAdd:
		if edge.text = x.unbalanced(set); edge.text == "" {
			edge.cause = device.CauseReused
			return edge, closed.set != nil
		}
		edge.cause = device.CauseNotReleased
	default:
		edge.cause = device.CauseOverwritten
	}
	closed.cause = edge.cause
	return edge, true
}

// connectBarrier adds an edge for each set with threads that a barrier lacks.
func (x *explainer) connectBarrier(s *set) {
	first := s.waits[0]
	// A barrier is one of a block: only threads of the same blocks are missing at it.
	blocks := map[int]bool{}
	for _, t := range s.waits {
		blocks[t.w.Block.ID] = true
		if first.kind == device.WaitCluster {
			for _, b := range t.w.Block.Cluster.Blocks {
				blocks[b.ID] = true
			}
		}
	}
	at := map[*set]int{}
	live := map[[2]int]uint32{}
	for _, other := range x.waits {
		block := other.w.Block.ID
		if !blocks[block] {
			continue
		}
		live[[2]int{block, other.w.Index}] |= other.g.Mask
		there := other.kind == first.kind && other.g.Barrier == first.g.Barrier
		if first.kind == device.WaitCluster && other.w.Block.Cluster.HasCome(other.w.Warp) {
			continue // perhaps it does not wait yet
		}
		// Those that wait at the same barrier have come. With another instruction they are at another kind, which does not
		// match (PTX ISA, bar: bar.red must not be mixed with bar.sync at one barrier).
		if there && !(first.g.Mixed && x.p.Code[other.g.PC].Op != x.p.Code[first.g.PC].Op) {
			continue
		}
		index, ok := at[other.set]
		if !ok {
			index = len(s.edges)
			at[other.set] = index
			s.edges = append(s.edges, edge{to: other.set, cause: causeOf(other)})
		}
		s.edges[index].who.add(block, other.w.Index, other.g.Mask)
	}
	// A barrier of all threads waits for those that have not exited (CUDA C++ Programming Guide, "Independent Thread
	// Scheduling").
	if first.kind != device.WaitNamed {
		return
	}
	// A named barrier counts threads, whichever they are; those that have left never arrive.
	gone := edge{cause: device.CauseExited}
	for block := range blocks {
		for index := range x.g.Threads {
			if live[[2]int{block, index / simt.Lanes}]>>(index%simt.Lanes)&1 == 0 {
				gone.who.add(block, index/simt.Lanes, 1<<(index%simt.Lanes))
			}
		}
	}
	if len(gone.who.lanes) > 0 {
		s.edges = append([]edge{gone}, s.edges...)
	}
	// All threads of the block are there, and they are fewer than the barrier expects.
	if len(s.edges) == 0 {
		s.edges = append(s.edges, edge{cause: device.CauseBarrier})
	}
}

// connectLanes adds an edge for each set with lanes of the same warp that others wait for.
func (x *explainer) connectLanes(s *set) {
	at := map[*set]int{}
	for _, waiting := range s.waits {
		for _, other := range x.byWarp[waiting.w] {
			// Only lanes of the same warp can be named by a mask, or reconverge.
			if other == waiting || other.g.Mask&waiting.g.Missing == 0 {
				continue
			}
			index, ok := at[other.set]
			if !ok {
				index = len(s.edges)
				at[other.set] = index
				s.edges = append(s.edges, edge{to: other.set, cause: causeOf(other)})
			}
			s.edges[index].who.add(other.w.Block.ID, other.w.Index, other.g.Mask&waiting.g.Missing)
		}
	}
}
