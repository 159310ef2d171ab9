package sim

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"unsafe"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/simt"
	"github.com/weft-gpu/weft/sim/policy"
)

// A launch hangs if every warp repeats itself, or waits for a warp that does, and nothing in flight can change that.
// What a warp does next depends on its registers, on the positions of its lanes and on the values that it reads. So
// once nothing that a warp can read has changed for a while, a warp that returns to a loop head in exactly the state
// that it had there before will do so forever.
//
// What a warp can read is memory, or the older bytes that its SM's L1 holds of a line. Both count: a value in memory
// that changes, and a line of L1 that gains or loses bytes that differ from memory. A barrier that opens, a block that
// is placed and a thread that exits count as well. Each of these calls machine.progress, and the search starts over.
//
// The search has two phases. In the first, every warp repeats itself once. What it has done so far may depend on
// values that it read before the search began, and a store may still be in flight. In the second, every warp repeats
// itself again, after all accesses of the first phase have ended without changing anything; the accesses that follow
// are the same. Warps that wait at a barrier must have waited during the whole second phase.

// search is the state of the machine's hang detection.
type search struct {
	phase int    // 0: no search, memory has changed recently
	since uint64 // cycle at which the phase began
	epoch uint32 // of accesses: those of earlier epochs began before the phase
	older int    // of these, the number in flight
}

// watch is the state of the search for one warp.
type watch struct {
	on      bool
	repeats bool // it has returned to a loop head in the same state during this phase
	waits   bool // it has waited for a barrier, or for its own lanes, since the phase began
	// Each state is compared with one saved state, which is replaced when the number of visits to loop heads is a
	// power of two, so that loops of any period are found (Brent's algorithm).
	kept   uint64 // hash of the saved state
	visits uint64
	renew  uint64
	ran    uint32 // lanes that have reached a loop head since the state was saved
	clock  bool   // it has read a clock since then, so that a repetition proves nothing
	loads  []uint64
	mem    int32 // pc of the last access; -1 for none
	addr   uint64
}

var hashSeed = maphash.MakeSeed()

// suspect is called regularly: it decides whether a launch in which nothing has changed for a long time cannot end.
func (m *machine) suspect() {
	r := m.run
	m.letGo(m.now - r.changed)
	s := &r.search
	switch {
	case r.over:
	case m.now-r.changed < uint64(m.cfg.Hang.Window):
		if s.phase != 0 {
			s.phase = 0
			for i := range m.warps {
				m.warps[i].watch.on = false
			}
		}
	case s.phase == 0 || r.changed > s.since:
		for i := range m.warps {
			h := &m.warps[i].watch
			*h = watch{on: true, mem: -1, loads: h.loads[:0]}
		}
		m.beginPhase(1)
	case r.called: // a block is about to be placed
	default:
		m.judge(s)
	}
}

// beginPhase begins a phase of the search: what warps have done so far no longer counts, but the saved states do.
func (m *machine) beginPhase(n int) {
	s := &m.run.search
	s.phase, s.since = n, m.now
	s.epoch++
	s.older = m.ops.inUse()
	for i := range m.warps {
		wp := &m.warps[i]
		wp.watch.repeats = false
		wp.watch.waits = wp.blocked()
	}
}

// blocked reports whether the warp waits for other warps of its block, for its own lanes, or for a schedule.
func (wp *warp) blocked() bool {
	return wp.state == warpBarrier || wp.state == warpParted || wp.state == warpHeld
}

// judge ends a phase if all warps repeat themselves or wait; in the second phase it ends the launch.
func (m *machine) judge(s *search) {
	if s.older > 0 {
		return
	}
	again := false // a warp waits that did not wait when the phase began
	for i := range m.warps {
		wp := &m.warps[i]
		switch {
		case wp.state == warpFree:
		case wp.blocked():
			if wp.state == warpBarrier && (wp.block.opening || wp.named < 0) {
				return
			}
			again = again || !wp.watch.waits
		case wp.state == warpDraining || !wp.watch.repeats:
			return
		}
	}
	switch {
	case s.phase == 1 || again:
		m.beginPhase(2)
	case m.letGo(policy.Idle) || m.run.over:
	case m.held() > 0:
		m.starved()
	default:
		m.fail(m.hang(device.Hang, "no value in memory has changed, and every warp repeats itself or waits for one that does"))
	}
}

// looped records that a warp branched from pc; only targets of backward branches are loop heads. It reports whether
// the lanes there yielded to others of the warp.
func (m *machine) looped(wp *warp, pc int32) bool {
	if wp.w.PC > pc {
		return false
	}
	if wp.watch.on && !wp.w.Done() {
		m.recur(wp)
	}
	return m.its && m.branchedBack(wp)
}

// recur checks whether a warp at a loop head is in a state that it has had before. If its parts take turns, each part
// that does not wait must have run since then.
func (m *machine) recur(wp *warp) {
	h, w := &wp.watch, wp.w
	h.ran |= w.Mask
	state, ok := m.stateOf(wp)
	if !ok {
		return
	}
	if h.visits > 0 && state == h.kept && !h.clock && (!m.its || w.Live()&^h.ran&^waiting(w) == 0) {
		h.repeats = true
		return
	}
	h.visits++
	if h.visits >= h.renew {
		h.kept, h.renew, h.ran, h.clock = state, 2*h.visits, 0, false
	}
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

// issues records an access whose result arrives later: until then, a hash of the request replaces the destination
// registers in the state of the warp.
func (h *watch) issues(w *simt.Warp, d *decoded, mask uint32, addrs *simt.Row) {
	if d.numDst == 0 {
		return
	}
	var x maphash.Hash
	x.SetSeed(hashSeed)
	for l := mask; l != 0; l &= l - 1 {
		writeWord(&x, addrs[bits.TrailingZeros32(l)&31])
	}
	writeWord(&x, uint64(mask))
	writeWord(&x, uint64(w.PC))
	if d.in.Op != ir.OpLoad {
		for i := 1; i < int(d.in.NSrc); i++ {
			writeRow(&x, w.Row(d.in.Src[i]))
		}
	}
	for _, r := range d.uses[:d.numDst] {
		for int(r) >= len(h.loads) {
			h.loads = append(h.loads, 0)
		}
		h.loads[r] = x.Sum64()
	}
}

// stateOf returns a hash of everything except memory that determines what a warp does next; ok is false if a load is
// in flight that was not recorded.
func (m *machine) stateOf(wp *warp) (state uint64, ok bool) {
	w, h := wp.w, &wp.watch
	var x maphash.Hash
	x.SetSeed(hashSeed)
	for i, v := range wp.board.rows {
		switch {
		case v == pending:
			if i >= len(h.loads) || h.loads[i] == 0 {
				return 0, false
			}
			writeWord(&x, h.loads[i])
		case i < len(w.Regs):
			writeRow(&x, &w.Regs[i])
		default:
			writeWord(&x, uint64(w.Preds[i-len(w.Regs)]))
		}
	}
	path := func(p *simt.Path) {
		writeWord(&x, uint64(uint32(p.PC))<<32|uint64(uint32(p.Recon)))
		writeWord(&x, uint64(p.Mask))
	}
	path(&w.Path)
	for i := range w.Stack {
		path(&w.Stack[i])
	}
	writeWord(&x, uint64(len(w.Stack)))
	for i := range w.Parts {
		path(&w.Parts[i].Path)
		writeWord(&x, uint64(w.Parts[i].Wait))
	}
	return x.Sum64(), true
}

func writeRow(x *maphash.Hash, r *simt.Row) {
	x.Write(unsafe.Slice((*byte)(unsafe.Pointer(r)), unsafe.Sizeof(*r)))
}

func writeWord(x *maphash.Hash, v uint64) {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], v)
	x.Write(b[:])
}
