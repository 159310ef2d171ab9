package waitfor

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// A loop that reads several words goes on because of some of them: of eight flags, the one that is not set; of two
// locks, the one that is taken. Which these are is found by trial: the loop is executed with another value in one word,
// and if it then ends, that word is what it waits for. If no single word ends it, several are given another value, and
// taken out again one by one as long as it still ends.

// blocked is a word because of which a loop goes on.
type blocked struct {
	readWord
	want uint64 // a value with which the loop ends
}

// The limits of the search: words that are tried, values for each, and steps for all waits together.
const (
	maxTried = 64
	maxTries = 16
	trySteps = 1 << 22
)

// blocked returns the words because of which a group goes round, and whether the search was complete. Only loops are
// looked at that read more than one word for a lane, or in which no condition on a word was found.
func (x *reader) blocked(wait *wait) (list []blocked, complete bool) {
	words, complete := x.candidates(wait)
	if len(words) == 0 {
		return nil, complete
	}
	values := x.values(wait, words)
	// The words that a way out of the loop tests come before those by which the loop would come to test another value.
	if direct, in := x.tested(wait, words); len(direct) > 0 && len(direct) < len(words) {
		for _, value := range values {
			for _, word := range direct {
				if value != word.value && x.tried <= trySteps && x.loopLeft(wait, []blocked{{word, value}}, in) {
					list = append(list, blocked{word, value})
				}
			}
			if len(list) > 0 {
				return list, complete
			}
		}
	}
	// A single word first: one lock, one flag. The list has each one that alone would end the loop.
	for _, value := range values { // those that lines store come first
		for _, word := range words {
			if value == word.value {
				continue
			}
			if x.tried > trySteps {
				return list, false
			}
			if x.loopEnds(wait, []blocked{{word, value}}) {
				list = append(list, blocked{word, value})
			}
		}
		if len(list) > 0 {
			return list, complete
		}
	}
	// Another value in the only word was tried already.
	if len(words) == 1 {
		return nil, complete
	}
	for _, value := range values {
		var all []blocked
		for _, word := range words {
			if word.value != value {
				all = append(all, blocked{word, value})
			}
		}
		// All words together, such as all of eight flags; then as few of them as still end the loop.
		if len(all) < 2 || x.tried > trySteps || !x.loopEnds(wait, all) {
			continue
		}
		for i := 0; i < len(all); {
			if without := slices.Delete(slices.Clone(all), i, i+1); x.tried <= trySteps && x.loopEnds(wait, without) {
				all = without
				continue
			}
			i++
		}
		return all, complete && x.tried <= trySteps
	}
	return nil, complete
}

// tested are the words on which the ways out of the loop of the program depend, and that loop.
func (x *reader) tested(wait *wait, words []readWord) (list []readWord, in []bool) {
	inner := x.around(wait.round.steps, false)
	if inner == nil {
		return nil, nil
	}
	// The exits of the whole loop, and not only those that the round came by.
	c := conditionOf(x.flow, x.uniform, &round{steps: wait.round.steps, in: inner.in, last: wait.round.last})
	for _, word := range words {
		if slices.ContainsFunc(c.exits, func(e exit) bool { return slices.Contains(e.reads, word.pc) }) {
			list = append(list, word)
		}
	}
	return list, inner.in
}

// candidates are the words of a round that other threads may change.
func (x *reader) candidates(wait *wait) (words []readWord, complete bool) {
	for _, read := range wait.round.reads {
		in := &x.p.Code[read.pc]
		// No thread can change what the kernel only reads. A vector is read by no loop that waits for one word.
		if in.Root >= 0 && x.readOnly[in.Root] || in.Mem.Vec > 1 {
			continue
		}
		if !slices.ContainsFunc(words, func(o readWord) bool { return o.addr == read.addr }) {
			words = append(words, read)
		}
	}
	complete = len(words) <= maxTried && len(wait.round.reads) < maxReads
	return words[:min(len(words), maxTried)], complete
}

// values are those that are tried: what lines of the program store, what the loop compares with, what other words have.
func (x *reader) values(wait *wait, words []readWord) (list []uint64) {
	add := func(v uint64) {
		if !slices.Contains(list, v) && len(list) < maxTries {
			list = append(list, v)
		}
	}
	for pc := range x.p.Code {
		in := &x.p.Code[pc]
		i := 1
		if in.Op == ir.OpAtomCAS {
			i = 2
		}
		if in.Op == ir.OpStore || in.Op == ir.OpAtomExch || in.Op == ir.OpAtomCAS {
			if v, ok := x.valueConstant(use{int32(pc), i}); ok {
				add(v)
			}
		}
	}
	// Flags and locks, where the program computes what it stores.
	for _, v := range []uint64{1, 0} {
		add(v)
	}
	for _, pc := range wait.round.steps {
		if in := &x.p.Code[pc]; in.Op.IsCompare() && in.ArgK != ir.Pred {
			for i := range 2 {
				if v, ok := x.valueConstant(use{pc, i}); ok {
					add(v)
				} else if v, ok := wait.cond.now(use{pc, i}, bits.TrailingZeros32(wait.g.Mask)); ok {
					add(v)
				}
			}
		}
	}
	for _, word := range words {
		kind := x.p.Code[word.pc].Mem.Kind
		add(word.value)
		// The next number: a ticket, a generation, a counter that one thread is missing at.
		add(truncate(kind, word.value+1))
		add(truncate(kind, word.value-1))
	}
	// Larger than any counter: for loops that wait until a word is at least something.
	add(1 << 30)
	return list
}

// truncate cuts a value to the size of a kind.
func truncate(k ir.Kind, value uint64) uint64 {
	if n := k.Bytes(); n < 8 {
		return value & (1<<(8*n) - 1)
	}
	return value
}

// loopEnds reports whether a group leaves its loop if words have other values.
func (x *reader) loopEnds(t *wait, words []blocked) bool {
	return x.loopLeft(t, words, t.round.in)
}

// loopLeft is loopEnds for a loop of the instructions in.
func (x *reader) loopLeft(wait *wait, words []blocked, in []bool) bool {
	mine := map[uint64]byte{}
	for _, w := range words {
		for i := range x.p.Code[w.pc].Mem.Kind.Bytes() {
			mine[w.addr+uint64(i)] = byte(w.want >> (8 * i))
		}
	}
	replay := newReplay(x.Snapshot, wait.w, wait.g, mine)
	// A loop that ends with another value does so in the round that reads it, or the next one; some rounds more are for inner
	// loops.
	most := min(3*wait.round.length+256, maxSteps)
	defer func() { x.tried += replay.taken }()
	for range most {
		if pc := replay.w.PC; int(pc) >= len(in) || !in[pc] {
			return true
		}
		if !replay.step(nil) {
			// It waits for other threads within the loop, or all of its lanes have left it.
			return replay.w.Mask&replay.lanes == 0 || replay.w.Done()
		}
	}
	return false
}

// block makes a wait one for the words because of which it goes round.
func (t *wait) block(x *reader, list []blocked) {
	slices.SortStableFunc(list, func(a, b blocked) int { return cmp.Compare(a.addr, b.addr) })
	t.blocked, t.kind = list, device.WaitMemory
	if t.read < 0 || !slices.ContainsFunc(list, func(b blocked) bool { return b.pc == t.read }) {
		t.read = list[0].pc
	}
	t.pc, t.reads = t.read, nil
	for _, blocked := range list {
		if !slices.Contains(t.reads, blocked.pc) {
			t.reads = append(t.reads, blocked.pc)
		}
	}
	s := t.round.last[t.read]
	t.lanes, t.addr, t.value, t.fresh = s.lanes, *s.addr, *s.value, *s.value
	for _, blocked := range list {
		if blocked.pc == t.read {
			t.addr[blocked.lane], t.value[blocked.lane], t.fresh[blocked.lane] = blocked.addr, blocked.value, x.fresh(t, blocked)
			t.lanes |= 1 << blocked.lane
		}
	}
	// The text of the condition names one word. With several it would be wrong for the others.
	if x.simple(t) {
		t.text, t.own = t.cond.text(t.g.Mask)
	}
}

// simple reports whether the condition of the loop is one on the word that it waits for, which each lane reads once.
func (x *reader) simple(wait *wait) bool {
	for _, e := range wait.cond.exits {
		if len(e.reads) != 1 || e.reads[0] != wait.read {
			return false
		}
	}
	seen := uint32(0)
	for _, r := range wait.round.reads {
		if r.pc == wait.read {
			if seen>>r.lane&1 != 0 {
				return false
			}
			seen |= 1 << r.lane
		}
	}
	return true
}

// fresh returns what memory has where a lane has read.
func (x *reader) fresh(wait *wait, blocked blocked) uint64 {
	// Local memory is of the thread alone, and still has the value that it read.
	if wait.w.Grid == nil || simt.SpaceOf(blocked.addr) == ir.Local {
		return blocked.value
	}
	data, off, _ := wait.w.Resolve(blocked.lane, blocked.addr)
	if data == nil {
		return blocked.value
	}
	return simt.Load(data, off, x.p.Code[blocked.pc].Mem.Kind)
}

// several reports whether a lane reads several words in a round that others may change.
func (x *reader) several(wait *wait) bool {
	var first simt.Row
	seen := uint32(0)
	for _, read := range wait.round.reads {
		if in := &x.p.Code[read.pc]; in.Root >= 0 && x.readOnly[in.Root] {
			continue
		}
		if seen>>read.lane&1 != 0 && first[read.lane] != read.addr {
			return true
		}
		first[read.lane], seen = read.addr, seen|1<<read.lane
	}
	// Lanes that decide together, as by a vote, wait for the word of one of them.
	return bits.OnesCount32(seen) > 1 && slices.ContainsFunc(wait.round.steps, func(pc int32) bool { return x.p.Code[pc].Op.Action() == ir.ActWarp })
}

// unblocks reports whether a thread's store of a value to one of the words because of which a set goes round helps, and
// what it stores.
func (x *reader) unblocks(set *set, pc int32, thread thread, v uint64) (yes bool, value string) {
	in := &x.p.Code[pc]
	addr, known := x.address(pc, thread)
	for _, waiting := range set.waits {
		for index, word := range waiting.blocked {
			if known && addr != word.addr {
				continue
			}
			// The trial found one value with which the loop ends; what a line stores may be another one.
			if v != word.want {
				other := slices.Clone(waiting.blocked)
				other[index].want = v
				if v == word.value || !x.endsWith(waiting, other, index, v) {
					continue
				}
			}
			return true, number(in.Mem.Kind, v)
		}
	}
	return false, ""
}

// endsWith is loopEnds, computed once for each value of a word.
func (x *reader) endsWith(wait *wait, words []blocked, i int, v uint64) bool {
	key := endsKey{wait.read, words[i].addr, v}
	yes, ok := x.endings[key]
	if !ok {
		yes = x.tried <= trySteps && x.loopEnds(wait, words)
		x.endings[key] = yes
	}
	return yes
}

type endsKey struct {
	read    int32
	addr, v uint64
}
