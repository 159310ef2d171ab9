package trial

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/proof/progress/litmus"
)

// A Spot is where threads of a test were when a launch ended without them.
type Spot struct {
	Threads []int `json:"threads"`
	Instr   int   `json:"instruction"` // -1: before their first one, or between two
}

// spots returns where the threads of a test were that executed the same code
// again and again, and where those that could not go on, as far as the device
// knows: those of the first instance that did not end.
func spots(t *litmus.Test, as As, waiting []device.Wait) (spins, waits []Spot) {
	lines := strings.Split(sourceOf(t), "\n")
	instance := func(w device.Wait) int {
		if as == Lanes {
			return w.Block
		}
		return w.Block / len(t.Threads)
	}
	for _, w := range waiting {
		if instance(w) != instance(waiting[0]) {
			break // they are in order of their blocks
		}
		s := Spot{Threads: []int{w.Block % len(t.Threads)}, Instr: -1}
		if as == Lanes {
			s.Threads = nil
			for i := range t.Threads {
				if w.Threads>>i&1 != 0 {
					s.Threads = append(s.Threads, i)
				}
			}
		}
		if len(s.Threads) == 0 {
			continue // lanes without a thread of the test
		}
		if len(w.At) > 0 && w.At[0].Line <= len(lines) {
			if _, instr, ok := strings.Cut(lines[w.At[0].Line-1], mark); ok {
				s.Instr, _ = strconv.Atoi(instr)
			}
		}
		if strings.HasPrefix(w.Why, "wait") {
			waits = append(waits, s)
		} else {
			spins = append(spins, s)
		}
	}
	return spins, waits
}

// Where says in words where the threads were.
func (r *Result) Where() string {
	var list []string
	say := func(spots []Spot, what string) {
		for _, s := range spots {
			for _, thread := range s.Threads {
				at := "at instruction " + fmt.Sprint(s.Instr)
				if s.Instr < 0 {
					at = "between instructions"
				}
				list = append(list, fmt.Sprintf("thread %d %s %s", thread, what, at))
			}
		}
	}
	say(r.Spins, "spins")
	say(r.Waits, "waits")
	return strings.Join(list, ", ")
}
