package waitfor

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/mbarrier"
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
func (x *historian) closed(set *set) *closing {
	if x.past == nil || x.contested(set) != "" {
		return nil
	}
	var best *closing
	words := set.words()
	for _, waiting := range set.waits[:min(len(set.waits), maxValues)] {
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
		for _, other := range x.waits {
			if other.w.Block.ID == best.by.block && other.w.Index == best.by.index/simt.Lanes && other.g.Mask>>(best.by.index%simt.Lanes)&1 != 0 {
				best.set, best.self = other.set, other.set == set && x.waitsFor(other, best.by, best.addr)
			}
		}
	}
	return best
}

// waitsFor reports whether a thread of a wait waits for a word.
func (x *historian) waitsFor(other *wait, thread thread, addr uint64) bool {
	one := set{waits: []*wait{other}}
	if _, ok := one.words()[addr]; !ok {
		return false
	}
	lane := thread.index % simt.Lanes
	// A thread that reads several words waits for all of them; one that reads one, for that of its own lane.
	return len(other.blocked) > 0 || len(other.reads) > 1 || other.addr[lane] == addr
}

// opens reports whether a wait would end if a word had a value.
func (x *historian) opens(wait *wait, addr, value uint64) bool {
	if len(wait.blocked) > 0 {
		for index, word := range wait.blocked {
			if word.addr != addr {
				continue
			}
			words := slices.Clone(wait.blocked)
			words[index].want = value
			return value == word.want || value != word.value && x.endsWith(wait, words, index, value)
		}
		return false
	}
	for _, read := range wait.reads {
		last := wait.round.last[read]
		for m := last.lanes & wait.g.Mask; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros32(m); last.addr[lane] == addr {
				yes, ok := wait.cond.leaves(lane, read, value)
				return yes && ok
			}
		}
	}
	return false
}

// wrote returns the write that a report shows of a set: the one that closed its wait, or else the last one.
func (x *historian) wrote(set *set) *event {
	if c := set.closed; c != nil {
		return &c.event
	}
	if x.past == nil {
		return nil
	}
	var last *event
	for addr := range set.words() {
		if p := x.past.of(set.waits[0], addr); p != nil && len(p.events) > 0 {
			if e := &p.events[len(p.events)-1]; last == nil || e.n > last.n {
				last = e
			}
		}
	}
	return last
}

// last describes a write for a report.
func (x *historian) last(event *event, closed bool) *device.Write {
	in := &x.p.Code[event.pc]
	var who threads
	who.add(event.by.block, event.by.index/simt.Lanes, 1<<(event.by.index%simt.Lanes))
	if in.Op.IsMBarrier() || in.Op.Completes() {
		text := func(v uint64) string {
			s := mbarrier.State(v)
			return fmt.Sprintf("parity %d with %d of %d arrivals", s.Parity(), s.Count()-s.Pending(), s.Count())
		}
		return &device.Write{
			Threads: who.plain(), At: x.g.At(in), Op: opName(in), Word: x.barrierName(event.addr),
			Old: text(event.old), New: text(event.now), Then: x.then(event.by), Closed: closed,
		}
	}
	return &device.Write{
		Threads: who.plain(), At: x.g.At(in), Op: opName(in), Word: x.place(event.addr).String(),
		Old: number(event.kind, event.old), New: number(event.kind, event.now), Then: x.then(event.by), Closed: closed,
	}
}

// then says what a thread has done since: it has left, or waits.
func (x *historian) then(thread thread) string {
	if pc, ok := x.past.left[thread]; ok {
		return "which has left the kernel" + x.exitText(thread, pc)
	}
	for _, other := range x.waits {
		if other.w.Block.ID == thread.block && other.w.Index == thread.index/simt.Lanes && other.g.Mask>>(thread.index%simt.Lanes)&1 != 0 && other.set != nil {
			return fmt.Sprintf("which is in [%d]", other.set.id)
		}
	}
	return ""
}

// exitText says where a thread has left: by which exit or, since many paths share an exit, from which branch.
func (x *historian) exitText(thread thread, pc int32) string {
	// The compiler lets many paths end at one exit: the branch before says from where the thread came.
	if from := x.preds[pc]; x.p.Code[pc].Guard == ir.NoGuard && (len(from) != 1 || from[0] != pc-1) {
		last, ok := x.past.last[thread]
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
func (x *historian) closedText(set *set) string {
	closed := set.closed
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
		switch lines := x.openers(set); {
		case len(lines) > 0:
			text += " without " + strings.Join(lines, " or ")
		default:
			text += x.elsewhereText(set, closed.by)
		}
	case closed.self:
		text += ", and waits for it itself"
	}
	return text
}

// openers are the lines that would end the wait of a set, as far as the thread that closed it has not executed them since.
func (x *historian) openers(s *set) (lines []string) {
	for _, writer := range s.writers {
		if writer.vain || writer.never || s.waits[0].round != nil && s.waits[0].round.in[writer.pc] || writer.pc == s.closed.pc {
			continue
		}
		if text := x.line(writer.pc); !slices.Contains(lines, text) {
			lines = append(lines, text)
		}
	}
	return lines
}

// elsewhereText says which other words a thread writes where it may have meant one of a set.
func (x *historian) elsewhereText(s *set, thread thread) string {
	for _, writer := range s.writers {
		if addr, ok := x.address(writer.pc, thread); ok && writer.other && writer.never {
			return fmt.Sprintf("; no line gives it back: %s writes %s", x.line(writer.pc), x.place(addr))
		}
	}
	return "; no line gives it back"
}

func (x *historian) threadText(thread thread) string {
	var who threads
	who.add(thread.block, thread.index/simt.Lanes, 1<<(thread.index%simt.Lanes))
	return x.threadsText(&who)
}

// unserved says who has drawn the ticket whose turn it is, if that thread is none of those that wait.
func (x *historian) unserved(set *set) (text string, who thread, ok bool) {
	if x.past == nil {
		return "", who, false
	}
	first := set.waits[0]
	pc := x.drawn(first)
	if pc < 0 || len(set.words()) != 1 {
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
		return fmt.Sprintf("%s is %s, the number that %s drew at %s; that thread has left the kernel%s without passing it on", x.place(anyOf(set.words())), number(draw.kind, now), x.threadText(draw.by), x.line(pc), x.exitText(draw.by, left)), draw.by, true
	}
	if len(x.past.pcs[pc]) == maxEvents { // later draws were not kept
		return "", who, false
	}
	return fmt.Sprintf("%s is %s, a number that no thread drew at %s", x.place(anyOf(set.words())), number(x.p.Code[first.read].Mem.Kind, now), x.line(pc)), who, true
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
func (x *historian) unbalanced(set *set) string {
	if x.past == nil {
		return ""
	}
	for addr := range set.words() {
		record := x.past.of(set.waits[0], addr)
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
