package waitfor

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/mbarrier"
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
func (x *finder) writersOf(set *set) (list []*writer) {
	words := set.words()
	for pc := range x.p.Code {
		in := &x.p.Code[pc]
		if !changes(in) || x.idle(int32(pc)) || !mayReach(x.g, in, words) {
			continue
		}
		w := &writer{pc: int32(pc)}
		x.holders(set, w, words)
		list = append(list, w)
	}
	return list
}

// idle reports whether an atomic only reads.
func (x *finder) idle(pc int32) bool {
	in := &x.p.Code[pc]
	value := func(i int) (uint64, bool) { return x.value(use{pc, i}, thread{}) }
	if in.Op.IsMBarrierWait() {
		return true
	}
	switch in.Op {
	// An atomic that adds 0 is a way to read past L1, as older CUDA code does.
	case ir.OpAtomAdd, ir.OpAtomOr, ir.OpAtomXor:
		v, ok := value(1)
		return ok && v == 0 && in.Src[1] < 0
	// So is a compare-and-swap that puts back what it found.
	case ir.OpAtomCAS:
		addr, ok1 := value(1)
		b, ok2 := value(2)
		return ok1 && ok2 && addr == b && in.Src[1] < 0 && in.Src[2] < 0
	}
	return false
}

// changes reports whether an instruction may change memory: now, or when an asynchronous copy has landed.
func changes(in *ir.Inst) bool {
	return in.Op.Stores() || in.Op.IsAtomic() || in.Op.Action() == ir.ActCopy || in.Op.Action() == ir.ActBulk
}

// mayReach reports whether an access may reach one of the words: by the buffer or the variable
// that it must stay in.
func mayReach(grid *simt.Grid, in *ir.Inst, words map[uint64]int32) bool {
	for addr := range words {
		space := simt.SpaceOf(addr)
		if in.Op.Action() == ir.ActCopy { // shared memory that it copies to, or an mbarrier that it completes on
			if space == ir.Shared {
				return true
			}
			continue
		}
		if in.Root < 0 {
			// An address that was computed in a way that the compiler could not follow may be any of its state space.
			if in.Mem.Space == ir.Generic || in.Mem.Space == space {
				return true
			}
			continue
		}
		// Each access stays in the buffer that its address was made from: the executors check it, and end the launch if it does
		// not.
		at := addr
		if space == ir.Shared { // of whichever block of a cluster: each has the variable there
			_, at, _ = ir.SharedOf(addr)
		}
		if r := &grid.Roots[in.Root]; r.Space == space && at-r.Lo < r.Bytes {
			return true
		}
	}
	return false
}

// hits reports whether a thread's access may reach a word, by its address as far as it is known.
func (x *finder) hits(pc int32, thread thread, words map[uint64]int32) bool {
	in := &x.p.Code[pc]
	if in.Op.Completes() {
		at, ok := x.value(use{pc, 3}, thread)
		if !ok {
			return true
		}
		if in.Op.Multicasts() {
			return x.hitsRanks(pc, thread, at, words)
		}
		_, hit := words[x.g.InCluster(thread.block, at)]
		return hit
	}
	base, ok := x.address(pc, thread)
	// An address that is not known may be that of the word. Whoever is then named too much is a thread that waits, too, or has
	// ended.
	if !ok {
		return true
	}
	if in.Op.TensorDims() > 0 { // anywhere in its buffer
		return true
	}
	if in.Op.Action() == ir.ActBulk { // of so many bytes
		n, known := x.value(use{pc, 2}, thread)
		for addr := range words {
			if !known || addr-base < n {
				return true
			}
		}
		return false
	}
	for i := range int(max(in.Mem.Vec, 1)) {
		if _, hit := words[base+uint64(i*in.Mem.Kind.Bytes())]; hit {
			return true
		}
	}
	return false
}

// ranks returns the mask of a thread's copy to several blocks of the cluster, and whether it is known.
func (x *reader) ranks(pc int32, thread thread) (mask uint16, known bool) {
	operand, from := x.p.Code[pc].Op.Ranks()
	word, known := x.value(use{pc, operand}, thread)
	return uint16(word >> from), known
}

// hitsRanks reports whether the mbarrier at an address, in one of the blocks of the cluster to which a thread's copy goes, is one of the words.
func (x *finder) hitsRanks(pc int32, thread thread, at uint64, words map[uint64]int32) bool {
	ranks, known := x.ranks(pc, thread)
	for rank := range x.g.Cluster {
		if known && ranks>>rank&1 == 0 {
			continue
		}
		if _, hit := words[x.g.InCluster(thread.block, ir.MapShared(at, uint64(rank)))]; hit {
			return true
		}
	}
	return false
}

// lacksBytes reports whether a wait is for a phase of an mbarrier in which all have arrived, and only bytes are missing.
func (x *reader) lacksBytes(t *wait) bool {
	if t.read < 0 || t.kind != device.WaitMemory || !x.p.Code[t.read].Op.IsMBarrierWait() || t.lanes == 0 {
		return false
	}
	state := mbarrier.State(t.fresh[bits.TrailingZeros32(t.lanes)&31])
	return state.Valid() && state.Pending() == 0 && state.Bytes() > 0
}

// helps reports whether what a thread stores could end the wait, and what it is if that is known
// for sure.
func (x *finder) helps(set *set, pc int32, thread thread) (yes bool, value string) {
	in, first := &x.p.Code[pc], set.waits[0]
	if x.lacksBytes(first) && in.Op.IsMBarrier() { // which copies bring; an arrival, or more that is expected, does not end its phase
		return false, ""
	}
	operand := 1
	switch in.Op {
	case ir.OpStore, ir.OpAtomExch:
	case ir.OpMBarInit, ir.OpMBarInval: // a new barrier is in its first phase, and an invalid one must not be waited at
		return false, ""
	case ir.OpAtomCAS:
		operand = 2
	// What an addition leaves depends on what it finds: it may be the value waited for.
	default:
		return true, ""
	}
	v, ok := x.value(use{pc, operand}, thread)
	if !ok || in.Mem.Vec > 1 {
		return true, ""
	}
	// A loop that reads several words is tried out, since its condition is not one on a single value.
	if len(first.blocked) > 0 {
		return x.unblocks(set, pc, thread, v)
	}
	for _, read := range first.reads {
		last := first.round.last[read]
		for m := last.lanes; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			if addr, known := x.address(pc, thread); known && len(first.reads) > 1 && addr != last.addr[lane] {
				continue // it writes another of the words
			}
			// One lane that would leave is enough: the loop ends lane by lane.
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
func (x *finder) class(thread thread) (string, choices) {
	key, ok := x.classes[thread]
	if !ok {
		key, _ = x.classOf(thread)
		x.classes[thread] = key
	}
	return key, x.ways[key]
}

// classOf is class for a thread that is examined once.
func (x *finder) classOf(t thread) (string, choices) {
	ways := x.static.ways(x.branches, t)
	var s strings.Builder
	// Threads with the same ways can reach the same instructions, so that these are found once for all of them.
	for _, pc := range x.branches {
		s.WriteByte('0' + ways[pc])
	}
	key := s.String()
	if x.ways[key] == nil {
		x.ways[key] = ways
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
func (x *finder) next(wait *wait) (start []int32) {
	add := func(pc int32) {
		if pc >= 0 && !slices.Contains(start, pc) {
			start = append(start, pc)
		}
	}
	switch {
	case wait.kind == device.WaitHeld, wait.kind == device.WaitTurn, wait.kind == device.WaitReconverge:
		add(wait.g.PC)
	// A thread that leaves its loop goes on behind one of the branches out of it; which one is not known.
	case wait.round != nil:
		for _, pc := range wait.round.steps {
			for _, s := range x.succs(pc) {
				if s >= 0 && !wait.round.in[s] {
					add(s)
				}
			}
		}
	// A barrier or a collective lets its threads go on behind it.
	default:
		add(x.succs(wait.g.PC)[0])
	}
	return start
}
