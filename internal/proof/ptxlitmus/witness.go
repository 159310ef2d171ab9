package ptxlitmus

import (
	"fmt"
	"strings"
)

// Witness is an execution in words.
type Witness struct {
	// Events are the memory accesses, fences and barriers, thread by thread.
	Events []string `json:"events"`
	// Coherence are the writes to one location that coherence puts next to each other.
	Coherence []string `json:"coherence,omitempty"`
	// Fences is the order of the sequentially consistent fences that see each other.
	Fences []string `json:"fences,omitempty"`
	// State is the final state.
	State string `json:"state"`
}

// name names an event: its thread and line.
func (x *execution) name(i int) string {
	e := &x.events[i]
	if e.thread < 0 {
		return fmt.Sprintf("the initial value of %s", x.test.Locations[e.loc].Name)
	}
	th := &x.test.Threads[e.thread]
	return fmt.Sprintf("P%d line %d", th.ID, th.Code[e.instr].Pos.Line)
}

// witness puts the execution with one of its final states into words.
func (x *execution) witness(s finalState) *Witness {
	w := &Witness{}
	from := map[int]int{}
	for i := range x.events {
		for r := range all(x.rf[i]) {
			from[r] = i
		}
	}
	for i := range x.events {
		e := &x.events[i]
		if e.thread < 0 {
			continue
		}
		line := fmt.Sprintf("%s: %s", x.name(i), x.test.Threads[e.thread].Code[e.instr].Text)
		name := x.test.Threads[e.thread].Code[e.instr].Loc
		switch e.kind {
		case read:
			line += fmt.Sprintf("; reads %s = %d from %s", name, e.value, x.name(from[i]))
		case write:
			line += fmt.Sprintf("; writes %s = %d", name, e.value)
		}
		w.Events = append(w.Events, line)
	}
	for i := range x.events {
		e := &x.events[i]
		for j := range all(x.co[i]) {
			if e.thread >= 0 && !x.between(i, j) {
				w.Coherence = append(w.Coherence, fmt.Sprintf("%s: %s before %s", x.test.Locations[e.loc].Name, x.name(i), x.name(j)))
			}
		}
		for j := range all(x.sc[i]) {
			w.Fences = append(w.Fences, fmt.Sprintf("%s before %s", x.name(i), x.name(j)))
		}
	}
	w.State = x.test.Describe(s)
	return w
}

// between reports whether coherence has a write between two others.
func (x *execution) between(i, j int) bool {
	for k := range all(x.co[i]) {
		if x.co.has(k, j) {
			return true
		}
	}
	return false
}

// Describe returns the final state as "P0:r0 = 1, x = 2".
func (t *Test) Describe(s State) string {
	var parts []string
	for _, v := range t.Outcome() {
		parts = append(parts, fmt.Sprintf("%s = %d", v, v.In(s)))
	}
	return strings.Join(parts, ", ")
}

// formatValues returns a key for a list of values.
func formatValues(values []int32) string { return fmt.Sprint(values) }
