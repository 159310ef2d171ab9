package waitfor

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/bitmix"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// A launch may never end although parts of it go on for ever: one block waits for a word that nobody will write, and
// another one counts. No state recurs then, but the program shows it. Lanes in a loop stay there in whatever order the
// others run if each way out of the loop has a condition that depends only on registers that the loop does not change and
// on words that no thread can write any more, and is not met. Threads that are held in loops like that write nothing
// outside of them, so groups are assumed to be held until a word of theirs turns out to be one that others may write.
//
// The argument is about what memory has now, and about writes that are on their way, which count as such (Snapshot.Flying). A register that an
// earlier value was read into is not seen; so a device looks twice, with enough time in between for that to be used. A lane that was let out in between
// may have written words of the others: a verdict needs all that were held at the first look, by words with the same values.

// Doomed are lanes that cannot leave a loop any more.
type Doomed struct {
	Block, Warp int
	Lanes       uint32
	Head        int32  // the first instruction of the loop
	Words       uint64 // a hash of the words that hold them, and of their values
}

// Doomsday is a search for lanes that cannot leave their loops any more, over several looks at a launch.
type Doomsday struct {
	// suspects hold each other at the last look, whatever all others do.
	suspects []Doomed
}

// Look looks at a launch. It returns lanes that can never end, if they are known by now; soon says that it is worth another look when what was on
// its way has come.
func (d *Doomsday) Look(snapshot *Snapshot) (found []Doomed, soon bool) {
	before := d.suspects
	if d.suspects = findDoomed(snapshot, before); len(before) > 0 && len(d.suspects) == len(before) {
		return d.suspects, false
	}
	if len(before) > 0 && len(d.suspects) == 0 {
		d.suspects = findDoomed(snapshot, nil)
	}
	return nil, len(d.suspects) > 0
}

// held is a group that may be doomed.
type held struct {
	w     *Warp
	g     *Group
	loop  []bool
	head  int32
	words map[uint64]int32 // by address: the instruction that reads it
	has   uint64           // a hash of the words and their values, in any order
	quiet map[int32]bool   // compare-and-swaps of the loop that fail
}

// maxDoomed limits how many groups are looked at.
const maxDoomed = 1 << 12

// findDoomed returns the groups of lanes that cannot leave their loops, in whatever order all threads run from now on, and of these only some if there
// are suspects: the others are taken for threads that go on. It returns none if it cannot be sure of any.
func findDoomed(snapshot *Snapshot, suspects []Doomed) (list []Doomed) {
	finder := newExplainer(snapshot)
	// Other launches may write the words, and their programs are not looked at.
	if len(snapshot.Others) > 0 {
		return nil
	}
	loops := finder.naturalLoops()
	var all []*held
	for i := range snapshot.Warps {
		warp := &snapshot.Warps[i]
		finder.resident[warp.Block.ID] = true
		for k := range warp.Groups {
			group := &warp.Groups[k]
			if group.Kind != device.WaitTurn || len(all) >= maxDoomed {
				continue
			}
			for _, l := range loops {
				if h := finder.held(warp, group, l); h != nil {
					if suspects == nil || slices.Contains(suspects, h.doomed()) {
						all = append(all, h)
					}
					break
				}
			}
		}
	}
	// The greatest set that holds itself: it is assumed of all, and taken back of those whose words somebody may write, until
	// nothing changes.
	for changed := true; changed && len(all) > 0; {
		written := finder.writable(all)
		before := len(all)
		all = slices.DeleteFunc(all, func(h *held) bool {
			for a := range h.words {
				if written[a] {
					return true
				}
			}
			return false
		})
		changed = len(all) < before
	}
	for _, h := range all {
		list = append(list, h.doomed())
	}
	return list
}

func (h *held) doomed() Doomed {
	return Doomed{h.w.Block.ID, h.w.Index, h.g.Mask, h.head, h.has}
}

// DoomedText says what doomed groups mean for a launch.
func DoomedText(list []Doomed) string {
	lanes := 0
	for _, d := range list {
		lanes += bits.OnesCount32(d.Lanes)
	}
	what := "threads wait"
	if lanes == 1 {
		what = "thread waits"
	}
	return fmt.Sprintf("%d %s for words that no thread will write any more, in whatever order the others go on", lanes, what)
}

// loop is a natural loop: what can come back to its head without leaving it.
type loop struct {
	head int32
	in   []bool
	size int
}

// naturalLoops lists the loops of the program, the smallest first.
func (f *flow) naturalLoops() (list []loop) {
	for pc := range f.p.Code {
		for _, head := range f.succs(int32(pc)) {
			if head < 0 || int(head) > pc {
				continue
			}
			found := loop{head: head, in: make([]bool, len(f.p.Code))}
			// Two branches back to one head, as continue makes, are one loop.
			if i := slices.IndexFunc(list, func(o loop) bool { return o.head == head }); i >= 0 {
				found = list[i]
				list = slices.Delete(list, i, i+1)
			}
			todo := []int32{int32(pc)}
			found.in[head] = true
			for len(todo) > 0 {
				at := todo[len(todo)-1]
				todo = todo[:len(todo)-1]
				if found.in[at] {
					continue
				}
				found.in[at] = true
				todo = append(todo, f.preds[at]...)
			}
			found.size = 0
			for _, in := range found.in {
				if in {
					found.size++
				}
			}
			list = append(list, found)
		}
	}
	slices.SortStableFunc(list, func(a, b loop) int { return a.size - b.size })
	return list
}

// held returns a group with the words that hold it in a loop; nil if something else might let it out.
func (x *finder) held(warp *Warp, group *Group, loop loop) *held {
	if !loop.in[min(int(group.PC), len(loop.in)-1)] {
		return nil
	}
	out := &held{w: warp, g: group, loop: loop.in, head: loop.head, words: map[uint64]int32{}, quiet: map[int32]bool{}}
	values := &fixed{x: x, h: out, busy: map[use]bool{}}
	for pc := range loop.in {
		if !loop.in[pc] {
			continue
		}
		in := &x.p.Code[pc]
		if in.Op == ir.OpTrap || in.Op.Action() == ir.ActALU && ir.Ops[in.Op].Faults {
			return nil // it might end the launch
		}
		for m := group.Mask; m != 0; m &= m - 1 {
			values.lane = bits.TrailingZeros32(m)
			if in.Op.Addressed() && !values.valid(int32(pc), in) || !values.stays(int32(pc), in) {
				return nil
			}
		}
	}
	if len(out.words) == 0 {
		return nil // it goes round in whatever order, which the search for a livelock finds
	}
	return out
}

// fixed computes values that stay the same in a loop as long as the words that it reads do.
type fixed struct {
	x    *finder
	h    *held
	lane int
	busy map[use]bool
}

// stays reports whether a lane that executes an instruction of the loop stays in it.
func (e *fixed) stays(pc int32, in *ir.Inst) bool {
	next, target := e.x.succs(pc)[0], e.x.succs(pc)[1]
	inside := [2]bool{next >= 0 && e.h.loop[next], target >= 0 && e.h.loop[target]}
	switch {
	case in.Op == ir.OpJmp:
		return inside[1]
	case in.Op != ir.OpBra && in.Op != ir.OpExit:
		return inside[0]
	case inside[0] && inside[1]:
		return true
	case in.Guard == ir.NoGuard:
		return false
	}
	v, ok := e.value(use{pc, guard})
	if (v&1 != 0) != in.GuardNot { // it branches, or ends
		return ok && inside[1]
	}
	return ok && inside[0]
}

// valid reports whether an access has an address that stays the same and that it may have: if it has not, it ends the
// launch.
func (e *fixed) valid(pc int32, in *ir.Inst) bool {
	base, ok := e.value(use{pc, 0})
	if !ok || in.Root < 0 {
		return false
	}
	r := &e.x.g.Roots[in.Root]
	off := base + uint64(in.Imm) - r.Lo
	return off < r.Bytes && off+uint64(in.Mem.Bytes()) <= r.Bytes
}

// value returns an operand of the lane; ok is false if it may change.
func (e *fixed) value(u use) (v uint64, ok bool) {
	finder, warp := e.x, e.h.w
	operand, pred := finder.operand(u)
	if operand < 0 {
		return finder.uniform(operand, pred), true
	}
	// It depends on itself: a value that the loop changes.
	if e.busy[u] {
		return 0, false
	}
	e.busy[u] = true
	defer delete(e.busy, u)
	def := int32(-1)
	for _, at := range finder.definitions(u.pc, int32(operand), pred, nil) {
		switch {
		case !e.h.loop[at]:
		case def >= 0:
			return 0, false
		default:
			def = at
		}
	}
	if def < 0 {
		// A load that is in flight will write the register: what it has now says nothing.
		for _, pc := range warp.Pending {
			if writes(&finder.p.Code[pc], int32(operand), pred) {
				return 0, false
			}
		}
		if pred {
			return uint64(warp.Preds[operand] >> e.lane & 1), true
		}
		return warp.Regs[operand][e.lane], true
	}
	in := &finder.p.Code[def]
	switch {
	// Whether it writes may differ from round to round.
	case in.Guard != ir.NoGuard:
		return 0, false
	case in.Op == ir.OpSpecial:
		return finder.special(in, thread{warp.Block.ID, warp.Index*simt.Lanes + e.lane}), ir.Special(in.Imm) != ir.SMID
	case in.Op == ir.OpLoad || in.Op == ir.OpAtomCAS:
		return e.read(def, in)
	case !in.Op.Scalar():
		return 0, false
	}
	var src [3]uint64
	for i := range int(in.NSrc) {
		if src[i], ok = e.value(use{def, i}); !ok {
			return 0, false
		}
	}
	r, err := ir.Eval(in.Op, in.K, in.ArgK, in.Imm, src[0], src[1], src[2])
	return r, err == nil
}

// read returns what a load, or a compare-and-swap that fails, reads.
func (e *fixed) read(pc int32, in *ir.Inst) (value uint64, ok bool) {
	base, ok := e.value(use{pc, 0})
	addr := base + uint64(in.Imm)
	if !ok || in.Mem.Vec > 1 || simt.SpaceOf(addr) != ir.Global {
		return 0, false
	}
	data, off, _ := e.h.w.Resolve(e.lane, addr)
	if data == nil || off+in.Mem.Kind.Bytes() > len(data) {
		return 0, false
	}
	value = simt.Load(data, off, in.Mem.Kind)
	if c := e.x.cached(e.h.w.Block.SM, in, addr); c != nil && simt.Load(slices.Clone(append(c[:len(c):len(c)], make([]byte, 8)...)), 0, in.Mem.Kind) != value {
		return 0, false // an older value, which may go
	}
	if in.Op == ir.OpAtomCAS {
		// A compare-and-swap that fails changes nothing and is a load. One that succeeds is none of a loop that only waits.
		compare, ok := e.value(use{pc, 1})
		if !ok || compare == value {
			return 0, false
		}
		e.h.quiet[pc] = true
	}
	if _, seen := e.h.words[addr]; !seen {
		e.h.has += bitmix.Mix(bitmix.Mix(addr) + value)
	}
	e.h.words[addr] = pc
	return value, true
}

// writable returns the words of held groups that a thread may write: one that is not held from where it is on, one that is
// held in its loop.
func (x *finder) writable(all []*held) map[uint64]bool {
	words := map[uint64]int32{}
	in := map[*Group]*held{}
	for _, held := range all {
		in[held.g] = held
		for a, pc := range held.words {
			words[a] = pc
		}
	}
	reached := map[from][]bool{}
	out := map[uint64]bool{}
	mark := func(pc int32, t thread) { x.mark(pc, t, words, out) }
	x.flying(in, words, out)
	for pc := range x.p.Code {
		at := &x.p.Code[pc]
		if !changes(at) || x.idle(int32(pc)) || !mayReach(x.g, at, words) {
			continue
		}
		x.liveWriters(int32(pc), in, reached, mark)
		// Threads that have not started may write it, whenever that is: "in whatever order" is meant.
		d := x.matters(int32(pc), nil)
		c := x.crowd(false, d, nil, func(int) bool { return true })
		if c.each(func(t thread, _ *alike) int {
			class, ways := x.classOf(t)
			if x.from(entry, class, ways, "", nil)[pc] {
				mark(int32(pc), t)
			}
			return len(x.branches) + 1
		}) > 0 { // who knows
			for addr := range words {
				out[addr] = true
			}
		}
	}
	return out
}

// from is what the instructions that threads can reach depend on: where they are, and which ways they take.
type from struct {
	pc    int32
	class string
}

// liveWriters calls mark for the live threads that may execute an instruction: those that are held in a loop only if it is in
// that loop.
func (x *finder) liveWriters(pc int32, in map[*Group]*held, reached map[from][]bool, mark func(int32, thread)) {
	for i := range x.Warps {
		warp := &x.Warps[i]
		for k := range warp.Groups {
			group := &warp.Groups[k]
			held := in[group]
			for mask := group.Mask; mask != 0; mask &= mask - 1 {
				one := thread{warp.Block.ID, warp.Index*simt.Lanes + bits.TrailingZeros32(mask)}
				if held != nil {
					// The assumption: it stays in its loop, where a compare-and-swap that fails writes nothing.
					if held.loop[pc] && !held.quiet[pc] {
						mark(pc, one)
					}
					continue
				}
				class, ways := x.class(one)
				key := from{group.PC, class}
				can := reached[key]
				if can == nil {
					can = x.reach([]int32{group.PC}, ways, nil)
					reached[key] = can
				}
				if can[pc] {
					mark(pc, one)
				}
			}
		}
	}
}

// flying adds to out those of some words to which a write is on its way.
func (x *finder) flying(in map[*Group]*held, words map[uint64]int32, out map[uint64]bool) {
	if x.Flying == nil {
		return
	}
	// A compare-and-swap of a loop that only waits fails and writes nothing.
	quiet := func(by thread, pc int32) bool {
		for group, held := range in {
			if held.w.Block.ID == by.block && held.w.Index == by.index/simt.Lanes && group.Mask>>(by.index%simt.Lanes)&1 != 0 {
				return held.quiet[pc]
			}
		}
		return false
	}
	x.Flying(func(block, index int, pc int32, addr uint64) {
		for word := range words {
			if word+8 > addr && word < addr+uint64(x.p.Code[pc].Mem.Bytes()) && !quiet(thread{block, index}, pc) {
				out[word] = true
			}
		}
	})
}

// mark adds to out those of some words that a thread may write by an instruction.
func (x *finder) mark(pc int32, thread thread, words map[uint64]int32, out map[uint64]bool) {
	in := &x.p.Code[pc]
	low, known := x.address(pc, thread)
	for addr := range words {
		if !mayReach(x.g, in, map[uint64]int32{addr: 0}) {
			continue
		}
		// A word is at most 8 bytes long; where it may overlap what is written, it counts as written.
		if high := low + uint64(in.Mem.Bytes()); !known || addr+8 > low && addr < high {
			out[addr] = true
		}
	}
}
