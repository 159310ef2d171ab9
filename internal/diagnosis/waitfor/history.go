package waitfor

import (
	"cmp"
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/mbarrier"
)

// History records who writes some words, and where threads leave the kernel, while a launch is run again. A device runs
// a launch again only to explain it, and calls the methods of a History that is not nil: nothing is recorded before
// there is a hang.
type History struct {
	grid  *simt.Grid
	words map[cell]*past
	pcs   map[int32][]event // of atomics that are watched wherever they act
	left  map[thread]int32  // the instruction by which a thread has left
	last  map[thread]int32  // its last branch
	n     int
	// Of threads that wait at mbarriers: the instructions of their waits, how often they were elsewhere, and which phases they saw.
	at     map[thread]*round
	visits map[thread]int
	looks  map[looker]*looks
}

// looker is a thread that looks at an mbarrier.
type looker struct {
	thread
	cell
}

// looks are how many phases of an mbarrier were complete when a thread looked at it last, and before its present visit.
type looks struct{ visit, last, before int }

// past is what happened to a word.
type past struct {
	events []event // the latest, at most maxEvents
	cut    bool    // earlier ones were dropped
	did    map[int32]*threads
	times  map[int32]map[thread]int // how often each thread has; nil if there are too many
	net    map[thread]int64         // what each thread has added
	adds   bool                     // nothing but additions has changed it
	done   int                      // complete phases of an mbarrier
	// crowded is set if too many threads have changed it to tell how often each has.
	crowded bool
}

// event is a change of a word, or a store to it.
type event struct {
	n        int // in the order of all
	pc       int32
	by       thread
	addr     uint64
	kind     ir.Kind
	old, now uint64
}

// maxEvents limits what is kept of a word, and how many threads are told apart.
const maxEvents = 1 << 12

// cell is the name of a word in a record: its address as its cluster has it and, in shared memory, the first block of the cluster.
type cell struct {
	addr  uint64
	block int
}

// cellOf names the word at an address of a thread of a block of a grid.
func cellOf(grid *simt.Grid, addr uint64, block int) cell {
	if simt.SpaceOf(addr) != ir.Shared {
		return cell{addr, -1}
	}
	return cell{grid.InCluster(block, addr), block - block%max(grid.Cluster, 1)}
}

// of returns what happened to the word at an address that a wait reads; nil if that is not recorded.
func (h *History) of(t *wait, addr uint64) *past { return h.words[cellOf(h.grid, addr, t.w.Block.ID)] }

// newHistory prepares the record of words and of atomics.
func newHistory(grid *simt.Grid, words []cell, pcs []int32) *History {
	history := &History{grid: grid, words: map[cell]*past{}, pcs: map[int32][]event{}, left: map[thread]int32{}, last: map[thread]int32{}, at: map[thread]*round{}, visits: map[thread]int{}, looks: map[looker]*looks{}}
	for _, a := range words {
		history.words[a] = &past{did: map[int32]*threads{}, times: map[int32]map[thread]int{}, net: map[thread]int64{}, adds: true}
	}
	for _, pc := range pcs {
		history.pcs[pc] = nil
	}
	return history
}

// Wrote records that a lane of a warp has changed an element in global memory by the instruction at pc, or stored what
// it was.
func (h *History) Wrote(warp *simt.Warp, pc int32, lane int, addr uint64, old, now uint64) {
	in := &warp.Grid.Prog.Code[pc]
	h.wrote(in, event{pc: pc, by: thread{warp.Block.ID, warp.Index*simt.Lanes + lane}, addr: addr, kind: in.Mem.Kind, old: old, now: now})
}

// Landed records that an asynchronous copy of a lane, or an arrival of its copies, has changed an mbarrier: the instruction at pc has
// issued it.
func (h *History) Landed(warp *simt.Warp, pc int32, lane int, addr uint64, old, now uint64) {
	in := &warp.Grid.Prog.Code[pc]
	h.wrote(in, event{pc: pc, by: thread{warp.Block.ID, warp.Index*simt.Lanes + lane}, addr: addr, kind: ir.U64, old: old, now: now})
}

func (h *History) wrote(in *ir.Inst, event event) {
	at := cellOf(h.grid, event.addr, event.by.block)
	event.addr = at.addr
	if list, ok := h.pcs[event.pc]; ok && len(list) < maxEvents {
		h.pcs[event.pc] = append(list, event)
	}
	record := h.words[at]
	if record != nil && h.at[event.by] != nil {
		h.look(in, event.by, at, record.done)
	}
	if record == nil || in.Op != ir.OpStore && event.old == event.now { // an atomic that changes nothing only looks
		return
	}
	h.n++
	event.n = h.n
	// The later half stays: what closed a wait is most often among the last changes.
	if len(record.events) == maxEvents {
		record.cut, record.events = true, append(record.events[:0], record.events[maxEvents/2:]...)
	}
	record.events = append(record.events, event)
	if in.Op == ir.OpMBarInit { // what was before belongs to another barrier
		record.done = 0
	} else if (in.Op.IsMBarrier() || in.Op.Action() == ir.ActCopy) && mbarrier.State(event.old).Parity() != mbarrier.State(event.now).Parity() {
		record.done++
	}
	did := record.did[event.pc]
	if did == nil {
		did = &threads{}
		record.did[event.pc] = did
	}
	// Who has executed a line is kept for all threads: a mask of lanes takes little.
	did.add(event.by.block, event.by.index/simt.Lanes, 1<<(event.by.index%simt.Lanes))
	if times := record.times[event.pc]; len(times) > maxEvents {
		record.times = map[int32]map[thread]int{} // of all, so that none is told wrongly
		record.crowded = true
	} else if !record.crowded {
		if times == nil {
			times = map[thread]int{}
			record.times[event.pc] = times
		}
		times[event.by]++
	}
	// The difference is signed: a count down is an addition of a large number.
	if record.adds = record.adds && in.Op == ir.OpAtomAdd; record.adds {
		record.net[event.by] += int64(int32(event.now - event.old))
	}
}

// look records that a thread looks at an mbarrier of which some phases are complete, or arrives in the next one, which says that it
// knows of these.
func (h *History) look(in *ir.Inst, by thread, at cell, done int) {
	arrives := in.Op.Arrives()
	if !arrives && !in.Op.IsMBarrierWait() {
		return
	}
	l := h.looks[looker{by, at}]
	if l == nil {
		l = &looks{}
		h.looks[looker{by, at}] = l
	}
	if l.visit != h.visits[by] {
		l.visit, l.before = h.visits[by], l.last
	}
	l.last = done
	if arrives {
		l.before = done
	}
}

// Accesses records the lanes of a store or an atomic that is about to take effect at once, in the order of lanes; base
// are their addresses without the offset of the instruction.
func (h *History) Accesses(warp *simt.Warp, in *ir.Inst, mask uint32, base *simt.Row) {
	if in.Op.Action() == ir.ActLoad || in.Op.Action() == ir.ActCopy {
		return
	}
	// Lanes of one atomic act one after the other on the same word (PTX ISA leaves the order open): each finds what those
	// before it left.
	now := map[uint64]uint64{}
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		for element := range int(max(in.Mem.Vec, 1)) {
			addr := base[lane] + uint64(in.Imm) + uint64(element*in.Mem.Kind.Bytes())
			if _, ok := h.pcs[warp.PC]; !ok && h.words[cellOf(h.grid, addr, warp.Block.ID)] == nil {
				continue
			}
			old, ok := now[addr]
			if !ok {
				data, off, _ := warp.Resolve(lane, addr)
				if data == nil || off+in.Mem.Kind.Bytes() > len(data) {
					continue
				}
				old = simt.Load(data, off, in.Mem.Kind)
			}
			stored := uint64(0)
			if in.Op == ir.OpStore {
				stored = warp.StoreValue(in, element, lane)
			} else {
				value, cmp := warp.AtomicOperands(in, lane)
				stored = simt.AtomicApply(in.Op, in.Mem.Kind, old, value, cmp)
			}
			now[addr] = stored
			h.Wrote(warp, warp.PC, lane, addr, old, stored)
		}
	}
}

// Branched records the branch that lanes of a warp are about to execute.
func (h *History) Branched(warp *simt.Warp, lanes uint32) {
	for ; lanes != 0; lanes &= lanes - 1 {
		one := thread{warp.Block.ID, warp.Index*simt.Lanes + bits.TrailingZeros32(lanes)}
		h.last[one] = warp.PC
		if wait := h.at[one]; wait != nil && !wait.in[warp.PC] {
			h.visits[one]++
		}
	}
}

// Left records that lanes of a warp are about to leave the kernel.
func (h *History) Left(warp *simt.Warp, lanes uint32) {
	for ; lanes != 0; lanes &= lanes - 1 {
		h.left[thread{warp.Block.ID, warp.Index*simt.Lanes + bits.TrailingZeros32(lanes)}] = warp.PC
	}
}

// did returns the lanes of a warp that have executed an instruction for some of the words.
func (h *History) did(pc int32, words map[uint64]int32, block, warp int) (lanes uint32) {
	for a := range words {
		if p := h.words[cellOf(h.grid, a, block)]; p != nil && p.did[pc] != nil {
			lanes |= p.did[pc].lanes[[2]int{block, warp}]
		}
	}
	return lanes
}

// recall runs the launch again, to find who has written the words that threads wait for. Where the second run came to
// other values, it is of no use. forgotten then says why the past is not known.
func (x *historian) recall() {
	var words []cell
	seen := map[cell]*Warp{}
	var pcs []int32
	for _, waiting := range x.waits {
		if waiting.read < 0 {
			continue
		}
		one := set{waits: []*wait{waiting}}
		for a := range one.words() {
			c := cellOf(x.g, a, waiting.w.Block.ID)
			if seen[c] == nil {
				seen[c] = waiting.w
				words = append(words, c)
			}
		}
		// A ticket is drawn from another word than the one that is waited for: its atomic is watched wherever it acts.
		if pc := x.drawn(waiting); pc >= 0 {
			pcs = append(pcs, pc)
		}
	}
	if len(words) == 0 {
		return
	}
	if x.Again == nil {
		x.forgotten = cmp.Or(x.NoTry, "the launch cannot be run again here")
		return
	}
	history := newHistory(x.g, words, pcs)
	for _, waiting := range x.waits {
		if waiting.read < 0 || waiting.kind != device.WaitMemory || !x.p.Code[waiting.read].Op.IsMBarrierWait() {
			continue
		}
		for lanes := waiting.lanes; lanes != 0; lanes &= lanes - 1 {
			history.at[thread{waiting.w.Block.ID, waiting.w.Index*simt.Lanes + bits.TrailingZeros32(lanes)}] = waiting.round
		}
	}
	if err := x.Again(history); err != nil {
		x.forgotten = err.Error()
		return
	}
	// The second run is believed only if each word has at its end what it has now: a launch that depends on timing may have
	// gone another way.
	for c, past := range history.words {
		data, off, _ := seen[c].Resolve(0, c.addr)
		if len(past.events) == 0 || data == nil {
			continue
		}
		last := past.events[len(past.events)-1]
		if off+last.kind.Bytes() > len(data) || simt.Load(data, off, last.kind) != last.now {
			x.forgotten = "the launch was run again to see it, and came to other values"
			return
		}
	}
	x.past = history
}

// drawn returns the atomic that gave each thread of a wait the value that it compares the word with, such as the draw of
// a ticket; -1 if there is none.
func (x *historian) drawn(wait *wait) int32 {
	if len(wait.own) == 0 || wait.cond == nil {
		return -1
	}
	for _, e := range wait.cond.exits {
		for _, at := range wait.cond.sources(use{e.pc, guard}) {
			if in := &x.p.Code[at]; in.Op != ir.OpEq && in.Op != ir.OpNe {
				continue
			}
			for i := range 2 {
				if len(wait.cond.reads(use{at, i}, nil, map[use]bool{})) > 0 {
					continue
				}
				operand, pred := x.operand(use{at, i})
				if operand < 0 {
					continue
				}
				if found := x.definitions(at, int32(operand), pred, nil); len(found) == 1 && x.p.Code[found[0]].Op == ir.OpAtomAdd {
					return found[0]
				}
			}
		}
	}
	return -1
}
