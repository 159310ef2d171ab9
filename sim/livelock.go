package sim

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/policy"
)

// livelock searches for a recurrence of the whole state of the machine. The machine is looked at whenever one warp, the
// anchor, branches back to one place: if the state recurs, the anchor is there again, unless it waits or has ended in
// the part of the launch that recurs. So another warp becomes the anchor if it has not been there for long.
type livelock struct {
	repeat.Machine
	encoder
	m        *machine
	anchor   *warp
	pc       int32
	backs    uint64 // backward branches of all warps
	last     uint64 // backs when the anchor was last at its place
	patience uint64 // backs after which another warp becomes the anchor
	due      bool   // the anchor is at its place in this cycle

	// The mark; see repeat.Subject.
	sum      uint64
	clocks   uint64
	position uint64
	rows     []uint64
	witness  int // the row that differed last

	// When the state was kept.
	keptAt  uint64 // cycle
	changes uint64
	ready   []readyWarp
}

// readyWarp is a warp that could issue, with the instructions that it had issued by then.
type readyWarp struct {
	wp    *warp
	turns uint32
}

// unrepeatable says why it cannot be shown that the state of the machine recurs; it returns "" if it can.
func (d *diagnosis) unrepeatable() string {
	switch {
	case d.hooks != nil && d.hooks.jitter != nil:
		return "jitter draws random delays, so that the state of the machine never recurs"
	case d.run.shares:
		return "it works on the memory of another GPU, or another GPU on its memory, and the state of several GPUs is not compared"
	}
	for _, p := range d.machine.policies {
		// A policy is part of the machine: two states that differ only in what it remembers do not go on alike.
		if _, ok := p.of.(policy.Stateful); !ok {
			return fmt.Sprintf("%s=%s does not show its state, so that the state of the machine is not known to recur", p.param, p.name)
		}
	}
	return ""
}

// whyUndecided says why it could not be shown that the state of the machine recurs; it returns "" if it could.
func (d *diagnosis) whyUndecided() string {
	if why := d.unrepeatable(); why != "" {
		return why
	}
	if l := d.livelock; l != nil && l.clocks != d.search.clocks {
		return "it reads a clock, so that the state of the machine never recurs"
	}
	return ""
}

// newLivelock begins the search.
func (d *diagnosis) newLivelock() *livelock {
	// An anchor that is left is given twice the time next time, so that a long period is found in the end.
	found := &livelock{m: d.machine, patience: 64}
	// The tags of L2 are the largest part of a state beside memory: their size says how much there is to compare.
	found.Scan = d.machine.l2.lines.Lines() / 8
	found.Restart()
	return found
}

// passed records that a warp has branched back.
func (l *livelock) passed(wp *warp) {
	l.backs++
	switch {
	case wp == l.anchor && wp.w.PC == l.pc:
		l.due, l.m.search.due = true, true
		l.last = l.backs
	case l.anchor == nil || l.backs-l.last > l.patience:
		l.anchor, l.pc, l.last = wp, wp.w.PC, l.backs
		l.patience *= 2
		l.Restart()
	}
}

// revisit looks at the machine at the end of a cycle in which the anchor was at its place.
func (d *diagnosis) revisit() {
	l := d.livelock
	if l == nil || !l.due || d.run.over {
		return
	}
	l.due = false
	if d.links.company {
		return // what other GPUs do is not part of the state
	}
	if l.anchor.w == nil || l.anchor.state == warpFree || !l.Visit(l, wordsPerStep*d.machine.work()) {
		return
	}
	if d.hooks.schedule().letGo(true) || d.run.over { // a warp that waits for its turn until all others repeat themselves
		l.Restart()
		return
	}
	kind := device.Livelock
	what := fmt.Sprintf("the whole machine is in the same state every %d cycles, so it goes on like this for ever, in this order of events", d.now-l.keptAt)
	switch n := l.Memory.Changes() - l.changes; n {
	case 0:
		what += "; no value in global memory changes"
	default:
		what += fmt.Sprintf("; values in global memory change %d times meanwhile, and change back", n)
	}
	// A warp that could issue all the time and was passed over would go on under a fair scheduler: that is starvation, and no
	// livelock (as weft progress tells them apart).
	for _, seen := range l.ready {
		if l.forgets(seen.wp) {
			kind = device.Starved
			what += fmt.Sprintf("; warp %d of block %s could run and never gets a turn", seen.wp.w.Index, seen.wp.job.grid.Shape.BlockName(seen.wp.block.ID))
			break
		}
	}
	if n := d.hooks.schedule().held(); n > 0 {
		kind = device.Starved
		what += fmt.Sprintf("; %s never lets %s go on", d.hooks.schedule().name(), groups(n))
	}
	d.fail(d.hang(kind, what))
}

// forgets reports whether a warp could issue when the state was kept that has recurred, and has not.
func (l *livelock) forgets(wp *warp) bool {
	return l != nil && slices.ContainsFunc(l.ready, func(s readyWarp) bool { return s.wp == wp && s.turns == wp.turns })
}

// wordsPerStep is about how many words of a state can be encoded in the time in which a warp instruction or a packet is
// simulated.
const wordsPerStep = 100

// Mark implements repeat.Subject.
func (l *livelock) Mark() {
	wp := l.anchor
	l.sum, l.clocks, l.position = l.Memory.Sum(), l.m.search.clocks, wp.Position()
	l.rows = l.rows[:0]
	for i := range wp.board.rows {
		l.rows = append(l.rows, wp.content(i))
	}
}

// Marked implements repeat.Subject. A clock that has been read since then rules out that the state is the same.
func (l *livelock) Marked() bool {
	wp := l.anchor
	if l.Memory.Sum() != l.sum || l.m.search.clocks != l.clocks || wp.Position() != l.position || len(l.rows) != len(wp.board.rows) {
		return false
	}
	// The row that differed last most often differs again: one comparison instead of all.
	if l.witness < len(l.rows) && wp.content(l.witness) != l.rows[l.witness] {
		return false
	}
	for i, h := range l.rows {
		if wp.content(i) != h {
			l.witness = i
			return false
		}
	}
	return true
}

// content returns a hash of a register row or a predicate, whatever may be in flight to it.
func (wp *warp) content(i int) uint64 {
	if n := len(wp.w.Regs); i >= n {
		return uint64(wp.w.Preds[i-n])
	}
	return maphash.Bytes(hashSeed, simt.RowBytes(&wp.w.Regs[i]))
}

// Kept implements repeat.Subject.
func (l *livelock) Kept() {
	l.keptAt, l.changes, l.ready = l.m.now, l.Memory.Changes(), l.ready[:0]
	for _, b := range l.m.dispatcher.slots {
		for _, wp := range b.warps {
			if b.running > 0 && wp.block == b && wp.state == warpReady {
				l.ready = append(l.ready, readyWarp{wp, wp.turns})
			}
		}
	}
}

// Read implements repeat.Subject.
func (l *livelock) Read(addr uint64) uint64 {
	a, off := l.m.run.grid.Mem.Lookup(addr)
	return wordAt(a.Data, off)
}

// storeTracked writes an element at an offset of data, in which the line at an address begins at base, and reports whether its
// value changed.
func storeTracked(m *repeat.Memory, line uint64, data []byte, base, at int, k ir.Kind, v uint64) bool {
	old := wordAt(data, at&^7)
	simt.Store(data, at, k, v)
	now := wordAt(data, at&^7)
	if now == old {
		return false
	}
	m.Changed(line+uint64(at&^7-base), old, now)
	return true
}

// wordAt returns the 8 bytes at an offset, or those before the end.
func wordAt(data []byte, off int) (x uint64) {
	if off+8 <= len(data) {
		return binary.NativeEndian.Uint64(data[off:])
	}
	for i, c := range data[off:] {
		x |= uint64(c) << (8 * i)
	}
	return x
}
