package policy

import (
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/internal/base/bitmix"
)

// turns is the StepOrder of a schedule's Steps and Loop.
type turns struct {
	s      *Schedule
	at     int  // in Steps, then in Loop
	inLoop bool // Steps are over
	taken  int  // of the turn's Times
	over   bool // both are over: there is no loop
	byLane bool
}

func newTurns(s *Schedule) *turns {
	t := &turns{s: s}
	t.byLane = slices.ContainsFunc(slices.Concat(s.Steps, s.Loop), func(t Turn) bool { return len(t.Lanes) > 0 })
	t.settle()
	return t
}

// settle moves from the end of a list to the next one.
func (t *turns) settle() {
	if !t.inLoop && t.at == len(t.s.Steps) {
		t.inLoop, t.at = true, 0
		t.over = len(t.s.Loop) == 0
	}
	if t.inLoop && !t.over && t.at == len(t.s.Loop) {
		t.at = 0
	}
}

// Holds lets a step wait until the list is over.
func (t *turns) Holds(*Step) bool { return !t.over }

// ByLane reports whether a turn names lanes.
func (t *turns) ByLane() bool { return t.byLane }

// State returns the position in the list.
func (t *turns) State() uint64 {
	if t.over {
		return 0
	}
	n := uint64(t.at)<<32 | uint64(t.taken)<<1
	if t.inLoop {
		n |= 1
	}
	return bitmix.Mix(n + 1)
}

// Next selects the step of the current turn when everything else has come to rest.
func (t *turns) Next(waiting []Step, idle bool) ([]int, error) {
	if t.over {
		all := make([]int, len(waiting))
		for i := range all {
			all[i] = i
		}
		return all, nil
	}
	if !idle {
		return nil, nil
	}
	list, name := t.s.Steps, "steps"
	if t.inLoop {
		list, name = t.s.Loop, "loop"
	}
	turn := &list[t.at]
	want := turn.lanes()
	for i := range waiting {
		w := &waiting[i]
		if w.Block != turn.Block || w.Warp != turn.Warp || want&^w.Lanes != 0 {
			continue
		}
		if want != 0 {
			w.Lanes = want
		}
		if t.taken++; t.taken >= max(turn.Times, 1) {
			t.at, t.taken = t.at+1, 0
			t.settle()
		}
		return []int{i}, nil
	}
	return nil, fmt.Errorf("schedule: %s[%d] cannot be taken: %s is not about to access memory; %s", name, t.at, turn, who(waiting))
}

// who lists the steps that could be taken instead.
func who(waiting []Step) string {
	const most = 8
	if len(waiting) == 0 {
		return "nobody is"
	}
	text := ""
	for i := range waiting[:min(len(waiting), most)] {
		w := &waiting[i]
		if i > 0 {
			text += "; "
		}
		text += fmt.Sprintf("block %d, warp %d, lanes %08x is", w.Block, w.Warp, w.Lanes)
	}
	if n := len(waiting) - most; n > 0 {
		text += fmt.Sprintf("; and %d more", n)
	}
	return text
}
