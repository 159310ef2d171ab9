package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/race"
)

// The functions in this file are called only if Options request races: callers check that m.race is not nil. Accesses
// are compared when they are issued, which is enough since clocks, not times, say what is ordered. What a strong access
// acquires and releases depends on which one came first, so it is recorded when the access takes effect.

// raceBegin prepares the race detector for the launches on the machine.
func (d *Device) raceBegin(jobs []job) error {
	var grids []*simt.Grid
	for _, j := range jobs {
		grids = append(grids, j.grid)
	}
	return d.m.race.Begin(grids...)
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
	return g.m.race.BeginCommands(race.GroupCommands(g.mem, cmds, grids, g.aliases))
}

// raceAccess records an access whose addresses are in m.addrs, and what the lanes of global release with it.
func (m *machine) raceAccess(wp *warp, in *ir.Inst, mask, global uint32) *race.Issued {
	w, b := wp.w, wp.block
	b.race.Access(w.Index, w.PC, in, mask, &m.addrs, 0, false)
	return b.race.Issue(w.Index, w.PC, in, global)
}

// raceIssued keeps what an operation releases until it takes effect.
func (m *machine) raceIssued(op int32, x *race.Issued) {
	if n := int(op) + 1 - len(m.issued); n > 0 {
		m.issued = append(m.issued, make([]*race.Issued, n)...)
	}
	m.issued[op] = x
}

// raceTaken records that the lanes of an operation take effect on a line of global memory.
func (m *machine) raceTaken(i int32, lanes uint32, line uint64) {
	x := m.issued[i]
	if x == nil {
		return
	}
	op := &m.ops.items[i]
	wp := &m.warps[op.warp]
	in := wp.job.code[op.pc].in
	a, base := m.run.grid.Mem.Lookup(line)
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes) & 31
		wp.block.race.Perform(wp.w.Index, op.pc, in, lane, x, a, base+int(op.off[lane]))
	}
}

// raceRead records that the loads that wait for a packet read memory.
func (m *machine) raceRead(pk *packet) {
	if pk.local {
		return
	}
	for i := pk.waiters; i >= 0; i = m.waiters.items[i].next {
		m.raceTaken(m.waiters.items[i].op, m.waiters.items[i].lanes, pk.line)
	}
}

// raceArrived records that a warp arrives at a named barrier, which lets it and others continue if it opens.
func (m *machine) raceArrived(wp *warp, id int, open, waits bool) {
	b := wp.block
	b.race.Arrive(wp.w.Index, id)
	if !open {
		return
	}
	for _, other := range b.warps {
		if other == wp && waits || other != wp && other.block == b && other.state == warpBarrier && other.named == int32(id) {
			b.race.Pass(other.w.Index, id)
		}
	}
	b.race.Opened(id)
}
