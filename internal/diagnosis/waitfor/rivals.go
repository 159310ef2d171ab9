package waitfor

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/core/simt"
)

// rivals are the loops in which threads wait for the same as a set does, at any place of the source: for one of its
// words to meet the same condition, as if both call a function that takes a lock. A thread in such a loop, or one that
// has to pass it first, waits with the set, and nobody waits for it. So it counts only if there is no other thread that
// would end the wait.
type rivals struct {
	words map[uint64]int32
	loops []*wait // one of each loop
}

// rivals finds the loops that wait for the words of a set as it does.
func (x *finder) rivals(s *set, words map[uint64]int32) *rivals {
	out := &rivals{words: words}
	want := s.waits[0].condition()
	if want == "" {
		return out
	}
	for _, other := range x.waits {
		// The same condition on the same words, wherever it stands: two calls of Acquire are one lock.
		if other.condition() != want || !mayReach(x.g, &x.p.Code[other.read], words) {
			continue
		}
		if !slices.ContainsFunc(out.loops, func(l *wait) bool { return l.read == other.read }) {
			out.loops = append(out.loops, other)
		}
	}
	return out
}

// reads returns the reads by which a set, and its rivals, wait.
func (r *rivals) reads(s *set) (list []int32) {
	list = append(list, s.waits[0].reads...)
	for _, l := range r.loops {
		list = append(list, l.read)
	}
	return list
}

var marks = regexp.MustCompile(wordMark + `\d+` + wordMark)

// condition is the condition under which a wait ends, equal for equal ones at other places of the source. It is "" if
// there is none, or if it differs from thread to thread.
func (t *wait) condition() string {
	if t.read < 0 || strings.Contains(t.text, ownMark) {
		return ""
	}
	return marks.ReplaceAllString(t.text, wordMark)
}

// waits reports whether a thread of a wait waits for one of the words itself.
func (r *rivals) waits(other *wait, thread thread) bool {
	if !slices.ContainsFunc(r.loops, func(l *wait) bool { return l.read == other.read }) {
		return false
	}
	lane := thread.index % simt.Lanes
	_, hit := r.words[other.addr[lane]]
	return hit && other.lanes>>lane&1 != 0
}

// around returns the instructions that a thread may execute from some on without waiting for one of the words.
func (r *rivals) around(x *finder, start []int32, thread thread, class string, ways choices) []bool {
	var loops []*wait
	name := "without"
	for _, last := range r.loops {
		if x.hits(last.read, thread, r.words) {
			loops, name = append(loops, last), name+fmt.Sprint(" ", last.read)
		}
	}
	return x.from(start, class, ways, name, func(pc int32) bool {
		return slices.ContainsFunc(loops, func(l *wait) bool { return l.round.in[pc] })
	})
}
