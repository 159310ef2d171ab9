package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/base/bitmix"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/cache"
	"github.com/weft-gpu/weft/sim/internal/dram"
	"github.com/weft-gpu/weft/sim/internal/observe"
	"github.com/weft-gpu/weft/sim/internal/timing"
	"github.com/weft-gpu/weft/sim/policy"
)

const (
	lineBytes      = config.LineBytes
	lineShift      = 7
	sectorBytes    = config.SectorBytes
	sectorsPerLine = lineBytes / sectorBytes
)

// l2 is the cache that all SMs share. It holds only tags and times: it is coherent, so its data is the contents of
// device memory.
type l2 struct {
	*chip
	slices  []slice
	chunk   uint               // shift of the interleaving
	pair    uint               // log2 of the bytes that two slices share; chunk: none do
	copies  bool               // whether what copies write stays
	hash    policy.AddressHash // nil: the built-in hash
	latency uint64
	sector  timing.Tick
	loaded  timing.Tick // of a load, instead of sector, if all of them take longer than one of those; 0: sector for each
	stored  timing.Tick // in addition, of the sectors of a line that a store writes
	merge   timing.Tick // in addition, of a sector of which only some bytes are stored
	// far is how many cycles longer the path from an SM to the other half of the L2 is. A load from there leaves a
	// copy in the near half, which serves later loads until the line is written. All accesses take effect at their
	// home slice, so that an SM's accesses to a word stay in order; if a copy serves a load, the reply comes from the
	// near half.
	far       uint64
	farAtomic uint64   // additional cycles of an atomic there
	page      uint     // log2 of the size of the pages that are assigned to one half
	spread    []uint64 // by distance of a slice within a half: cycles beyond the nearest one
	half      uint64   // slices per half
	second    []bool   // by SM: the half of the later slices is near
	mem       *dram.Memory
	lines     cache.L2 // by slice
	fetch     int      // bytes that a miss brings
	// complete: a sector of which only some bytes have been written is completed before it is written back.
	complete bool

	// What follows changes with each packet, while SMs on other threads read what is above: they share no cache line of the host.
	_        [64]byte
	stats    counter.L2
	late     []lateWork     // of this window, in the order of their cycles and turns
	toldLate int            // those that units have been told of
	turn     uint64         // of the packet that arrives
	words    *observe.Words // for which atomics wait; nil before the first atomic
}

// slice is one partition of the L2 with its port and atomic unit.
type slice struct {
	port   timing.Tick // when it accepts the next sector
	busy   timing.Tick // total time for which the port was busy
	fills  []uint64
	fill   int // next in fills, a ring of the cycles at which each fill slot is free
	atomic atomicUnit

	// busy and atomic.taken() when the launch began
	busyFrom, takenFrom timing.Tick
}

func newL2(shared *chip, mem *dram.Memory) *l2 {
	c, atomic, sms := &shared.cfg.L2, &shared.cfg.Atomic, shared.cfg.SM.Count
	l := &l2{
		chip:    shared,
		slices:  make([]slice, c.Slices),
		chunk:   uint(bits.TrailingZeros(uint(c.Interleave))),
		pair:    uint(bits.TrailingZeros(uint(max(c.Pair, c.Interleave)))),
		latency: uint64(c.Latency - c.Spread/2),
		copies:  c.Copies > 0,
		sector:  timing.Ticks(c.Sector),
		loaded:  timing.Ticks(c.Load),
		stored:  timing.Ticks(c.Store),
		merge:   timing.Ticks(c.Merge),
		mem:     mem,

		fetch: c.Fetch, complete: c.Partial == "read",
	}
	// The latency of a preset is the mean over slices: the nearest is half of the spread below it.
	l.spread = make([]uint64, c.Slices/c.Partitions)
	for i := range l.spread {
		l.spread[i] = uint64(c.Spread * i / max(len(l.spread)-1, 1))
	}
	if c.Partitions == 2 {
		l.page = uint(bits.TrailingZeros(uint(c.Page)))
		l.far, l.farAtomic = uint64(c.Far), uint64(atomic.Far)
		l.half, l.second = uint64(c.Slices/2), secondHalf(sms, shared.cfg.Xbar.Groups)
	}
	l.lines = cache.NewL2(c)
	for i := range l.slices {
		l.slices[i].fills = make([]uint64, c.MSHRs)
		l.slices[i].atomic = newAtomicUnit(atomic)
	}
	return l
}

// begin records how long ports and atomic units have been busy, for busiest, and that nothing waits for a unit if the GPU was idle.
func (l *l2) begin(idle bool) {
	l.words.Begin(idle)
	for i := range l.slices {
		s := &l.slices[i]
		s.busyFrom, s.takenFrom = s.busy, s.atomic.taken()
		if idle {
			s.atomic.forget()
		}
	}
}

// busiest returns how long the busiest port and the busiest atomic unit have been busy since begin.
func (l *l2) busiest() (port, unit timing.Tick) {
	for i := range l.slices {
		s := &l.slices[i]
		port, unit = max(port, s.busy-s.busyFrom), max(unit, s.atomic.taken()-s.takenFrom)
	}
	return port, unit
}

// home is where a line is kept: a slice and a set of it.
type home struct{ slice, set uint64 }

// homeOf distributes chunks over the slices: a run of as many chunks as there are slices visits each slice once, in an
// order that differs from run to run, so that a slice's chunks of an array have consecutive numbers. With two
// partitions, a page's chunks stay in one of them, and of two consecutive pages each has one. If slices come in pairs, a
// chunk is what a pair shares, and its pieces go to one and the other in turn; a hash says to which first, as on an H100, where half of the lines that share
// a unit have another place in their kilobyte (results/hw/atomics/h100-places.csv).
func (l *l2) homeOf(phys uint64) home {
	if l.hash != nil {
		chunk, slices := phys>>l.chunk, uint64(len(l.slices))
		return l.homeIn(uint64(l.hash.Slot(chunk, len(l.slices))), chunk/slices, phys)
	}
	chunk, places := phys>>l.pair, uint64(len(l.slices))
	paired := uint64(0)
	if l.pair > l.chunk {
		paired = 1
		places /= 2
	}
	first := uint64(0)
	if l.half != 0 {
		// A hash says which of two consecutive pages is in which half, so that strides of two pages use both.
		pair := phys >> l.page >> 1
		first = (phys>>l.page ^ bitmix.Mix(pair)) & 1 * l.half
		within := l.page - l.pair
		places /= 2
		chunk = pair<<within | chunk&(1<<within-1)
	}
	run := chunk / places
	slice := (chunk+bitmix.Mix(run))%places<<paired | (phys>>l.chunk^bitmix.Mix(phys>>l.pair)>>32)&paired
	return l.homeIn(first+slice, run, phys)
}

// homeIn returns the place in a slice of the line at phys, which is in chunk number run of the slice. The set follows from that number, so
// that consecutive chunks of a slice fill all sets; see cache.L2.
func (l *l2) homeIn(slice, run, phys uint64) home {
	within := l.chunk - lineShift // of a piece
	line := phys >> lineShift & (1<<within - 1)
	if pieces := l.pair - l.chunk; pieces > 0 && l.hash == nil { // every other one of a chunk
		line |= phys >> (l.chunk + 1) & (1<<(pieces-1) - 1) << within
		within += pieces - 1
	}
	return home{slice, l.lines.Set(run<<within | line)}
}

// mirror returns where the other half keeps copies of a line.
func (l *l2) mirror(at home) home {
	if at.slice >= l.half {
		return home{at.slice - l.half, at.set}
	}
	return home{at.slice + l.half, at.set}
}

// distance returns how many cycles longer the path from an SM to a slice is than the path to the nearest slice of the
// same half.
func (l *l2) distance(sm int32, slice uint64) uint64 {
	n := uint64(len(l.spread))
	return l.spread[(slice%n+uint64(sm)*distanceStep)%n]
}

// distanceStep makes different slices the nearest for neighbouring SMs.
const distanceStep = 7

// copied reports whether a place in the half that is not the line's home, has a copy of the sectors or has one on the way, and
// from which cycle it can serve them.
func (l *l2) copied(h home, phys uint64, sectors uint8) (from uint64, ok bool) {
	ln := l.lines.Find(h.slice, h.set, phys)
	if ln == nil || sectors&^ln.Valid != 0 {
		return 0, false
	}
	l.lines.Use(ln)
	l.stats.Hits += uint64(bits.OnesCount8(sectors))
	return ln.Ready, true
}

// keepCopy records that a place, looked up at a cycle, gets a copy of the sectors, which arrive in cycle ready.
func (l *l2) keepCopy(h home, phys uint64, sectors uint8, t, ready uint64) {
	ln := l.line(h, phys, t)
	missed := uint64(bits.OnesCount8(sectors &^ ln.Valid))
	l.stats.Misses += missed
	l.stats.Hits += uint64(bits.OnesCount8(sectors)) - missed
	ln.Valid |= sectors
	ln.Ready = max(ln.Ready, ready)
}

// written drops the copy of the sectors at a place.
func (l *l2) written(h home, phys uint64, sectors uint8) {
	if ln := l.lines.Find(h.slice, h.set, phys); ln != nil {
		ln.Valid &^= sectors
	}
}

// together is how many blocks of a grid that does not fill an H200 come to SMs of one half first; those that follow are dealt to the GPCs of both
// (results/hw/barriers/README.md; see places).
const together = 8

// secondHalf says which SMs, half of them, are near the second half of the L2, in the order in which SMs get blocks: those behind the first eight up to
// the end of the second group, and the last ones. So few of the groups whose reads are merged have SMs of both halves.
func secondHalf(sms, groups int) []bool {
	second, half := make([]bool, sms), sms/2
	first := min(together, sms-half)
	end := first + half/2
	for sm := first; groups > 2 && sm < sms; sm++ {
		if groupOf(uint64(sm), uint64(groups), uint64(sms+1)/2) == 2 {
			end = sm
			break
		}
	}
	end = min(end, first+half)
	for sm := range second {
		second[sm] = sm >= first && sm < end || sm >= sms-(half-(end-first))
	}
	return second
}

// isFar reports whether a slice lies in the half of the L2 that is not near the SM.
func (l *l2) isFar(sm int32, slice uint64) bool {
	return l.half != 0 && l.second[sm] != (slice >= l.half)
}

// reserve reserves the port of a slice for n sectors from cycle now on and returns the cycle of the lookup.
func (l *l2) reserve(number uint64, n int, now uint64) uint64 {
	return l.reserveFor(number, timing.Tick(n)*l.sector, now)
}

// reserveFor reserves the port of a slice for some ticks from cycle now on and returns the cycle of the lookup.
func (l *l2) reserveFor(number uint64, took timing.Tick, now uint64) uint64 {
	sl := &l.slices[number]
	start := max(timing.At(now), sl.port)
	sl.port = start + took
	sl.busy += took
	return uint64(start) / timing.TicksPerCycle
}

// mergeIn reserves the port of a slice for merging stored bytes into their sectors: the data array is read and written
// in whole sectors, which is what its check bits are of.
func (l *l2) mergeIn(number uint64, bytes *[sectorsPerLine]uint32) {
	for _, mask := range bytes {
		if mask != 0 && mask != ^uint32(0) {
			l.keep(number, l.merge)
		}
	}
}

// keep reserves the port of a slice for some ticks more.
func (l *l2) keep(number uint64, more timing.Tick) {
	l.slices[number].port += more
	l.slices[number].busy += more
}

// line returns the line at phys, which it inserts at that cycle if its home does not have it.
func (l *l2) line(home home, phys, cycle uint64) *cache.Line {
	ln := l.lines.Find(home.slice, home.set, phys)
	if ln == nil {
		var gone cache.Line
		ln, gone = l.lines.Replace(home.slice, home.set, phys)
		if gone.Dirty != 0 {
			l.writeBack(&gone, cycle)
		}
	}
	l.lines.Use(ln)
	return ln
}

// writeBack writes the dirty sectors of an evicted line to device memory at a cycle. Of those of which only some bytes
// have been written, the others are read first, unless device memory can write single bytes.
func (l *l2) writeBack(gone *cache.Line, cycle uint64) {
	l.stats.WriteBacks += uint64(bits.OnesCount8(gone.Dirty))
	if part := gone.Dirty &^ gone.Valid; part != 0 && l.complete {
		cycle = l.mem.Access(gone.Addr(), part, false, cycle)
	}
	l.mem.Access(gone.Addr(), gone.Dirty, true, cycle)
}

// read looks up the sectors of a line at a cycle for a load or an atomic, which makes them dirty, and fills those that
// are not valid from device memory. It returns the cycle from which their data can be used.
func (l *l2) read(home home, phys uint64, sectors uint8, atomic bool, cycle uint64) uint64 {
	ln := l.line(home, phys, cycle)
	missing := sectors &^ ln.Valid
	missed := uint64(bits.OnesCount8(missing))
	l.stats.Misses += missed
	l.stats.Hits += uint64(bits.OnesCount8(sectors)) - missed
	ready := cycle
	if sectors&ln.Valid != 0 {
		ready = max(ready, ln.Ready) // in flight: a hit that waits
	}
	if missing != 0 {
		sl := &l.slices[home.slice]
		// A miss brings l2.fetch bytes, and waits for a fill slot if all are taken: the slots are a ring, in the order of misses.
		missing = l.fetched(missing) &^ ln.Valid
		begin := max(cycle, sl.fills[sl.fill])
		done := l.mem.Access(phys, missing, false, begin)
		sl.fills[sl.fill] = done
		if sl.fill++; sl.fill == len(sl.fills) {
			sl.fill = 0
		}
		ln.Ready = max(ln.Ready, done)
		ready = max(ready, done)
		ln.Valid |= missing
	}
	if atomic {
		ln.Dirty |= sectors
	}
	return ready
}

// fetched returns the sectors that a miss of sectors brings.
func (l *l2) fetched(sectors uint8) uint8 {
	switch l.fetch {
	case 2 * sectorBytes:
		sectors |= sectors&0b0101<<1 | sectors&0b1010>>1
	case 4 * sectorBytes:
		sectors = 1<<sectorsPerLine - 1
	}
	return sectors
}

// write looks up the sectors of a line at a cycle for a store. If some are not valid, it returns the line, and the caller
// says which bytes are stored.
func (l *l2) write(h home, phys uint64, sectors uint8, t uint64) *cache.Line {
	ln := l.line(h, phys, t)
	missing := sectors &^ ln.Valid
	missed := uint64(bits.OnesCount8(missing))
	l.stats.Misses += missed
	l.stats.Hits += uint64(bits.OnesCount8(sectors)) - missed
	if missing != 0 {
		return ln
	}
	ln.Dirty |= sectors
	return nil
}

// bulk makes device memory transfer the lines of n bytes at a physical address from a cycle on, and returns the cycle
// at which it has. Its counters are those of launches.
func (l *l2) bulk(phys uint64, n int, write bool, cycle uint64) uint64 {
	done, counts := cycle, l.mem.Counts
	defer func() { l.mem.Counts = counts }()
	for at, end := phys&^(lineBytes-1), phys+uint64(n); at < end; at += lineBytes {
		done = max(done, l.mem.Access(at, 1<<sectorsPerLine-1, write, cycle))
	}
	return done
}

// leave puts in the cache what a copy or a fill has written: it is at its home, as after the store of a kernel.
func (l *l2) leave(phys uint64, n int) {
	if !l.copies {
		return
	}
	for at, end := phys&^(lineBytes-1), phys+uint64(n); at < end; at += lineBytes {
		sectors := uint8(1<<sectorsPerLine - 1)
		if first := max(at, phys); first > at {
			sectors &^= 1<<((first-at)/sectorBytes) - 1
		}
		if last := min(at+lineBytes, end); last < at+lineBytes {
			sectors &= 1<<((last-at+sectorBytes-1)/sectorBytes) - 1
		}
		home := l.homeOf(at)
		l.place(home, at, sectors, true, true)
		if l.half != 0 {
			l.written(l.mirror(home), at, sectors)
		}
	}
}

// encodeSlices adds when ports, fill slots and atomic units are free.
func (l *l2) encodeSlices(e *encoder) {
	for i := range l.slices {
		slice := &l.slices[i]
		e.tick(slice.port)
		// From the oldest on: at which index a ring begins decides nothing.
		for k := range slice.fills {
			if e.time(slice.fills[(slice.fill+k)%len(slice.fills)]); e.r.Differs() {
				return
			}
		}
		unit := &slice.atomic
		e.tick(unit.free)
		e.tick(unit.promised)
		e.tick(unit.sides[0])
		e.tick(unit.sides[1])
		for place, line := range unit.lines {
			e.r.Word(line)
			e.r.Word(uint64(unit.turns[place]))
			e.tick(unit.until[place])
		}
	}
}

// encodeLines adds the lines, and device memory behind them.
func (l *l2) encodeLines(e *encoder) {
	l.mem.Encode(e.r.Word, timing.At(e.now))
	l.lines.Encode(e.r, e.now)
}
