package waitfor

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// finder finds the threads that may come to an instruction: those that wait, those that have not started, and those that
// have ended.
type finder struct {
	*reader
	branches []int32
	classes  map[thread]string  // the ways of threads, as text
	ways     map[string]choices // by that text
	reached  map[string][]bool
	effort   int      // for threads that have not started or have ended; see crowd
	past     *History // what has happened to the words that are waited for; nil if the launch could not be run again
}

// writer is an instruction that may change the words that a set waits for.
type writer struct {
	pc      int32
	holders []*holder
	passed  threads // have executed it already
	value   string  // what all of these stored, if it is known to end the wait
	never   bool    // no thread will execute it for these words without waiting for them first
	vain    bool    // what it stores does not end the wait
	done    bool    // a thread may have executed it for these words, and will not again
	other   bool    // threads can reach it, and write other words
	unseen  int     // threads of which it is not known: there are too many to examine all
}

// holder is a set of threads that would execute a writer.
type holder struct {
	cause device.CauseKind
	set   *set // in which they wait; nil if they do not
	own   bool // they wait for the word themselves, or will before they get there; see rivals
	who   threads
}

// writersOf finds the instructions that may change the words of a set and could end its wait, and
// who would execute them.
func (x *finder) writersOf(s *set) (list []*writer) {
	words := s.words()
	for pc := range x.p.Code {
		in := &x.p.Code[pc]
		if in.Op != ir.OpStore && !in.Op.IsAtomic() || x.idle(int32(pc)) || !mayReach(x.g, in, words) {
			continue
		}
		w := &writer{pc: int32(pc)}
		x.holders(s, w, words)
		list = append(list, w)
	}
	return list
}

// idle reports whether an atomic only reads.
func (x *finder) idle(pc int32) bool {
	in := &x.p.Code[pc]
	value := func(i int) (uint64, bool) { return x.value(use{pc, i}, thread{}) }
	switch in.Op {
	case ir.OpAtomAdd, ir.OpAtomOr, ir.OpAtomXor:
		v, ok := value(1)
		return ok && v == 0 && in.Src[1] < 0
	case ir.OpAtomCAS:
		a, ok1 := value(1)
		b, ok2 := value(2)
		return ok1 && ok2 && a == b && in.Src[1] < 0 && in.Src[2] < 0
	}
	return false
}

// mayReach reports whether an access may reach one of the words: by the buffer or the variable
// that it must stay in.
func mayReach(g *simt.Grid, in *ir.Inst, words map[uint64]int32) bool {
	for addr := range words {
		space := simt.SpaceOf(addr)
		if in.Root < 0 {
			if in.Mem.Space == ir.Generic || in.Mem.Space == space {
				return true
			}
			continue
		}
		if r := &g.Roots[in.Root]; r.Space == space && addr-r.Lo < r.Bytes {
			return true
		}
	}
	return false
}

// hits reports whether a thread's access may reach a word, by its address as far as it is known.
func (x *finder) hits(pc int32, t thread, words map[uint64]int32) bool {
	in := &x.p.Code[pc]
	base, ok := x.value(use{pc, 0}, t)
	if !ok {
		return true
	}
	for i := range int(max(in.Mem.Vec, 1)) {
		if _, hit := words[base+uint64(in.Imm)+uint64(i*in.Mem.Kind.Bytes())]; hit {
			return true
		}
	}
	return false
}

// helps reports whether what a thread stores could end the wait, and what it is if that is known
// for sure.
func (x *finder) helps(s *set, pc int32, t thread) (yes bool, value string) {
	in, first := &x.p.Code[pc], s.waits[0]
	i := 1
	switch in.Op {
	case ir.OpStore, ir.OpAtomExch:
	case ir.OpAtomCAS:
		i = 2
	default:
		return true, ""
	}
	v, ok := x.value(use{pc, i}, t)
	if !ok || in.Mem.Vec > 1 {
		return true, ""
	}
	if len(first.blocked) > 0 {
		return x.unblocks(s, pc, t, v)
	}
	for _, read := range first.reads {
		last := first.round.last[read]
		for m := last.lanes; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			if base, known := x.value(use{pc, 0}, t); known && len(first.reads) > 1 && base+uint64(in.Imm) != last.addr[lane] {
				continue // it writes another of the words
			}
			leaves, known := first.cond.leaves(lane, read, v)
			if !known {
				return true, ""
			}
			if leaves {
				return true, number(in.Mem.Kind, v)
			}
		}
	}
	return false, ""
}

// class returns the ways that a thread can take, and a text that is equal for threads with the
// same ways.
func (x *finder) class(t thread) (string, choices) {
	key, ok := x.classes[t]
	if !ok {
		key, _ = x.classOf(t)
		x.classes[t] = key
	}
	return key, x.ways[key]
}

// classOf is class for a thread that is examined once.
func (x *finder) classOf(t thread) (string, choices) {
	c := x.static.ways(x.branches, t)
	var s strings.Builder
	for _, pc := range x.branches {
		s.WriteByte('0' + c[pc])
	}
	key := s.String()
	if x.ways[key] == nil {
		x.ways[key] = c
	}
	return key, x.ways[key]
}

// from returns the instructions that a class of threads may execute from some on, without those
// in avoid.
func (x *finder) from(start []int32, class string, ways choices, name string, avoid func(int32) bool) []bool {
	key := fmt.Sprint(start) + "|" + class + "|" + name
	r, ok := x.reached[key]
	if !ok {
		r = x.reach(start, ways, avoid)
		x.reached[key] = r
	}
	return r
}

// next returns where a waiting group continues if its wait ends.
func (x *finder) next(t *wait) (start []int32) {
	add := func(pc int32) {
		if pc >= 0 && !slices.Contains(start, pc) {
			start = append(start, pc)
		}
	}
	switch {
	case t.kind == device.WaitHeld, t.kind == device.WaitTurn, t.kind == device.WaitReconverge:
		add(t.g.PC)
	case t.round != nil:
		for _, pc := range t.round.steps {
			for _, s := range x.succs(pc) {
				if s >= 0 && !t.round.in[s] {
					add(s)
				}
			}
		}
	default:
		add(x.succs(t.g.PC)[0])
	}
	return start
}

// entry is where threads begin.
var entry = []int32{0}

// holders finds the threads that would execute a writer.
func (x *finder) holders(s *set, w *writer, words map[uint64]int32) {
	loop := s.waits[0].round
	inLoop := func(pc int32) bool { return loop.in[pc] }
	name := fmt.Sprintf("loop %d", s.waits[0].pc)
	shared := simt.SpaceOf(anyOf(words)) == ir.Shared
	mine := map[int]bool{}
	for _, t := range s.waits {
		mine[t.w.Block.ID] = true
	}
	// Threads that would come to the writer only through this loop wait there themselves, if it is
	// for the same words.
	before := func(start []int32, t thread, class string, ways choices) []bool {
		if slices.ContainsFunc(s.waits[0].reads, func(pc int32) bool { return x.hits(pc, t, words) }) {
			return x.from(start, class, ways, name, inLoop)
		}
		return x.from(start, class, ways, "", nil)
	}
	may := false // a thread may get to it, as far as its branches are known
	try := func(t thread, reached []bool) (does, helps bool, value string) {
		if !reached[w.pc] {
			return false, false, ""
		}
		if yes, ok := x.guarded(w.pc, t); ok && !yes {
			return false, false, ""
		}
		if !x.hits(w.pc, t, words) {
			w.other = true
			return false, false, ""
		}
		may = true
		helps, value = x.helps(s, w.pc, t)
		w.vain = w.vain || !helps
		return true, helps, value
	}
	others := x.rivals(s, words)
	vain, futile := true, false
	at := map[string]*holder{}
	holding := func(cause device.CauseKind, in *set, own bool) *holder {
		key := fmt.Sprint(cause, own)
		if in != nil {
			key += fmt.Sprint(in.id)
		}
		h := at[key]
		if h == nil {
			h = &holder{cause: cause, set: in, own: own}
			at[key] = h
			w.holders = append(w.holders, h)
		}
		return h
	}
	sure := "" // what those who have passed stored
	passed := func(t thread, class string, ways choices, value string, here int32) bool {
		if x.past != nil {
			if x.past.did(w.pc, words, t.block, t.index/simt.Lanes)>>(t.index%simt.Lanes)&1 == 0 {
				return false
			}
			sure, w.done = value, true
			return true
		}
		yes, ok := x.guarded(w.pc, t)
		if !ok || !yes {
			return false
		}
		if _, known := x.value(use{w.pc, 0}, t); !known {
			return false
		}
		around := x.from(entry, class, ways, fmt.Sprintf("around %d", w.pc), func(pc int32) bool { return pc == w.pc })
		if here < 0 && x.ends(around, ways) || here >= 0 && (around[here] || here == w.pc) {
			return false
		}
		sure, w.done = value, true
		return true
	}
	live := map[[2]int]uint32{}
	for _, v := range x.waits {
		block := v.w.Block.ID
		live[[2]int{block, v.w.Index}] |= v.g.Mask
		if shared && !mine[block] {
			continue
		}
		start, all := x.next(v), map[string][]bool{}
		for m := v.g.Mask; m != 0; m &= m - 1 {
			t := thread{block, v.w.Index*simt.Lanes + bits.TrailingZeros32(m)}
			class, ways := x.class(t)
			if all[class] == nil {
				all[class] = x.from(entry, class, ways, "", nil)
			}
			if does, helps, _ := try(t, before(start, t, class, ways)); does && helps {
				vain = false
				own := v.set == s || others.waits(v, t) || !others.around(x, start, t, class, ways)[w.pc]
				holding(causeOf(v), v.set, own).who.add(block, v.w.Index, m&-m)
			}
			if yes, ok := x.guarded(w.pc, t); !all[class][w.pc] || ok && !yes {
				continue
			}
			if !x.hits(w.pc, t, words) {
				w.other = true
				continue
			}
			if helps, value := x.helps(s, w.pc, t); helps {
				w.done = true
				if passed(t, class, ways, value, v.g.PC) {
					w.passed.add(block, v.w.Index, m&-m)
				}
			} else {
				futile = true
			}
		}
	}
	d := x.matters(w.pc, others.reads(s))
	rest := func(started bool) {
		c := x.crowd(started, d, live, func(block int) bool { return !shared || mine[block] })
		w.unseen += c.each(func(t thread, all *alike) int {
			if w.other && !x.hits(w.pc, t, words) { // most threads of a large grid
				return 1
			}
			class, ways := x.classOf(t)
			if !started {
				if does, helps, _ := try(t, before(entry, t, class, ways)); does && helps {
					vain = false
					h := holding(device.CauseNotResident, nil, !others.around(x, entry, t, class, ways)[w.pc])
					all.each(h.who.add)
				}
				return len(x.branches) + 1
			}
			if does, helps, value := try(t, x.from(entry, class, ways, "", nil)); does && helps {
				vain = false
				switch {
				case x.past != nil:
					x.ended(w, words, all, func() *holder { return holding(device.CauseExited, nil, false) })
					sure, w.done = value, w.done || len(w.passed.lanes) > 0
				case passed(t, class, ways, value, -1):
					all.each(w.passed.add)
				default:
					h := holding(device.CauseExited, nil, false)
					all.each(h.who.add)
				}
			}
			return len(x.branches) + 1
		})
	}
	rest(false)
	rest(true)
	w.value, w.never, w.vain = sure, !may, vain && (may || futile && !w.done)
	slices.SortStableFunc(w.holders, func(a, b *holder) int { return rank(a.cause, a.own) - rank(b.cause, b.own) })
}

// ended tells threads that have left after they had executed a writer from those that have left without it.
func (x *finder) ended(w *writer, words map[uint64]int32, all *alike, exited func() *holder) {
	all.each(func(block, warp int, lanes uint32) {
		did := x.past.did(w.pc, words, block, warp) & lanes
		if did != 0 {
			w.passed.add(block, warp, did)
		}
		if lanes &^= did; lanes != 0 {
			exited().who.add(block, warp, lanes)
		}
	})
}
