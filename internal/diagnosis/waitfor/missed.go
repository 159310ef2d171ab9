package waitfor

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// missed is a thread that would have written a word that others wait for, if it had come to a line.
type missed struct {
	by   thread
	addr uint64
	left bool  // it has left the kernel
	exit int32 // by which
}

// maxMissed limits how many threads are asked.
const maxMissed = 1 << 14

// missed finds the thread that would write a word of a set at pc and has not: by the address that the line has for it. If
// the line writes the same word in each thread, it is one that has left, if possible the one that wrote the word last.
func (x *historian) missed(set *set, pc int32) *missed {
	in := &x.p.Code[pc]
	if x.past == nil || !changes(in) || set.waits[0].round != nil && set.waits[0].round.in[pc] {
		return nil
	}
	words := set.words()
	// Where each thread has a word of its own, the address says who is missing; else any thread would do, and one that has left
	// is named.
	own := x.dependence(use{pc, 0}, maxDepth) != depends{}
	look := func(one thread) *missed {
		addr, ok := x.address(pc, one)
		_, hit := words[addr]
		exit, left := x.past.left[one]
		if !ok || !hit || !left && !own || x.past.did(pc, words, one.block, one.index/simt.Lanes)>>(one.index%simt.Lanes)&1 != 0 {
			return nil
		}
		// A value that ends nobody's wait is not missed.
		if helps, _ := x.helps(set, pc, one); !helps {
			return nil
		}
		return &missed{one, addr, left, exit}
	}
	// The thread that has the lock is the one that should have given it back.
	if e := x.wrote(set); e != nil && !own {
		if m := look(e.by); m != nil {
			return m
		}
	}
	asked := 0
	for block := 0; block < x.g.Blocks && asked < maxMissed; block++ {
		// A block that has not begun is a cause of its own: it did not miss the line.
		if !x.Started(block) {
			continue
		}
		for i := 0; i < x.g.Threads && asked < maxMissed; i++ {
			asked++
			if m := look(thread{block, i}); m != nil {
				return m
			}
		}
	}
	return nil
}

// missedText says which thread would write a word at a line, and why it does not; "" if none is known.
func (x *historian) missedText(s *set, pc int32) string {
	missed := x.missed(s, pc)
	if missed == nil || x.dependence(use{pc, 0}, maxDepth) == (depends{}) {
		return ""
	}
	text := fmt.Sprintf("%s would write %s there", x.threadText(missed.by), x.place(missed.addr))
	if g := x.guardOf(pc); g != "" {
		text += ", but does it only if " + g
	}
	if missed.left {
		text += ", and has left the kernel" + x.exitText(missed.by, missed.exit)
	}
	return text
}

// written lists the elements that threads write at a line, as far as its addresses are known; "" if they are not.
func (x *historian) written(pc int32) string {
	var indices []int
	name, asked := "", 0
	for block := 0; block < x.g.Blocks; block++ {
		for i := range x.g.Threads {
			// A list that is not complete would tell of gaps that are none.
			if asked++; asked > maxMissed {
				return ""
			}
			one := thread{block, i}
			addr, ok := x.address(pc, one)
			if !ok {
				return ""
			}
			class, ways := x.class(one)
			if yes, known := x.guarded(pc, one); known && !yes || !x.from(entry, class, ways, "", nil)[pc] {
				continue
			}
			at := x.place(addr)
			// An element of one array, since the text is a list of its indices.
			if at.whole || name != "" && at.name != name {
				return ""
			}
			name = at.name
			indices = append(indices, at.index)
		}
	}
	if name == "" {
		return ""
	}
	return name + "[" + spanList(spansOf(indices), strconv.Itoa) + "]"
}

// starves reports whether a group waits for a value that a word never has, although others change it all the time.
func (x *historian) starves(set *set) bool {
	if !set.contested || x.past == nil {
		return false
	}
	for addr := range set.words() {
		past := x.past.of(set.waits[0], addr)
		if past == nil || len(past.events) < often {
			continue
		}
		// The later half: how it began does not matter if the value comes no more.
		for _, e := range past.events[len(past.events)/2:] {
			if x.opens(set.waits[0], addr, e.now) {
				return false
			}
		}
	}
	return true
}

// strides returns by how much each draw of a number advances the word that numbers are drawn from, and each change the
// word that a set waits for; 0 if they differ.
func (x *historian) strides(set *set, draw int32) (drawn, passed uint64) {
	step := func(list []event) (by uint64) {
		for i, e := range list {
			// Unsigned, so that a count downwards has one difference as well.
			if d := e.now - e.old; i == 0 {
				by = d
			} else if d != by {
				return 0
			}
		}
		return by
	}
	if x.past == nil || draw < 0 || len(set.words()) != 1 {
		return 0, 0
	}
	if p := x.past.of(set.waits[0], anyOf(set.words())); p != nil {
		passed = step(p.events)
	}
	return step(x.past.pcs[draw]), passed
}

// counter is a word to which threads add as often as they come to a line.
type counter struct {
	pc       int32
	here     threads // those that wait, and how often each has come
	times    int
	gone     threads // those that have left, having come less often
	fewest   int
	one      thread // of those
	from, to uint64 // the word, before and after
	k        ir.Kind
	steps    int
}

// counter describes the word of a set if it is only added to, by one line.
func (x *historian) counter(set *set) *counter {
	if x.past == nil || len(set.words()) != 1 {
		return nil
	}
	record := x.past.of(set.waits[0], anyOf(set.words()))
	// Of a record that lacks events, or threads, counts would be wrong; and with two lines nobody can say which a thread has
	// missed.
	if record == nil || !record.adds || record.cut || record.crowded || len(record.times) != 1 || len(record.events) == 0 {
		return nil
	}
	last := record.events[len(record.events)-1]
	out := &counter{from: record.events[0].old, to: last.now, k: last.kind, steps: len(record.events), times: -1}
	for pc, times := range record.times {
		out.pc = pc
		for one, count := range times {
			if _, left := x.past.left[one]; left {
				// Of those that have left, the ones that came least often are those that others wait for.
				if out.gone.lanes == nil || count < out.fewest {
					out.gone, out.fewest, out.one = threads{}, count, one
				}
				if count == out.fewest {
					out.gone.add(one.block, one.index/simt.Lanes, 1<<(one.index%simt.Lanes))
				}
				continue
			}
			out.times = max(out.times, count)
			out.here.add(one.block, one.index/simt.Lanes, 1<<(one.index%simt.Lanes))
		}
	}
	return out
}

// countText says that threads have come to a line less often than those that wait, and have left; "" if that is not so.
func (x *historian) countText(s *set) string {
	counter := x.counter(s)
	if counter == nil || len(counter.gone.lanes) == 0 || counter.fewest >= counter.times {
		return ""
	}
	has, exit := "have", ""
	if counter.gone.plain().Count == 1 {
		has, exit = "has", x.exitText(counter.one, x.past.left[counter.one])
	}
	return fmt.Sprintf("%s %s come to %s %s, and %s left the kernel%s; those that wait have come there up to %s", x.threadsText(&counter.gone), has, x.line(counter.pc), timesText(counter.fewest), has, exit, timesText(counter.times))
}

func timesText(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// tallyText says how far a counter has got at which line, for a set whose own threads would have to count on; "" if it is
// none.
func (x *historian) tallyText(set *set) string {
	c := x.counter(set)
	if c == nil {
		return ""
	}
	text := fmt.Sprintf("%s has come from %s to %s, in %d steps at %s", x.place(anyOf(set.words())), number(c.k, c.from), number(c.k, c.to), c.steps, x.line(c.pc))
	// The guard says what keeps those that wait from counting on.
	if g := x.guardOf(c.pc); g != "" {
		text += ", which is executed only if " + g
	}
	return text
}

// leftText says that threads have left the kernel without a line that they would have executed.
func (x *historian) leftText(who *threads, pc int32) string {
	all := who.plain()
	var one thread
	for key, lanes := range who.lanes {
		one = thread{key[0], key[1]*simt.Lanes + bits.TrailingZeros32(lanes)}
	}
	text := fmt.Sprintf("%s would execute %s, and have left the kernel", x.threadsText(who), x.line(pc))
	if all.Count == 1 {
		text = strings.Replace(text, "and have", "and has", 1)
	}
	switch {
	case x.past == nil:
		return text + " without it, or executed it too early"
	case all.Count == 1:
		text += x.exitText(one, x.past.left[one])
	}
	return text + " without it"
}
