package sim

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"unsafe"

	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/simt"
)

// A launch hangs when every warp repeats itself, or waits for one that does, and
// nothing is on the way that could change that. What a warp does next depends on its
// registers, on where its lanes are and on what it reads. So once nothing that a warp
// can read has changed for a while, a warp that comes back to a loop head in the
// very state that it had there before will do so for ever.
//
// What a warp can read is memory, or the older bytes that its SM's L1 holds of a line.
// Both count: a value in memory that changes, a line of L1 that gets or loses bytes
// other than memory's. A barrier that opens, a block that is placed and a thread that
// exits count as well. Each of these calls machine.progress, and the search begins anew.
//
// The search has two phases. In the first one every warp repeats itself once. What
// it did so far it may have done with values that it read before the search began,
// and a store may still be on its way. In the second one it repeats itself again, after
// every access of the first has ended and changed nothing; the accesses to come are the
// same. Warps that wait at a barrier must have done so for all of the second phase.

// search is the state of the machine's search for a hang.
type search struct {
	phase int    // 0: none, nothing is quiet
	since uint64 // cycle at which the phase began
	epoch uint32 // of accesses: those of an earlier one began before the phase
	older int    // of these, under way
}

// watch is what the search knows of one warp.
type watch struct {
	on      bool
	repeats bool // it came back to a loop head in the same state, in this phase
	waits   bool // it has waited for a barrier, or for lanes of its own, since the phase began
	// Each state is compared with one kept, which is renewed when the number of visits
	// to loop heads is a power of two, so that loops of any period are found (Brent).
	kept   uint64 // hash of a state
	visits uint64
	renew  uint64
	ran    uint32 // lanes that came to a loop head since the state was kept
	clock  bool   // it read a clock since then, so that a repetition proves nothing
	loads  []uint64
	mem    int32 // pc of the last access; -1 for none
	addr   uint64
}

var hashSeed = maphash.MakeSeed()

// suspect is called every now and then: it decides whether a launch in which
// nothing has changed for long cannot end.
func (m *machine) suspect() {
	r := m.run
	s := &r.search
	switch {
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

// beginPhase begins a phase of the search: what warps did so far counts no more, but
// the states that are kept do.
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

// blocked reports that the warp waits for others of its block or lanes of its own.
func (wp *warp) blocked() bool { return wp.state == warpBarrier || wp.state == warpParted }

// judge ends a phase, and in the second one the launch, where all warps repeat
// themselves or wait.
func (m *machine) judge(s *search) {
	if s.older > 0 {
		return
	}
	again := false // some wait that did not when the phase began
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
	default:
		m.fail(m.hang("no value in memory has changed, and every warp repeats itself or waits for one that does"))
	}
}

// looped notes that a warp branched from pc; only branches back are loop
// heads. It reports whether the lanes there gave way to others of the warp.
func (m *machine) looped(wp *warp, pc int32) bool {
	if wp.w.PC > pc {
		return false
	}
	if wp.watch.on && !wp.w.Done() {
		m.recur(wp)
	}
	return m.its && m.branchedBack(wp)
}

// recur looks whether a warp at a loop head is in a state that it had before.
// Where its parts take turns, each that does not wait must have had one since.
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

// waiting are the lanes of the parts that wait for others.
func waiting(w *simt.Warp) (lanes uint32) {
	for i := range w.Parts {
		if p := &w.Parts[i]; p.Wait != simt.Runs {
			lanes |= p.Mask
		}
	}
	return lanes
}

// issues notes an access whose result comes later: until then the state of the warp
// has what it was asked for in place of the registers.
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

// stateOf is a hash of all that decides what a warp does next but memory; ok is false
// where a load is under way of which nobody took note.
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
