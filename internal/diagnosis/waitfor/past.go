package waitfor

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// historian says what has happened to the words that are waited for.
type historian struct {
	*finder
	// forgotten says why the past is nil, if threads wait for words.
	forgotten string
}

// closing is the write after which a wait could not end any more: before it, the word had a value with which it would
// have ended.
type closing struct {
	event
	word string // its name
	from *event // the write of the value before; nil if the host wrote it
	set  *set   // in which the thread waits that wrote it; nil if it does not
	left bool   // that thread has left the kernel
	self bool   // that thread waits for this word itself
	// cause is why the wait was not opened again; "" if that is not known from the past.
	cause device.CauseKind
}

// closed returns the latest write that closed the wait of a set; nil if none did or if the past is not known.
func (x *historian) closed(s *set) *closing {
	if x.past == nil || x.contested(s) != "" {
		return nil
	}
	var best *closing
	words := s.words()
	for _, waiting := range s.waits[:min(len(s.waits), maxValues)] {
		for addr := range words {
			record := x.past.of(waiting, addr)
			if record == nil {
				continue
			}
			// From the latest on: a wait that was closed, opened and closed again is explained by the last time.
			for latest := len(record.events) - 1; latest >= 0; latest-- {
				change := record.events[latest]
				// The numbers run over all words, so that the latest of all of them is found.
				if best != nil && change.n <= best.n {
					break
				}
				if latest == 0 && !record.cut && simt.SpaceOf(addr) == ir.Shared {
					break // what a word of shared memory had before its first store is nothing that a thread has set
				}
				// Before it the wait would have ended, after it not.
				if x.opens(waiting, addr, change.old) && !x.opens(waiting, addr, change.now) {
					best = &closing{event: change, word: x.place(addr).String()}
					// Otherwise the value came from the host, or from a write that was dropped.
					if latest > 0 && record.events[latest-1].now == change.old {
						best.from = &record.events[latest-1]
					}
					break
				}
			}
		}
	}
	if best != nil {
		_, best.left = x.past.left[best.by]
		for _, v := range x.waits {
			if v.w.Block.ID == best.by.block && v.w.Index == best.by.index/simt.Lanes && v.g.Mask>>(best.by.index%simt.Lanes)&1 != 0 {
				best.set, best.self = v.set, v.set == s && x.waitsFor(v, best.by, best.addr)
			}
		}
	}
	return best
}

// waitsFor reports whether a thread of a wait waits for a word.
func (x *historian) waitsFor(v *wait, t thread, addr uint64) bool {
	one := set{waits: []*wait{v}}
	if _, ok := one.words()[addr]; !ok {
		return false
	}
	lane := t.index % simt.Lanes
	// A thread that reads several words waits for all of them; one that reads one, for that of its own lane.
	return len(v.blocked) > 0 || len(v.reads) > 1 || v.addr[lane] == addr
}

// opens reports whether a wait would end if a word had a value.
func (x *historian) opens(t *wait, addr, v uint64) bool {
	if len(t.blocked) > 0 {
		for index, word := range t.blocked {
			if word.addr != addr {
				continue
			}
			words := slices.Clone(t.blocked)
			words[index].want = v
			return v == word.want || v != word.value && x.endsWith(t, words, index, v)
		}
		return false
	}
	for _, read := range t.reads {
		last := t.round.last[read]
		for m := last.lanes & t.g.Mask; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros32(m); last.addr[lane] == addr {
				yes, ok := t.cond.leaves(lane, read, v)
				return yes && ok
			}
		}
	}
	return false
}

// wrote returns the write that a report shows of a set: the one that closed its wait, or else the last one.
func (x *historian) wrote(s *set) *event {
	if c := s.closed; c != nil {
		return &c.event
	}
	if x.past == nil {
		return nil
	}
	var last *event
	for addr := range s.words() {
		if p := x.past.of(s.waits[0], addr); p != nil && len(p.events) > 0 {
			if e := &p.events[len(p.events)-1]; last == nil || e.n > last.n {
				last = e
			}
		}
	}
	return last
}

// last describes a write for a report.
func (x *historian) last(e *event, closed bool) *device.Write {
	in := &x.p.Code[e.pc]
	var who threads
	who.add(e.by.block, e.by.index/simt.Lanes, 1<<(e.by.index%simt.Lanes))
	return &device.Write{
		Threads: who.plain(), At: x.g.At(in), Op: opName(in), Word: x.place(e.addr).String(),
		Old: number(e.kind, e.old), New: number(e.kind, e.now), Then: x.then(e.by), Closed: closed,
	}
}

// then says what a thread has done since: it has left, or waits.
func (x *historian) then(t thread) string {
	if pc, ok := x.past.left[t]; ok {
		return "which has left the kernel" + x.exitText(t, pc)
	}
	for _, v := range x.waits {
		if v.w.Block.ID == t.block && v.w.Index == t.index/simt.Lanes && v.g.Mask>>(t.index%simt.Lanes)&1 != 0 && v.set != nil {
			return fmt.Sprintf("which is in [%d]", v.set.id)
		}
	}
	return ""
}

// exitText says where a thread has left: by which exit or, since many paths share an exit, from which branch.
func (x *historian) exitText(t thread, pc int32) string {
	// The compiler lets many paths end at one exit: the branch before says from where the thread came.
	if from := x.preds[pc]; x.p.Code[pc].Guard == ir.NoGuard && (len(from) != 1 || from[0] != pc-1) {
		last, ok := x.past.last[t]
		if !ok {
			return ""
		}
		pc = last
	}
	if at := x.g.At(&x.p.Code[pc]); len(at) > 0 {
		return fmt.Sprintf(" at %s:%d", at[0].File, at[0].Line)
	}
	return ""
}

// closedText says who closed a wait, and why that thread does not open it again.
func (x *historian) closedText(s *set) string {
	closed := s.closed
	who := x.threadText(closed.by)
	if closed.cause == device.CauseOverwritten {
		text := fmt.Sprintf("%s was %s, with which the wait would have ended", closed.word, number(closed.kind, closed.old))
		if closed.from != nil {
			text += fmt.Sprintf(": %s stored that at %s", x.threadText(closed.from.by), x.line(closed.from.pc))
		}
		return text + fmt.Sprintf("; before the threads that wait had read it, %s set it to %s at %s", who, number(closed.kind, closed.now), x.line(closed.pc))
	}
	text := fmt.Sprintf("%s set %s from %s, with which the wait would have ended, to %s at %s", who, closed.word, number(closed.kind, closed.old), number(closed.kind, closed.now), x.line(closed.pc))
	if at := x.g.At(&x.p.Code[closed.pc]); len(at) > 1 {
		text += fmt.Sprintf(", called at %s:%d in %s", at[1].File, at[1].Line, at[1].Func)
	}
	switch {
	case closed.left:
		text += ", and has left the kernel"
		text += x.exitText(closed.by, x.past.left[closed.by])
		switch lines := x.openers(s); {
		case len(lines) > 0:
			text += " without " + strings.Join(lines, " or ")
		default:
			text += x.elsewhereText(s, closed.by)
		}
	case closed.self:
		text += ", and waits for it itself"
	}
	return text
}

// openers are the lines that would end the wait of a set, as far as the thread that closed it has not executed them since.
func (x *historian) openers(s *set) (lines []string) {
	for _, w := range s.writers {
		if w.vain || w.never || s.waits[0].round != nil && s.waits[0].round.in[w.pc] || w.pc == s.closed.pc {
			continue
		}
		if text := x.line(w.pc); !slices.Contains(lines, text) {
			lines = append(lines, text)
		}
	}
	return lines
}

// elsewhereText says which other words a thread writes where it may have meant one of a set.
func (x *historian) elsewhereText(s *set, t thread) string {
	for _, w := range s.writers {
		if base, ok := x.value(use{w.pc, 0}, t); ok && w.other && w.never {
			return fmt.Sprintf("; no line gives it back: %s writes %s", x.line(w.pc), x.place(base+uint64(x.p.Code[w.pc].Imm)))
		}
	}
	return "; no line gives it back"
}

func (x *historian) threadText(t thread) string {
	var who threads
	who.add(t.block, t.index/simt.Lanes, 1<<(t.index%simt.Lanes))
	return x.threadsText(&who)
}

// unserved says who has drawn the ticket whose turn it is, if that thread is none of those that wait.
func (x *historian) unserved(s *set) (text string, who thread, ok bool) {
	if x.past == nil {
		return "", who, false
	}
	first := s.waits[0]
	pc := x.drawn(first)
	if pc < 0 || len(s.words()) != 1 {
		return "", who, false
	}
	now := first.fresh[bits.TrailingZeros32(first.lanes)]
	for _, draw := range x.past.pcs[pc] {
		// The number that is served is the one that the draw found.
		if draw.old != now {
			continue
		}
		left, gone := x.past.left[draw.by]
		// It has not left: it is one of those that wait, or on its way to pass the turn on.
		if !gone {
			return "", who, false
		}
		return fmt.Sprintf("%s is %s, the number that %s drew at %s; that thread has left the kernel%s without passing it on", x.place(anyOf(s.words())), number(draw.kind, now), x.threadText(draw.by), x.line(pc), x.exitText(draw.by, left)), draw.by, true
	}
	if len(x.past.pcs[pc]) == maxEvents { // later draws were not kept
		return "", who, false
	}
	return fmt.Sprintf("%s is %s, a number that no thread drew at %s", x.place(anyOf(s.words())), number(x.p.Code[first.read].Mem.Kind, now), x.line(pc)), who, true
}

// undone are the lines that change a word as others have done that an odd thread has not.
func (x *historian) undone(s *set) (lines []string) {
	for addr := range s.words() {
		record := x.past.of(s.waits[0], addr)
		if record == nil {
			continue
		}
		for pc := range record.did {
			for t, n := range record.net {
				if n != 0 && record.did[pc].lanes[[2]int{t.block, t.index / simt.Lanes}]>>(t.index%simt.Lanes)&1 == 0 && !slices.Contains(lines, x.line(pc)) {
					lines = append(lines, x.line(pc))
				}
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// unbalanced says which threads have added to a word more than they have taken away, if nothing else has changed it and
// the others have not.
func (x *historian) unbalanced(s *set) string {
	if x.past == nil {
		return ""
	}
	for addr := range s.words() {
		record := x.past.of(s.waits[0], addr)
		// After a store a sum says nothing, and neither does a part of one.
		if record == nil || !record.adds || record.cut {
			continue
		}
		var odd threads
		up, down, even := false, false, 0
		for _, e := range record.events {
			up, down = up || int32(e.now-e.old) > 0, down || int32(e.now-e.old) < 0
		}
		var one thread
		for by, n := range record.net {
			if n == 0 {
				even++
				continue
			}
			// Threads that are still there may yet undo what they did.
			if _, gone := x.past.left[by]; gone {
				odd.add(by.block, by.index/simt.Lanes, 1<<(by.index%simt.Lanes))
				one = by
			}
		}
		// Only where others have come back to 0 is an odd thread one that forgot something: otherwise the word just counts.
		if !up || !down || even == 0 || len(odd.lanes) == 0 {
			continue
		}
		text := fmt.Sprintf("%s have changed %s in one direction and not back, and have left the kernel", x.threadsText(&odd), x.place(addr))
		if odd.plain().Count == 1 {
			text = strings.Replace(text, " have ", " has ", 2)
			text = strings.Replace(text, "and have", "and has", 1) + x.exitText(one, x.past.left[one])
		}
		return text
	}
	return ""
}
