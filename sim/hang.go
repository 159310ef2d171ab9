package sim

import (
	"fmt"
	"hash/maphash"
	"slices"
	"unsafe"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/simt"
)

// spinWatch looks whether the warps of a launch repeat themselves. It begins
// when nothing has changed in memory for a window of cycles, and ends when
// something does.
type spinWatch struct {
	on    bool
	since uint64
}

// watch is what is known of one warp while spinWatch is on: whether it came
// back to a loop head in exactly the state it had there before. Each state is
// compared with one kept, which is renewed when the number of visits to loop
// heads is a power of two, so that loops of any period are found (Brent).
type watch struct {
	on      bool
	repeats bool
	clock   bool   // it read a clock, so that a repetition proves nothing
	ran     uint32 // lanes that came to a loop head since the state was kept
	visits  uint64
	renew   uint64
	state   uint64
	mem     int32 // pc of the last global access; -1 for none
	addr    uint64
}

var hashSeed = maphash.MakeSeed()

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
	s := stateHash(w)
	if h.visits > 0 && s == h.state {
		h.repeats = !m.its || w.Live()&^h.ran&^waiting(w) == 0
		return
	}
	h.visits++
	if h.visits >= h.renew {
		h.state, h.renew, h.ran = s, 2*h.visits, 0
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

func stateHash(w *simt.Warp) uint64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	raw := func(p unsafe.Pointer, n uintptr) { h.Write(unsafe.Slice((*byte)(p), n)) }
	if len(w.Regs) > 0 {
		raw(unsafe.Pointer(&w.Regs[0]), uintptr(len(w.Regs))*unsafe.Sizeof(w.Regs[0]))
	}
	if len(w.Preds) > 0 {
		raw(unsafe.Pointer(&w.Preds[0]), uintptr(len(w.Preds))*4)
	}
	raw(unsafe.Pointer(&w.Path), unsafe.Sizeof(w.Path))
	if len(w.Stack) > 0 {
		raw(unsafe.Pointer(&w.Stack[0]), uintptr(len(w.Stack))*unsafe.Sizeof(w.Path))
	}
	for i := range w.Parts {
		p := &w.Parts[i]
		raw(unsafe.Pointer(&p.Path), unsafe.Sizeof(p.Path))
		h.WriteByte(byte(p.Wait))
	}
	return h.Sum64()
}

// suspect is called every now and then: it decides whether a launch in which
// nothing has changed for long cannot end.
func (m *machine) suspect() {
	r := m.run
	window := uint64(m.cfg.Hang.Window)
	quiet := m.now - r.changed
	if quiet < window {
		if r.spin.on {
			r.spin.on = false
			m.watchAll(false)
		}
		return
	}
	if !r.spin.on {
		r.spin = spinWatch{on: true, since: m.now}
		m.watchAll(true)
		return
	}
	if r.changed > r.spin.since {
		m.watchAll(true) // it was quiet, changed, and is quiet again
		r.spin.since = m.now
		return
	}
	if m.now-r.spin.since >= window && m.allRepeat() {
		m.fail(m.hang("no value in memory has changed, and every warp repeats itself or waits for one that does"))
		return
	}
	if quiet >= uint64(m.cfg.Hang.Limit) {
		m.fail(m.hang(fmt.Sprintf("undecided: for %d cycles no value in memory changed, no thread ended and no barrier opened, but the warps do not repeat themselves exactly", quiet)))
	}
}

func (m *machine) watchAll(on bool) {
	for i := range m.warps {
		m.warps[i].watch = watch{on: on, mem: -1}
	}
}

// allRepeat reports that no warp can change anything any more.
func (m *machine) allRepeat() bool {
	for i := range m.warps {
		wp := &m.warps[i]
		switch wp.state {
		case warpFree, warpBarrier, warpParted:
		default:
			if !wp.watch.repeats || wp.watch.clock {
				return false
			}
		}
	}
	return true
}

// stuck ends a launch in which nothing can happen any more.
func (m *machine) stuck() {
	m.fail(m.hang("the threads that still run wait for others that never come"))
}

// hang lists who waits where.
func (m *machine) hang(what string) *device.HangError {
	r := m.run
	h := &device.HangError{Kernel: r.grid.Kernel.Name, What: what}
	n, all := 0, 0
	for _, j := range r.jobs {
		n, all = n+j.grid.Blocks-j.next, all+j.grid.Blocks
	}
	if n > 0 {
		h.What += fmt.Sprintf("; %d of %d blocks have no place on the machine until others end", n, all)
	}
	var live []*warp
	for i := range m.warps {
		if wp := &m.warps[i]; wp.state != warpFree && wp.w != nil {
			live = append(live, wp)
		}
	}
	slices.SortFunc(live, func(a, b *warp) int {
		if a.block.ID != b.block.ID {
			return a.block.ID - b.block.ID
		}
		return a.w.Index - b.w.Index
	})
	for _, wp := range live {
		if wp.w.Mask != 0 {
			h.Waiting = append(h.Waiting, m.wait(wp))
		}
		h.Waiting = append(h.Waiting, m.parked(wp)...)
		h.Waiting = append(h.Waiting, m.parts(wp)...)
		if n := len(h.Waiting); n > device.MaxWaits {
			h.More += n - device.MaxWaits
			h.Waiting = h.Waiting[:device.MaxWaits]
		}
	}
	return h
}

// wait describes what a warp does.
func (m *machine) wait(wp *warp) device.Wait {
	w, g := wp.w, wp.w.Grid
	out := device.Wait{Block: wp.block.ID, Warp: w.Index, Threads: w.Mask}
	pc := w.PC
	switch {
	case wp.state == warpBarrier:
		out.Why = atBarrier(wp.block)
	case wp.watch.on && wp.watch.mem >= 0:
		pc = wp.watch.mem
		out.Why = "spins on " + m.element(g, wp.watch.addr)
	case wp.watch.repeats:
		out.Why = "spins"
	default:
		out.Why = "runs"
	}
	if int(pc) < len(g.Prog.Code) {
		out.At = g.At(&g.Prog.Code[pc])
	}
	return out
}

// parked are the lanes of a warp that the reconvergence stack holds back until
// those that execute come to where they meet.
func (m *machine) parked(wp *warp) (out []device.Wait) {
	w, g := wp.w, wp.w.Grid
	seen := w.Mask | w.Exited
	for i := len(w.Stack) - 1; i >= 0; i-- {
		p := w.Stack[i]
		lanes := p.Mask &^ seen
		if seen |= p.Mask; lanes == 0 || int(p.PC) >= len(g.Prog.Code) {
			continue
		}
		out = append(out, device.Wait{
			At: g.At(&g.Prog.Code[p.PC]), Block: wp.block.ID, Warp: w.Index, Threads: lanes,
			Why: "wait for the other lanes of their warp, with which they diverged",
		})
	}
	return out
}

// element names an address by buffer and index.
func (m *machine) element(g *simt.Grid, addr uint64) string {
	if simt.SpaceOf(addr) == ir.Shared {
		off := addr &^ ir.SharedWindow
		for _, v := range g.Prog.Shared {
			if i := off - uint64(v.Off); off >= uint64(v.Off) && i < uint64(v.Size) {
				return fmt.Sprintf("%s[%d] in shared memory", v.Name, i/uint64(max(v.ElemSize, 1)))
			}
		}
		return fmt.Sprintf("byte %d of shared memory", off)
	}
	a, off := g.Mem.Lookup(addr)
	if a == nil {
		return fmt.Sprintf("address %#x", addr)
	}
	return fmt.Sprintf("%s[%d]", a.Name, off/a.Elem.Bytes())
}
