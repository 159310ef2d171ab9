package function

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// livelock searches for a recurrence of the whole state of a launch, at the end
// of rounds. Turns are taken in a fixed order, so that a state that recurs does
// so for ever.
type livelock struct {
	repeat.Machine
	run *run

	// The mark, of the first warp that has not ended; see repeat.Subject.
	first    *simt.Warp
	clocks   uint64
	position uint64
	rows     []uint64
	witness  int // the row that differed last

	insts uint64 // when the state was kept
}

const (
	// livelockAfter is the number of warp instructions of a launch after which
	// the search begins.
	livelockAfter = 1 << 16
	// livelockMost is the size of a memory up to which it is searched.
	livelockMost = 1 << 28
	// wordsPerInstruction is about how many words of a state can be encoded in
	// the time in which a warp instruction is executed.
	wordsPerInstruction = 25
)

// unrepeatable says why it cannot be shown that the state of the launch recurs;
// it returns "" if it can.
func (r *run) unrepeatable() string {
	switch used := r.g.Mem.UsedByAll(); {
	case r.race != nil:
		return "it is checked for races, which changes the order of turns"
	case used > livelockMost:
		return fmt.Sprintf("its memory of %d bytes is too large to look for a state that recurs", used)
	case r.livelock != nil && r.livelock.clocks != r.clocks:
		return "it reads a clock, so that its state never recurs"
	}
	return ""
}

// recurs is called once per round. It ends a launch whose whole state recurs.
func (r *run) recurs() error {
	l := r.livelock
	if l == nil {
		if r.insts < livelockAfter || r.unrepeatable() != "" {
			return nil
		}
		l = &livelock{run: r}
		l.Expect(int(r.g.Mem.UsedByAll() / 8))
		l.Restart()
		r.livelock = l
	}
	if r.live == 0 || !l.Visit(l, r.insts*wordsPerInstruction) {
		return nil
	}
	return r.hang(device.Livelock, fmt.Sprintf(
		"all of its state is the same every %d warp instructions, memory included, so it goes on like this for ever, in this order of turns", r.insts-l.insts))
}

// Mark implements repeat.Subject.
func (l *livelock) Mark() {
	r := l.run
	for _, s := range r.slots {
		for _, w := range s.Warps {
			if s.running && !w.Done() {
				l.first = w
			}
		}
	}
	r.at.w = l.first
	l.clocks, l.position, l.rows = r.clocks, r.at.Position(), l.rows[:0]
	for i := range len(l.first.Regs) + len(l.first.Preds) {
		h, _ := r.at.Row(i)
		l.rows = append(l.rows, h)
	}
}

// Marked implements repeat.Subject. A clock that has been read since then rules
// out that the state is the same.
func (l *livelock) Marked() bool {
	r := l.run
	r.at.w = l.first
	if r.clocks != l.clocks || r.at.Position() != l.position || len(l.rows) != len(l.first.Regs)+len(l.first.Preds) {
		return false
	}
	same := func(i int) bool {
		h, _ := r.at.Row(i)
		return h == l.rows[i]
	}
	if l.witness < len(l.rows) && !same(l.witness) {
		return false
	}
	for i := range l.rows {
		if !same(i) {
			l.witness = i
			return false
		}
	}
	return true
}

// Kept implements repeat.Subject.
func (l *livelock) Kept() { l.insts = l.run.insts }

// Read implements repeat.Subject. Memory is encoded with the rest.
func (l *livelock) Read(uint64) uint64 { return 0 }

// Core implements repeat.Subject: the positions of all warps.
func (l *livelock) Core(rec *repeat.Record) {
	for _, s := range l.run.slots {
		rec.Bool(s.running)
		if !s.running {
			continue
		}
		for i, w := range s.Warps {
			rec.Word(uint64(s.warps[i].arrived)<<32 | uint64(len(s.warps[i].split)))
			encodePath(rec, w.Path)
		}
	}
}

// Encode implements repeat.Subject. What the search for a hang knows is part of
// the state, since it ends turns.
func (l *livelock) Encode(rec *repeat.Record) {
	r := l.run
	rec.Int(r.next)
	rec.Int(r.live)
	for _, s := range r.slots {
		rec.Bool(s.running)
		if s.running && !rec.Differs() {
			r.encodeSlot(rec, s)
		}
	}
	r.g.Mem.Each(func(a *simt.Allocation) {
		if !rec.Differs() {
			rec.Bytes(a.Data)
			rec.Int(a.Unwritten().Left()) // bytes are never forgotten, so that their number will do
		}
	})
}

func (r *run) encodeSlot(rec *repeat.Record, s *slot) {
	rec.Int(s.ID)
	rec.Int(s.done)
	rec.Bytes(s.Shared)
	rec.Bytes(s.written)
	if r.c.copies {
		s.async.Encode(rec)
	}
	for _, n := range s.named.Barriers {
		rec.Word(uint64(n.Threads)<<32 | uint64(n.Arrived))
	}
	rec.Int(int(s.named.Free))
	rec.Bytes(s.named.Held[:])
	if s.Cluster != nil {
		for _, at := range s.Cluster.Barrier {
			rec.Int(int(at))
		}
	}
	for i, w := range s.Warps {
		st := &s.warps[i]
		for k := range w.Regs {
			rec.Bytes(simt.RowBytes(&w.Regs[k]))
		}
		for _, p := range w.Preds {
			rec.Word(uint64(p))
		}
		rec.Bytes(w.Local)
		rec.Word(uint64(w.Exited)<<32 | uint64(st.arrived))
		rec.Int(st.named)
		rec.Bool(st.clustered)
		rec.Int(len(st.split))
		encodePath(rec, w.Path)
		encodeStack(rec, w.Stack)
		r.encodeLoop(rec, &st.loop)
		for _, part := range st.split {
			encodePath(rec, part.path)
			encodeStack(rec, part.stack)
			rec.Bool(part.parked)
			rec.Bool(part.gathering)
			r.encodeLoop(rec, &part.loop)
		}
	}
}

func (r *run) encodeLoop(rec *repeat.Record, l *loopWatch) {
	if l.generation != r.generation {
		rec.Int(-1)
		return
	}
	rec.Int(l.same)
	l.Loop.Encode(rec)
}

func encodePath(rec *repeat.Record, p simt.Path) {
	rec.Word(uint64(uint32(p.PC))<<32 | uint64(uint32(p.Recon)))
	rec.Word(uint64(p.Mask))
}

func encodeStack(rec *repeat.Record, stack []simt.Path) {
	rec.Int(len(stack))
	for _, p := range stack {
		encodePath(rec, p)
	}
}
