package sim

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/bitmix"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/waitfor"
)

// A launch hangs if every warp repeats itself, or waits for a warp that does, and nothing in flight can change that.
// What a warp does next depends on its registers, on the positions of its lanes and on the values that it reads. So
// once nothing that a warp can read changes any more, a warp that returns to a loop head in the state that it had there
// before will do so forever; see repeat.Loop.
//
// What a warp can read is memory, or the older bytes that its SM's L1 holds of a line. Both count: a value in memory
// that changes, and a line of L1 that gains or loses bytes that differ from memory. A barrier that opens, a block that
// is placed and a thread that exits count as well. Each of these calls chip.progress, and the search starts over.
//
// The search begins when all accesses that began before the last change have ended, since a reply may bring an older
// value. It has two phases. In the first, every warp repeats itself once. A store of the first round may still be in
// flight then. In the second phase, every warp repeats itself again, after all accesses of the first have ended without
// changing anything; the accesses that follow are the same. Warps that wait at a barrier must have waited during the
// whole second phase.

// search is the state of the machine's hang detection.
type search struct {
	phase uint8  // 0: accesses that began before the last change are in flight
	due   bool   // the machine looks for a verdict at the end of this cycle
	epoch uint32 // of accesses, a new one from each change and each phase on
	from  uint32 // the epoch in which the search began; never in phase 0
	older int    // accesses of earlier epochs in flight
	// flight is how many accesses are in flight, changes how often something changed that a spinning warp may wait for (a
	// value in memory, a warp that ended, a barrier that opened, a block that was placed; not steps that a schedule let go
	// on), and clocks how often a warp has read a clock.
	flight  int
	changes uint64
	clocks  uint64
	next    int // block slots before this one have been found to be settled in this epoch
	// spread: this is what an SM, or the rest of the machine, knows of the search while SMs run by themselves; changed says
	// that something changed in this window.
	spread, changed           bool
	flightBefore, olderBefore int // at the end of the last window
	// In a group: the machine could be shown to hang if no other GPU changed what it reads, and the search began when
	// the group asked for it; see Group.settled.
	settled, asked bool
}

// notSearching is the value of search.from in phase 0.
const notSearching = math.MaxUint32

// watch is the state of the search for one warp.
type watch struct {
	loop    repeat.Loop
	from    uint32    // the search that the rest belongs to
	done    uint32    // the last epoch in which it repeated itself
	blocked uint32    // the epoch in which it began to wait for other warps or for its own lanes
	ran     uint32    // lanes that have reached a loop head since the state was kept
	loads   []request // by row
	mem     int32     // pc of the last access since the search began; -1 for none
	addr    uint64
}

// request describes the access whose reply will fill a row.
type request struct {
	hash  uint64
	lanes uint32
}

var hashSeed = maphash.MakeSeed()

// progress records an event that a spinning warp may wait for. The search for a hang starts over.
func (c *chip) progress() {
	c.search.changes++
	if c.search.spread {
		c.search.changed = true
		return
	}
	c.searchAnew()
}

// searchAnew starts the search for a hang over.
func (c *chip) searchAnew() {
	search := &c.search
	search.epoch++
	search.phase, search.from, search.next, search.older = 0, notSearching, 0, search.flight
	search.settled, search.asked = false, false
	// Nothing in flight can bring a value of before: the first phase begins at once.
	if search.older == 0 {
		search.phase, search.from = 1, search.epoch
	}
}

// began records that an access begins, and returns its epoch.
func (s *search) began() uint32 {
	s.flight++
	return s.epoch
}

// ended records that an access of an epoch has ended.
func (s *search) ended(epoch uint32) {
	s.flight--
	// It brings values of this phase, on which the search relies.
	if epoch == s.epoch {
		return
	}
	if s.older--; s.older > 0 || s.spread {
		return
	}
	if s.phase == 0 {
		s.phase, s.from = 1, s.epoch
	} else {
		s.due = true
	}
}

// blocks reports whether a warp in the state waits for other warps of its block, for its own lanes, or for a schedule.
func (st warpState) blocks() bool { return st == warpBarrier || st == warpParted || st == warpHeld }

// suspect is called regularly, also when no warp has branched back.
func (d *diagnosis) suspect() {
	if d.hooks.schedule().letGo(false); !d.run.over {
		d.judge()
	}
	d.machine.windows.turn(d)
	if !d.machine.windows.isParted() && d.livelock == nil && d.now-d.run.start >= uint64(d.cfg.Hang.Window) && d.unrepeatable() == "" {
		d.livelock = d.newLivelock()
		d.memory = &d.livelock.Memory
	}
	d.lookDoomed()
}

// doomedAfter is the number of cycles of a launch after which it is asked first whether some of its threads can never end,
// and doomedAgain the factor between two such questions. Each is asked twice.
const (
	doomedAfter = 1 << 20
	doomedAgain = 4
	doomedTwice = 1 << 17 // cycles between the two
)

// lookDoomed ends a launch of which a part can never end, whatever the rest does.
func (d *diagnosis) lookDoomed() {
	run := d.run
	ran := d.now - run.start
	if ran < max(d.doomedAt, doomedAfter) || run.over || d.links.group != nil || len(run.jobs) != 1 || d.hooks.schedule().held() > 0 {
		return
	}
	switch found, soon := d.doomed.Look(d.frozen(run.jobs[0], false, false)); {
	case len(found) > 0:
		d.fail(d.hangs(device.Hang, waitfor.DoomedText(found), false))
	case soon:
		d.doomedAt = ran + doomedTwice
	default:
		d.doomedAt = ran * doomedAgain
	}
}

// judge looks for a hang: it ends a phase if all warps repeat themselves or wait; in the second phase it ends the
// launch.
func (d *diagnosis) judge() {
	search := &d.search
	if search.phase == 0 || search.older > 0 || d.dispatcher.called { // called: a block is about to be placed
		return
	}
	// Most looks fail at the slot at which the last one failed: that one is asked first.
	for ; search.next < len(d.dispatcher.slots); search.next++ {
		if !d.settled(d.dispatcher.slots[search.next], new(outlook)) {
			return
		}
	}
	var all outlook
	for i, slot := range d.dispatcher.slots {
		if !d.settled(slot, &all) {
			search.next = i
			return
		}
	}
	switch {
	// A store of the first round may be in flight, or a warp has begun to wait during this one: look again after a whole
	// round.
	case search.phase == 1 || all.late:
		search.phase, search.next = 2, 0
		search.epoch++
		search.older = search.flight
	case d.links.asks(askJudge):
	// Nothing happens by itself any more: it is the schedule's turn.
	case d.hooks.schedule().letGo(true) || d.run.over:
	case d.hooks.schedule().held() > 0:
		d.starved()
	case !all.loops:
		d.stuck()
	case d.links.group != nil && !d.links.group.settled(d.machine):
	default:
		found := d.hang(device.Hang, nothingChanges)
		if d.links.group != nil {
			d.links.group.join(found, d.machine)
		}
		d.fail(found)
	}
}

// nothingChanges says why a kernel hangs.
const nothingChanges = "no value in memory has changed, and every warp repeats itself or waits for one that does"

// outlook is what warps do that are settled.
type outlook struct {
	loops bool // one of them repeats itself
	late  bool // one of them began to wait during this epoch
}

// settled reports whether all warps of a block slot repeat themselves or wait, and adds what they do to o.
func (d *diagnosis) settled(slot *block, seen *outlook) bool {
	if slot.running == 0 {
		return true
	}
	epoch := d.search.epoch
	for _, wp := range slot.warps {
		switch {
		case wp.block != slot || wp.state == warpFree:
		case wp.state.blocks():
			// A barrier that opens lets its warps go on in some cycles.
			if wp.state == warpBarrier && (slot.opening || wp.named < 0) {
				return false
			}
			seen.late = seen.late || wp.watch.blocked == epoch
		// A warp that drains ends by itself, which others may wait for.
		case wp.state == warpDraining || wp.watch.done != epoch:
			return false
		default:
			seen.loops = true
		}
	}
	return true
}

// waiting implements Progress.Waiting.
func (d *diagnosis) waiting() (waiting, resident int) {
	for i := range d.warps {
		wp := &d.warps[i]
		if wp.state == warpFree || wp.w == nil {
			continue
		}
		resident++
		if wp.state.blocks() || d.repeats(wp) {
			waiting++
		}
	}
	return waiting, resident
}

// watching reports whether the warp has reached a loop head since the search began. Most of the time there is no search.
func (c *chip) watching(wp *warp) bool { return c.search.phase != 0 && wp.watch.from == c.search.from }

// repeats reports whether the warp was found to repeat itself, and nothing has changed since.
func (c *chip) repeats(wp *warp) bool { return c.watching(wp) && wp.watch.done >= wp.watch.from }

// looped records that a warp branched from pc; only targets of backward branches are loop heads. It reports whether
// the lanes there yielded to others of the warp.
func (s *sm) looped(wp *warp, pc int32) bool {
	if wp.w.PC > pc {
		return false
	}
	// In phase 0 values of before the last change are still on their way: to return to a state means nothing then.
	if s.search.phase != 0 && !wp.w.Done() {
		s.recur(wp)
	}
	if s.livelock != nil {
		s.livelock.passed(wp)
	}
	return s.its && s.branchedBack(wp)
}

// recur checks whether a warp at a loop head is in a state that it has had before. If its parts take turns, each part
// that does not wait must have run since then.
func (c *chip) recur(wp *warp) {
	watch, search := &wp.watch, &c.search
	if watch.from != search.from {
		watch.restart(search.from)
	}
	if watch.done == search.epoch {
		return
	}
	// Parts of a warp take turns: only when each that can run has been here does the warp as a whole repeat itself.
	watch.ran |= wp.w.Mask
	same, kept := watch.loop.Visit(wp.job.flow, wp)
	switch {
	case kept:
		watch.ran = 0
	case same && (!c.its || wp.w.Live()&^watch.ran&^waiting(wp.w) == 0):
		watch.done, search.due = search.epoch, true
	}
}

// restart begins a new search.
func (h *watch) restart(from uint32) {
	h.loop.Reset()
	h.from, h.done, h.ran, h.mem = from, 0, 0, -1
	clear(h.loads)
}

// waiting returns the lanes of the parts that wait for others.
func waiting(w *simt.Warp) (lanes uint32) {
	for i := range w.Parts {
		if p := &w.Parts[i]; p.Wait != simt.Runs {
			lanes |= p.Mask
		}
	}
	return lanes
}

// issues records an access whose result arrives later: until then, a hash of the request stands for the lanes of the
// destination registers in the state of the warp.
func (h *watch) issues(w *simt.Warp, d *decoded, mask uint32, addrs *simt.Row) {
	// A store changes no register.
	if d.numDst == 0 {
		return
	}
	// Equal requests bring equal values as long as nothing changes in memory, which is when hashes are compared.
	hash := bitmix.Mix(uint64(mask)<<32 | uint64(uint32(w.PC)))
	// The whole row at once, which is the usual case.
	if mask == simt.Full {
		hash = bitmix.Mix(hash + maphash.Bytes(hashSeed, simt.RowBytes(addrs)))
	} else {
		for left := mask; left != 0; left &= left - 1 {
			hash = bitmix.Mix(hash ^ addrs[bits.TrailingZeros32(left)&31])
		}
	}
	// The old value, which an atomic returns, is of memory; what it stores there is of its operands.
	if d.in.Op != ir.OpLoad {
		for i := 1; i < int(d.in.NSrc); i++ {
			hash = bitmix.Mix(hash + maphash.Bytes(hashSeed, simt.RowBytes(w.Row(d.in.Src[i]))))
		}
	}
	for _, row := range d.uses[:d.numDst] {
		for int(row) >= len(h.loads) {
			h.loads = append(h.loads, request{})
		}
		h.loads[row] = request{hash, mask}
	}
}

// Row implements repeat.State.
func (wp *warp) Row(i int) (hash uint64, ok bool) {
	w, watch := wp.w, &wp.watch
	if wp.board.rows[i] != pending {
		if i < len(w.Regs) {
			return maphash.Bytes(hashSeed, simt.RowBytes(&w.Regs[i])), true
		}
		return bitmix.Mix(uint64(w.Preds[i-len(w.Regs)]) + 1), true
	}
	// The load began before the search did, and its value may be an older one.
	if i >= len(watch.loads) || watch.loads[i].lanes == 0 {
		return 0, false
	}
	asked := &watch.loads[i]
	if i >= len(w.Regs) {
		return bitmix.Mix(asked.hash + uint64(w.Preds[i-len(w.Regs)]&^asked.lanes)), true
	}
	// The lanes that the load does not fill keep their values; those that it fills count by the request alone.
	if asked.lanes == w.Exists {
		return asked.hash, true
	}
	// Nothing is read of these: the L2 may be about to write what an atomic returns; see arrivals.
	var row simt.Row
	for left := ^asked.lanes; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		row[lane] = w.Regs[i][lane]
	}
	return bitmix.Mix(asked.hash) + maphash.Bytes(hashSeed, simt.RowBytes(&row)), true
}

// stateOf returns a hash of everything except memory that determines what a warp does next; ok is false if a load is
// in flight that was not recorded.
func (d *diagnosis) stateOf(wp *warp) (state uint64, ok bool) {
	state = wp.Position()
	for i := range wp.board.rows {
		row, known := wp.Row(i)
		if !known {
			return 0, false
		}
		state = bitmix.Mix(state ^ row)
	}
	return state, true
}

// Position implements repeat.State.
func (wp *warp) Position() uint64 {
	w := wp.w
	hash := uint64(len(w.Stack))
	path := func(p *simt.Path) {
		hash = bitmix.Mix(hash ^ uint64(uint32(p.PC))<<32 ^ uint64(uint32(p.Recon)))
		hash = bitmix.Mix(hash + uint64(p.Mask))
	}
	path(&w.Path)
	for i := range w.Stack {
		path(&w.Stack[i])
	}
	for i := range w.Parts {
		path(&w.Parts[i].Path)
		hash += uint64(w.Parts[i].Wait)
	}
	return hash
}

// AppendPlaces implements repeat.State.
func (wp *warp) AppendPlaces(to []int32) []int32 {
	w := wp.w
	to = append(to, w.PC)
	for i := range w.Stack {
		to = append(to, w.Stack[i].PC)
	}
	for i := range w.Parts {
		to = append(to, w.Parts[i].PC)
	}
	return to
}

func writeWord(x *maphash.Hash, v uint64) {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], v)
	x.Write(b[:])
}
