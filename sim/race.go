package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/race"
	"github.com/weft-gpu/weft/internal/tensormap"
)

// What the race detector learns; see Options.Races. Accesses are compared when they are issued, which is enough since clocks, not times, say what is ordered. What a strong access
// acquires and releases depends on which one came first, so it is recorded when the access takes effect.

// grids returns the grids of jobs.
func grids(jobs []job) []*simt.Grid {
	list := make([]*simt.Grid, len(jobs))
	for i := range jobs {
		list[i] = jobs[i].grid
	}
	return list
}

// raceBegin prepares the race detector for the commands of Run.
func (g *Group) raceBegin(p *plan, cmds []device.Command) error {
	grids := make([]*simt.Grid, len(cmds))
	for i, t := range p.tasks {
		if len(t.jobs) > 0 {
			grids[i] = t.jobs[0].grid
		}
	}
	p.races = true
	return g.m.hooks.race.BeginCommands(race.GroupCommands(g.mem, cmds, grids, g.aliases))
}

// keep keeps what an access releases until it takes effect.
func (h *hooks) keep(unit *lsu, op int32) {
	if h.issued == nil {
		h.issued = make([][]*race.Issued, len(h.m.sms))
	}
	all := &h.issued[unit.sm.id]
	if n := int(op) + 1 - len(*all); n > 0 {
		*all = append(*all, make([]*race.Issued, n)...)
	}
	(*all)[op] = h.access
}

// taken is told that the lanes of an operation take effect on a line of global memory.
func (h *hooks) taken(unit *lsu, index int32, lanes uint32, line uint64) {
	if h.race == nil {
		return
	}
	released := h.issued[unit.sm.id][index]
	if released == nil {
		return
	}
	op := &unit.ops.items[index]
	wp := unit.warpOf(op)
	in := wp.job.code[op.pc].in
	buffer, base := h.m.run.grid.Mem.Lookup(line)
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes) & 31
		wp.block.race.Perform(wp.w.Index, op.pc, in, lane, released, buffer, base+int(op.off[lane]))
	}
}

// read is told that the loads that wait for a packet read memory.
func (h *hooks) read(unit *lsu, pk *packet) {
	if h.race == nil || pk.local {
		return
	}
	all := unit.waiters.items
	for i := pk.waiters; i >= 0; i = all[i].next {
		h.taken(unit, all[i].op, all[i].lanes, pk.line)
	}
}

// arrivedNamed is told that a warp arrives at a named barrier, which lets it and others continue if it opens.
func (h *hooks) arrivedNamed(wp *warp, id int, open, waits bool) {
	if h.race == nil {
		return
	}
	block := wp.block
	block.race.Arrive(wp.w.Index, id)
	if !open {
		return
	}
	for _, other := range block.warps {
		if other == wp && waits || other != wp && other.block == block && other.state == warpBarrier && other.named == int32(id) {
			block.race.Pass(other.w.Index, id)
		}
	}
	block.race.Opened(id)
}

// copies is told that an asynchronous copy is issued. The addresses of its source are in chip.addrs; the lanes of whole read all
// of it.
func (h *hooks) copies(wp *warp, in *ir.Inst, mask, whole uint32, dst *simt.Row) {
	if h.race != nil {
		wp.block.race.Copy(wp.w.Index, wp.w.PC, mask, whole, &wp.sub.sm.addrs, dst)
	}
	h.access = nil
}

// grouped is told that a warp makes a group of copies, or has waited for groups.
func (h *hooks) grouped(wp *warp, in *ir.Inst, mask uint32) {
	switch {
	case h.race == nil:
	case in.Op.OfBulk():
		wp.block.race.Bulk(wp.w.Index, in, mask)
	case in.Op == ir.OpCopyWait:
		wp.block.race.WaitCopies(wp.w.Index, mask, uint32(in.Imm))
	default:
		wp.block.race.CommitCopies(wp.w.Index, mask)
	}
}

// announced is told that an mbarrier waits for copies of a warp, and returns what arrivedCopied is to know of them.
func (h *hooks) announced(wp *warp) uint32 {
	if h.race == nil {
		return 0
	}
	return wp.block.race.Announce(wp.w.Index)
}

// arrivedCopied is told that the copies of a lane arrive at the mbarrier at an address.
func (h *hooks) arrivedCopied(wp *warp, a *asyncCopy, lane int, barrier, old, now uint64) {
	if h.history != nil {
		h.history.Landed(wp.w, a.pc, lane, barrier, old, now)
	}
	if h.race != nil {
		wp.block.race.Copied(wp.w.Index, a.pc, lane, barrier, a.known)
	}
}

// bulk is told that a lane issues a copy in bulk, and returns what arrivedCopied is to know of it.
func (h *hooks) bulk(wp *warp, in *ir.Inst, lane int) uint32 {
	h.access = nil
	if h.race == nil {
		return 0
	}
	w, race := wp.w, &wp.block.race
	at := wp.sub.sm.addrs
	w.Addresses(in, 1<<lane, &at)
	dst, bytes := w.Row(in.Src[1])[lane], w.Row(in.Src[2])[lane]
	if in.Op.ToCluster() {
		var box *tensormap.Box
		if in.Op.TensorDims() > 0 {
			one := w.Box(in, lane)
			box = &one
		}
		race.ToCluster(w.Index, w.PC, lane, box, at[lane], dst, bytes, w.Ranks(in, lane))
		return race.Announce(w.Index)
	}
	if in.Op.TensorDims() > 0 {
		box := w.Box(in, lane)
		race.Box(w.Index, w.PC, lane, &box, at[lane], w.Row(in.Src[1])[lane])
		return race.Announce(w.Index)
	}
	race.CopyBulk(w.Index, w.PC, 1<<lane, &at, w.Row(in.Src[1]), w.Row(in.Src[2]))
	return race.Announce(w.Index)
}

// storesBulk is told that lanes issue copies in bulk to global memory.
func (h *hooks) storesBulk(wp *warp, in *ir.Inst, mask uint32) {
	h.access = nil
	if h.race == nil {
		return
	}
	w, at := wp.w, wp.sub.sm.addrs
	w.Addresses(in, mask, &at)
	for left := mask; left != 0 && in.Op.TensorDims() > 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		box := w.Box(in, lane)
		wp.block.race.Box(w.Index, w.PC, lane, &box, at[lane], w.Row(in.Src[1])[lane])
	}
	if in.Op.TensorDims() > 0 {
		return
	}
	wp.block.race.StoreBulk(w.Index, w.PC, mask, &at, w.Row(in.Src[1]), w.Row(in.Src[2]))
}
