package waitfor

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
)

// alone looks at a group that would leave its loop if the others stood still at this moment, as one does that retries: what
// keeps it there is what the others change in between. Its loop is then the largest one of the program that it is in, and
// what it reads last before it leaves is what it has to find as it wants it.
func (x *reader) alone(wait *wait) {
	var outer *loop
	// The list goes from small to large, so that the last match is the largest.
	for _, other := range x.naturalLoops() {
		if other.in[min(int(wait.g.PC), len(other.in)-1)] {
			outer = &other
		}
	}
	if outer == nil {
		return
	}
	replay := newReplay(x.Snapshot, wait.w, wait.g, nil)
	out := &round{in: make([]bool, len(x.p.Code)), last: map[int32]*step{}}
	left := false
	for range min(minSteps, x.steps()) {
		pc := replay.w.PC
		if int(pc) >= len(outer.in) || !outer.in[pc] {
			left = true
			break
		}
		if !replay.step(out) {
			// It did not stop at a barrier or the like, but because all lanes have left the kernel.
			left = replay.w.Mask&replay.lanes == 0
			break
		}
	}
	x.stepped += replay.taken
	if !left || len(out.steps) == 0 {
		return
	}
	wait.round, wait.kind, wait.pc = out, device.WaitLoop, slices.Min(out.steps)
	wait.cond = conditionOf(x.flow, x.uniform, &round{steps: out.steps, in: outer.in, last: out.last})
	wait.changes = x.changes(out)
	// The last read before it leaves: earlier ones it has passed already.
	for i := len(out.steps) - 1; i >= 0 && wait.gate == nil; i-- {
		pc := out.steps[i]
		gates := slices.ContainsFunc(wait.cond.exits, func(e exit) bool { return slices.Contains(e.reads, pc) })
		if step := out.last[pc]; gates && step.lanes != 0 {
			lane := bits.TrailingZeros32(step.lanes)
			wait.gate = &readWord{pc, lane, step.addr[lane], step.value[lane]}
		}
	}
}

// gateText says what a group that retries has to find, and who changes it meanwhile.
func (x *explainer) gateText(set *set) string {
	gate := set.waits[0].gate
	in := &x.p.Code[gate.pc]
	text := fmt.Sprintf("[%d] would leave its loop at %s if %s stayed %s until it comes there", set.id, x.line(gate.pc), x.place(gate.addr), number(in.Mem.Kind, gate.value))
	var by []string
	for _, other := range x.sets {
		// A group of one thread cannot be in its own way.
		if other == set && len(other.waits) == 1 || other.waits[0].round == nil {
			continue
		}
		for _, w := range other.waits {
			for _, pc := range w.round.steps {
				at := &x.p.Code[pc]
				if (at.Op.IsAtomic() || at.NDst == 0) && at.Op.Addressed() && mayReach(x.g, at, map[uint64]int32{gate.addr: 0}) {
					if line := fmt.Sprintf("[%d] at %s", other.id, x.line(pc)); !slices.Contains(by, line) {
						by = append(by, line)
					}
				}
			}
		}
	}
	if len(by) > 0 {
		text += "; it is changed meanwhile by " + listOf(by[:min(len(by), maxValues-1)])
	}
	return text
}

// livelockAdvice is for groups that keep each other from getting through by what they do at the same time.
var livelockAdvice = []string{
	"let the threads not go in step: wait for a time that differs from thread to thread before the next try, and that grows (t.Sleep of a multiple of t.Block(), or of a random number)",
	"or let them take what they need in the same order everywhere, and wait for it instead of giving way; or let one that has failed go first",
}

// often is the number of changes of a word from which on it counts as one that changes all the time: in a livelock, and
// where a budget ended the launch while they went on.
const (
	often     = 16
	oftenEven = 64
)

// contested says who changes a word all the time that a set waits for at this moment of a livelock, or of a launch that a
// budget ended; "" if that is not so.
func (x *historian) contested(set *set) string {
	if x.Decided && !x.Livelock || x.past == nil {
		return ""
	}
	for _, addr := range sortedKeys(set.words()) {
		record := x.past.of(set.waits[0], addr)
		// A word that was changed a few times was not contested, but used.
		if record == nil || len(record.events) < often {
			continue
		}
		last := &record.events[len(record.events)-1]
		// A budget ended the launch: only if the last to change the word could go on doing so, and did so often, does it count.
		if _, left := x.past.left[last.by]; !x.Livelock && (left || len(record.events) < oftenEven) {
			continue
		}
		var parts []string
		for _, pc := range sortedKeys(record.did) {
			parts = append(parts, fmt.Sprintf("%s at %s", x.threadsText(record.did[pc]), x.line(pc)))
		}
		if len(parts) > maxValues {
			parts = append(parts[:maxValues-1], "other lines")
		}
		if set.contested && x.starves(set) {
			return fmt.Sprintf("[%d] looks at %s at %s, and the value that it waits for never comes: the word is changed all the time, to other values, by %s", set.id, x.place(addr), x.line(set.waits[0].read), strings.Join(parts, ", by "))
		}
		return fmt.Sprintf("[%d] looks at %s at %s, and each time it comes there, another thread has just changed it: it is changed all the time by %s", set.id, x.place(addr), x.line(set.waits[0].read), strings.Join(parts, ", by "))
	}
	return ""
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// futile reports whether a group goes round and no value of a word that it reads was found with which it would not.
func (x *reader) futile(s *set) bool {
	t := s.waits[0]
	return t.kind == device.WaitLoop && t.gate == nil && t.round != nil && t.round.recurs && !t.unsure && len(t.blocked) == 0 && len(t.changes) > 0
}
