package waitfor

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// entry is where threads begin.
var entry = []int32{0}

// search finds the threads that would execute a writer for the words of a set, and those that have executed it.
type search struct {
	*finder
	set    *set
	writer *writer
	words  map[uint64]int32
	rivals *rivals
	blocks map[int]bool       // that can write the words; nil: all can
	live   map[[2]int]uint32  // by block and warp: the lanes that have started and not ended
	byKey  map[string]*holder // by cause and set
	loop   string             // names the loop of the set where it is avoided
	may    bool               // a thread may get to the writer, as far as its branches are known
	helps  bool               // what one of them would store ends the wait
	futile bool               // one that was there stored what did not
	sure   string             // what those who have executed it stored, if that ends the wait
}

// holders finds the threads that would execute a writer.
func (x *finder) holders(set *set, writer *writer, words map[uint64]int32) {
	f := &search{finder: x, set: set, writer: writer, words: words, rivals: x.rivals(set, words), live: map[[2]int]uint32{}, byKey: map[string]*holder{}, loop: fmt.Sprintf("loop %d", set.waits[0].pc)}
	if simt.SpaceOf(anyOf(words)) == ir.Shared {
		// Shared memory belongs to a block: threads of other blocks cannot write the words (CUDA C++ Programming Guide, "Memory
		// Hierarchy"), unless they are of its cluster.
		f.blocks = map[int]bool{}
		for _, t := range set.waits {
			for size, i := max(x.g.Cluster, 1), 0; i < size; i++ {
				f.blocks[t.w.Block.ID-t.w.Block.ID%size+i] = true
			}
		}
	}
	// Those that wait come first: they fill live, which tells the threads of a block that have ended from those that wait.
	for _, t := range x.waits {
		f.waiting(t)
	}
	f.others(false)
	f.others(true)
	writer.value, writer.never = f.sure, !f.may
	writer.vain = !f.helps && (f.may || f.futile && !writer.done)
	slices.SortStableFunc(writer.holders, func(a, b *holder) int { return rank(a.cause, a.own) - rank(b.cause, b.own) })
}

// inside reports whether threads of a block can write the words.
func (f *search) inside(block int) bool { return f.blocks == nil || f.blocks[block] }

// before returns what a thread may execute from some instructions on. A thread that would come to the writer only through the
// loop of the set waits there itself, if it is for the same words: what lies behind the loop is then left out.
func (f *search) before(start []int32, thread thread, class string, ways choices) []bool {
	first := f.set.waits[0]
	if slices.ContainsFunc(first.reads, func(pc int32) bool { return f.hits(pc, thread, f.words) }) {
		return f.from(start, class, ways, f.loop, func(pc int32) bool { return first.round.in[pc] })
	}
	return f.from(start, class, ways, "", nil)
}

// try reports whether a thread would execute the writer, whether that ends the wait, and what it stores then if that is known.
func (f *search) try(thread thread, reached []bool) (does, helps bool, value string) {
	writer := f.writer
	if !reached[writer.pc] {
		return false, false, ""
	}
	if yes, known := f.guarded(writer.pc, thread); known && !yes {
		return false, false, ""
	}
	if !f.hits(writer.pc, thread, f.words) {
		writer.other = true
		return false, false, ""
	}
	f.may = true
	helps, value = f.finder.helps(f.set, writer.pc, thread)
	f.helps = f.helps || helps
	return true, helps, value
}

// holding returns the holder for threads of a set that do not end the wait for the same cause.
func (f *search) holding(cause device.CauseKind, in *set, own bool) *holder {
	key := fmt.Sprint(cause, own)
	if in != nil {
		key += fmt.Sprint(in.id)
	}
	h := f.byKey[key]
	if h == nil {
		h = &holder{cause: cause, set: in, own: own}
		f.byKey[key] = h
		f.writer.holders = append(f.writer.holders, h)
	}
	return h
}

// passed reports whether a thread that is at an instruction, or has ended if here is negative, has executed the writer for the
// words. value is what it stored.
func (f *search) passed(thread thread, class string, ways choices, value string, here int32) bool {
	writer := f.writer
	if f.past != nil { // it was seen
		if f.past.did(writer.pc, f.words, thread.block, thread.index/simt.Lanes)>>(thread.index%simt.Lanes)&1 == 0 {
			return false
		}
		f.sure, writer.done = value, true
		return true
	}
	// Without a record it is sure only if the thread executes the writer, with an address that is known, on each way to where it
	// is now.
	yes, known := f.guarded(writer.pc, thread)
	if !known || !yes {
		return false
	}
	if _, known := f.value(use{writer.pc, 0}, thread); !known {
		return false
	}
	around := f.from(entry, class, ways, fmt.Sprintf("around %d", writer.pc), func(pc int32) bool { return pc == writer.pc })
	if here < 0 && f.ends(around, ways) || here >= 0 && (around[here] || here == writer.pc) {
		return false
	}
	f.sure, writer.done = value, true
	return true
}

// waiting looks at the threads of a wait: they may come to the writer once their own wait ends, and may have been there.
func (f *search) waiting(wait *wait) {
	block, writer := wait.w.Block.ID, f.writer
	f.live[[2]int{block, wait.w.Index}] |= wait.g.Mask
	if !f.inside(block) {
		return
	}
	start, all := f.next(wait), map[string][]bool{}
	for mask := wait.g.Mask; mask != 0; mask &= mask - 1 {
		one := thread{block, wait.w.Index*simt.Lanes + bits.TrailingZeros32(mask)}
		class, ways := f.class(one)
		if all[class] == nil {
			all[class] = f.from(entry, class, ways, "", nil)
		}
		// Where it can go from here decides what it would still do, where it can go from the entry what it may have done.
		if does, helps, _ := f.try(one, f.before(start, one, class, ways)); does && helps {
			// Nobody waits for one who has to get what all wait for first: it counts only if there is no other.
			own := wait.set == f.set || f.rivals.waits(wait, one) || !f.rivals.around(f.finder, start, one, class, ways)[writer.pc]
			f.holding(causeOf(wait), wait.set, own).who.add(block, wait.w.Index, mask&-mask)
		}
		if yes, known := f.guarded(writer.pc, one); !all[class][writer.pc] || known && !yes {
			continue
		}
		if !f.hits(writer.pc, one, f.words) {
			writer.other = true
			continue
		}
		helps, value := f.finder.helps(f.set, writer.pc, one)
		if !helps {
			f.futile = true
			continue
		}
		writer.done = true
		if f.passed(one, class, ways, value, wait.g.PC) {
			writer.passed.add(block, wait.w.Index, mask&-mask)
		}
	}
}

// others looks at the threads that have ended, if started is set, or else at those that have not started.
func (f *search) others(started bool) {
	writer := f.writer
	group := f.crowd(started, f.matters(writer.pc, f.rivals.reads(f.set)), f.live, f.inside)
	writer.unseen += group.each(func(t thread, all *alike) int {
		if writer.other && !f.hits(writer.pc, t, f.words) { // most threads of a large grid
			return 1
		}
		class, ways := f.classOf(t)
		if started {
			f.over(t, all, class, ways)
		} else if does, helps, _ := f.try(t, f.before(entry, t, class, ways)); does && helps {
			h := f.holding(device.CauseNotResident, nil, !f.rivals.around(f.finder, entry, t, class, ways)[writer.pc])
			all.each(h.who.add)
		}
		return len(f.branches) + 1
	})
}

// over looks at a thread that has ended, for all that are like it: it has executed the writer, or never will.
func (f *search) over(thread thread, all *alike, class string, ways choices) {
	writer := f.writer
	does, helps, value := f.try(thread, f.from(entry, class, ways, "", nil))
	switch {
	case !does || !helps:
	// The threads of all look alike to the program, and the record knows each: some may have done it, and others not.
	case f.past != nil:
		f.ended(all)
		f.sure, writer.done = value, writer.done || len(writer.passed.lanes) > 0
	case f.passed(thread, class, ways, value, -1):
		all.each(writer.passed.add)
	default:
		all.each(f.holding(device.CauseExited, nil, false).who.add)
	}
}

// ended tells threads that have left after they had executed the writer from those that have left without it.
func (f *search) ended(all *alike) {
	writer := f.writer
	all.each(func(block, warp int, lanes uint32) {
		did := f.past.did(writer.pc, f.words, block, warp) & lanes
		if did != 0 {
			writer.passed.add(block, warp, did)
		}
		if lanes &^= did; lanes != 0 {
			f.holding(device.CauseExited, nil, false).who.add(block, warp, lanes)
		}
	})
}
