package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/sim/internal/observe"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// What a packet does at its slice: it takes the slice's port, finds its line or fetches it, and reads or changes memory.
// A packet names an access of its SM (see lsu), which says which bytes of which lanes it is about.

// load performs a load at its home, or at the copy in the near half, and returns the cycle from which the data is known
// in the near half. One that joined another takes the port of its slice no longer than one of a sector does.
func (l *l2) load(from *lsu, pk *packet, joined bool) uint64 {
	home, phys := pk.home, pk.phys
	sectors := bits.OnesCount8(pk.sectors)
	l.stats.Read += uint64(sectors)
	if pk.far {
		if ready, ok := l.copied(l.mirror(home), phys, pk.sectors); ok {
			// The packet has already travelled to the home slice; see l2.far.
			return max(l.reading(from, pk, l.mirror(home).slice, joined)-l.far, ready)
		}
	}
	lookup := l.reading(from, pk, home.slice, joined)
	turn, kept := l.slices[home.slice].atomic.load(phys/lineBytes, lookup)
	ready := max(turn, l.read(home, phys, pk.sectors, false, lookup))
	if pk.far {
		l.stats.Read += uint64(sectors)
		ready += l.far
		// The next atomic on a line that the unit keeps would invalidate the copy.
		if !kept {
			l.keepCopy(l.mirror(home), phys, pk.sectors, lookup, ready)
		}
	}
	return ready
}

// take reserves the port of a slice for the n sectors of a packet, and returns the cycle of the lookup.
func (l *l2) take(from *lsu, pk *packet, slice uint64, n int) uint64 {
	return l.takeFor(from, pk, slice, timing.Tick(n)*l.sector)
}

// reading reserves the port of a slice for a load, and returns the cycle of the lookup.
func (l *l2) reading(from *lsu, pk *packet, slice uint64, joined bool) uint64 {
	n := timing.Tick(bits.OnesCount8(pk.sectors))
	switch {
	case l.loaded == 0:
		return l.takeFor(from, pk, slice, n*l.sector)
	case joined:
		return l.takeFor(from, pk, slice, l.sector)
	}
	return l.takeFor(from, pk, slice, max(l.sector, n*l.loaded))
}

// takeFor reserves the port of a slice for some ticks, and returns the cycle of the lookup.
func (l *l2) takeFor(from *lsu, pk *packet, slice uint64, took timing.Tick) uint64 {
	if h := l.hooks; h != nil {
		h.arrived(from, pk, l.slices[slice].port)
	}
	return l.reserveFor(slice, took, l.now)
}

// store makes the L2 keep what a store of an SM, of this GPU or of another one, writes at a cycle.
func (l *l2) store(from *lsu, pk *packet, home home, t uint64) {
	ln := l.write(home, pk.phys, pk.sectors, t)
	l.keep(home.slice, l.stored)
	// Only a sector of which not all bytes are known or stored needs to know which ones are.
	if ln != nil || l.merge > 0 {
		var bytes [sectorsPerLine]uint32
		op := &from.ops.items[pk.op]
		element := uint32(1)<<from.warpOf(op).job.code[op.pc].in.Mem.Bytes() - 1
		for lanes := pk.lanes; lanes != 0; lanes &= lanes - 1 {
			offset := op.off[bits.TrailingZeros32(lanes)&31]
			bytes[offset/sectorBytes%sectorsPerLine] |= element << (offset % sectorBytes)
		}
		if ln != nil {
			l.lines.Write(ln, pk.sectors, &bytes)
		}
		l.mergeIn(home.slice, &bytes)
	}
	if l.half != 0 {
		l.written(l.mirror(home), pk.phys, pk.sectors)
	}
}

// perform makes the unit of a slice perform an atomic of an SM, of this GPU or of another one. It returns the
// cycle at which the result leaves the slice.
func (l *l2) perform(from *lsu, pk *packet, to home, data []byte, off int, cycle uint64) uint64 {
	result := pk.kind == packAtomic
	peer := from.sm.gpu != l.gpu
	ready := l.read(to, pk.phys, pk.sectors, true, cycle)
	// The copy in the other half is stale from now on.
	if l.half != 0 {
		l.written(l.mirror(to), pk.phys, pk.sectors)
	}
	op := &from.ops.items[pk.op]
	wp := from.warpOf(op)
	threads, inst := wp.w, &wp.job.code[op.pc]
	h := from.sm.hooks
	if h != nil {
		h.taken(from, pk.op, pk.lanes, pk.line)
	}
	// All lanes take effect when the packet arrives. When they would be served, one after the other, is only time: nothing can
	// come between, since packets are served in order.
	if from.readModifyWrite(op, threads, inst.in, pk.lanes, data, off, pk.line) {
		if peer {
			from.sm.progress()
		}
		l.progress()
	}
	lanes := acts(inst, pk.lanes)
	var groups onWords
	work := groups.steps(lanes, &op.off)
	work.far = pk.far
	served := work.times()
	from.sm.stats.L2.FromSM[pk.kind] += served
	if pk.far {
		served *= 2 // it passes through the near half
	}
	if result {
		l.stats.Atom += served
	} else {
		l.stats.Red += served
	}
	unit := &l.slices[to.slice].atomic
	before := unit.busy
	done := max(unit.serve(pk.phys/lineBytes, work, bits.OnesCount32(lanes), result, peer, cycle), ready+unit.latency)
	took := unit.busy - before
	l.told(unit)
	l.contend(from, pk, lanes, &groups, unit.free-took, took/timing.Tick(work.times()))
	return done
}

// told keeps for its cycle what a unit did not know of the work that has arrived: while SMs run by themselves, all that
// arrives in a window is performed before anything is sent in it.
func (l *l2) told(unit *atomicUnit) {
	if unit.unknown > 0 {
		l.late = append(l.late, lateWork{l.now, l.turn, unit, unit.unknown})
		unit.unknown = 0
	}
}

// lateWork is work that a unit is told of in a cycle.
type lateWork struct {
	in   uint64
	turn uint64
	unit *atomicUnit
	work timing.Tick
}

// tellLate lets atomic units be told later what they did not know of their work, or at once.
func (l *l2) tellLate(late bool) {
	for i := range l.slices {
		l.slices[i].atomic.late = late
	}
}

// tell tells units of the late work before a turn of a cycle.
func (l *l2) tell(in, turn uint64) {
	for ; l.toldLate < len(l.late); l.toldLate++ {
		x := &l.late[l.toldLate]
		if x.in > in || x.in == in && x.turn >= turn {
			return
		}
		x.unit.promised += x.work
	}
}

// contend records that the lanes of an atomic wait for its unit, which serves them from tick start, in step ticks each.
func (l *l2) contend(from *lsu, pk *packet, lanes uint32, groups *onWords, start, step timing.Tick) {
	op := &from.ops.items[pk.op]
	hooks, now := from.sm.hooks, uint64(timing.At(l.now))
	if l.words == nil {
		l.words = observe.NewWords()
	}
	buffer, base := from.sm.run.grid.Mem.Lookup(pk.line)
	for left := lanes; left != 0; left &= left - 1 {
		at := op.off[bits.TrailingZeros32(left)&31] &^ 3
		lanes := int(groups[at/4])
		if lanes == 0 {
			continue // counted with an earlier lane
		}
		groups[at/4] = 0
		l.stats.Ops += uint64(lanes)
		waited, word := l.words.Operate(observe.Place{Buffer: buffer.Key(), Byte: base + int(at)}, lanes, now, uint64(start), uint64(step))
		l.stats.Waited += waited
		if word.Buffer == "" {
			off, size := base+int(at), buffer.Elem.Bytes()
			word.Buffer, word.Index, word.Byte = buffer.Name, off/size, off%size
		}
		if hooks != nil {
			hooks.atomic(from, pk, int(at), lanes, start, step)
		}
	}
}

// acts returns the lanes that the atomic unit serves: one lane if it does the work of the whole warp.
func acts(d *decoded, lanes uint32) uint32 {
	if d.one {
		return lanes & -lanes
	}
	return lanes
}

// copySectors copies the sectors that a load requests from memory.
func copySectors(pk *packet, to *[lineBytes]byte, data []byte, off int) {
	if pk.local {
		return
	}
	if off+lineBytes > len(data) { // the last line of a buffer
		for sector := range sectorsPerLine {
			if lo := off + sector*sectorBytes; pk.sectors>>sector&1 != 0 && lo < len(data) {
				copy(to[sector*sectorBytes:(sector+1)*sectorBytes], data[lo:])
			}
		}
		return
	}
	copyLine(to, (*[lineBytes]byte)(data[off:]), pk.sectors)
}

// copyLine copies sectors of a line. Their size is a constant, so that no function is called for one.
func copyLine(to, from *[lineBytes]byte, sectors uint8) {
	if sectors == 1<<sectorsPerLine-1 {
		*to = *from
		return
	}
	for ; sectors != 0; sectors &= sectors - 1 {
		lo := bits.TrailingZeros8(sectors) % sectorsPerLine * sectorBytes
		*(*[sectorBytes]byte)(to[lo:]) = *(*[sectorBytes]byte)(from[lo:])
	}
}
