package sim

import (
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/race"
	"github.com/weft-gpu/weft/internal/diagnosis/waitfor"
	"github.com/weft-gpu/weft/sim/internal/observe"
)

// hooks is what is attached to a machine from outside: those who watch it (a profile, a trace, the race detector, the
// record of a second run) and those who steer it (a schedule, jitter). The hooks of a machine to which nothing is
// attached are nil, so that a part asks once whether there is anyone to tell. A method tells those that are attached
// and want to know; what they do with it is in race.go, observe.go and gate.go.
type hooks struct {
	m        *machine
	prof     *observe.Profile
	trace    *observe.Trace
	sampleAt uint64 // cycle of the trace's next sample; the constant never if there is no trace
	race     *race.Detector
	issued   [][]*race.Issued // by SM and access: what it releases; nil entries are not watched
	access   *race.Issued     // the same of the access that is being issued
	history  *waitfor.History // records what happens to some words, in a second run that explains a hang
	gate     *gate            // nil: no warp waits for a schedule
	jitter   *jitter          // nil: no delay is random
}

// hook returns the hooks of a machine, for something to be attached.
func (m *machine) hook() *hooks {
	if m.hooks == nil {
		m.hooks = &hooks{m: m, sampleAt: never}
	}
	return m.hooks
}

// carry takes over what watches another machine.
func (h *hooks) carry(from *hooks) {
	h.prof, h.trace, h.sampleAt, h.race = from.prof, from.trace, from.sampleAt, from.race
}

// share makes what watches a GPU of a group the same as what watches its first one.
func (h *hooks) share(first *hooks) {
	if h == nil {
		return
	}
	h.race = first.race
	if h.prof != nil {
		h.prof.Join(first.prof)
	}
}

// races returns the race detector; nil if races are not looked for.
func (h *hooks) races() *race.Detector {
	if h == nil {
		return nil
	}
	return h.race
}

// schedule returns the gate; nil if there is none.
func (h *hooks) schedule() *gate {
	if h == nil {
		return nil
	}
	return h.gate
}

// record returns the record of a second run; nil if there is none.
func (h *hooks) record() *waitfor.History {
	if h == nil {
		return nil
	}
	return h.history
}

// tracer returns the trace; nil if there is none.
func (h *hooks) tracer() *observe.Trace {
	if h == nil {
		return nil
	}
	return h.trace
}

// begin is told that launches begin.
func (h *hooks) begin() {
	if h.jitter != nil {
		h.jitter.begin()
	}
}

// placed is told that a block begins on an SM, and returns by how many cycles that is delayed.
func (h *hooks) placed(slot *block) (delay uint64) {
	if h.race != nil {
		slot.race.Start(h.race, slot.job.grid, slot.ID)
	}
	if h.prof != nil {
		h.prof.EmptyBlock(int(slot.id))
	}
	if h.jitter != nil {
		delay = h.jitter.start(slot.sm.id, slot.ID%slot.job.grid.Cluster != 0)
	}
	return delay
}

// holds reports whether a warp that is about to issue a memory instruction waits for its turn.
func (h *hooks) holds(wp *warp, d *decoded) bool { return h.gate != nil && h.gate.holds(wp, d) }

// accessed is told that a memory instruction is issued, whose addresses are known. The lanes of global may release
// what their threads know when it takes effect.
func (h *hooks) accessed(wp *warp, in *ir.Inst, mask, global uint32) {
	if h.race == nil {
		return
	}
	w, b := wp.w, wp.block
	b.race.Access(w.Index, w.PC, in, mask, &h.m.addrs, 0, false)
	h.access = b.race.Issue(w.Index, w.PC, in, global)
}

// queued is told that the load-store unit takes the access that has just been issued.
func (h *hooks) queued(unit *lsu, entry *lsuEntry) {
	if h.race != nil {
		h.keep(unit, entry.op)
	}
	if h.prof != nil {
		h.request(unit, entry)
	}
}

// hit is told that lanes of a load find their sectors in L1, or join a request for them.
func (h *hooks) hit(unit *lsu, op int32, lanes uint32, r *lineRequest, sectors uint8) {
	if h.race != nil && !r.local {
		h.taken(unit, op, lanes, r.addr)
	}
	if h.prof != nil {
		h.hits(unit, op, sectors)
	}
}

// collective is told that the lanes of mask execute a collective.
func (h *hooks) collective(wp *warp, in *ir.Inst, mask uint32) {
	switch {
	case h.race == nil || mask == 0:
	case in.Op == ir.OpWarpBar:
		wp.block.race.SyncWarp(wp.w, in, mask)
	case in.Op.IsGroupMMA():
		list, n := wp.w.Matrices(in)
		race.Product(&wp.block.race, wp.w.Index, wp.w.PC, list[:n])
	case in.Op.OfSums():
		race.Sums(&wp.block.race, wp.w.Index, in)
	}
}

// fenced is told that the lanes of mask execute a fence.
func (h *hooks) fenced(wp *warp, in *ir.Inst, mask uint32) {
	if h.race != nil {
		wp.block.race.Fence(wp.w.Index, in.Mem, mask)
	}
}

// settled is told that all accesses for which a warp has waited are done.
func (h *hooks) settled(wp *warp) {
	if h.race != nil {
		wp.block.race.Settle(wp.w.Index)
	}
}

// barrierOpened is told that the barrier of a block opens.
func (h *hooks) barrierOpened(b *block) {
	if h.race != nil {
		b.race.Sync()
	}
}

// branched is told that a warp executes a branch.
func (h *hooks) branched(w *simt.Warp) {
	if h.history != nil {
		h.history.Branched(w, w.Mask)
	}
}

// left is told that the lanes of mask exit.
func (h *hooks) left(w *simt.Warp, mask uint32) {
	if h.history != nil {
		h.history.Left(w, mask)
	}
}

// arrival returns the cycle at which a request arrives at a slice that would arrive at t.
func (h *hooks) arrival(sm int32, slice, cycle uint64) uint64 {
	if h.jitter == nil {
		return cycle
	}
	return h.jitter.arrival(sm, slice, cycle)
}
