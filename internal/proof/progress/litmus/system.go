package litmus

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/proof/progress"
)

// System returns the test as a program whose schedules can be explored. A step
// is one instruction.
func (t *Test) System() progress.System { return system{t} }

// A state is the program counter of each thread, of 2 bytes, and the value of
// each cell, of 4 bytes.
type system struct{ *Test }

const pcBytes, cellBytes = 2, 4

func (s system) Threads() int { return len(s.Test.Threads) }

func (s system) Units() []int {
	units := make([]int, len(s.Test.Threads))
	for t := range units {
		units[t] = t
	}
	return units
}

func (s system) Initial() string {
	return string(make([]byte, pcBytes*len(s.Test.Threads)+cellBytes*s.Cells))
}

func (s system) Status(state string) (ended, blocked progress.Set) {
	for t, code := range s.Test.Threads {
		if s.PC(state, t) == len(code) {
			ended |= 1 << t
		}
	}
	return ended, ended
}

func (s system) Step(state string, t int, next []string) ([]string, error) {
	pc := s.PC(state, t)
	in := &s.Test.Threads[t][pc]
	value, pc := in.Run(pc, s.Cell(state, in.Cell))
	to := []byte(state)
	binary.LittleEndian.PutUint16(to[pcBytes*t:], uint16(pc))
	binary.LittleEndian.PutUint32(to[s.cellAt(in.Cell):], value)
	return append(next, string(to)), nil
}

func (t *Test) cellAt(cell int) int { return pcBytes*len(t.Threads) + cellBytes*cell }

// PC returns the number of the instruction that a thread executes next in a
// state of System; the number of its instructions if it has ended.
func (t *Test) PC(state string, thread int) int {
	return int(binary.LittleEndian.Uint16([]byte(state[pcBytes*thread : pcBytes*(thread+1)])))
}

// Cell returns the value of a cell in a state of System.
func (t *Test) Cell(state string, cell int) uint32 {
	at := t.cellAt(cell)
	return binary.LittleEndian.Uint32([]byte(state[at : at+cellBytes]))
}

func (s system) Describe(m progress.Move) progress.Step {
	code := s.Test.Threads[m.Thread]
	pc := s.PC(m.From, m.Thread)
	in := &code[pc]
	var effect []string
	if in.Op != Store {
		effect = append(effect, fmt.Sprintf("reads %d", s.Cell(m.From, in.Cell)))
	}
	if in.Op != ChkBranch {
		effect = append(effect, fmt.Sprintf("writes %d", in.Value))
	}
	what := strings.Join(effect, ", ")
	switch next := s.PC(m.To, m.Thread); {
	case next == len(code):
		what += ": ends"
	case in.Op != Store && s.Cell(m.From, in.Cell) == in.Check:
		what += fmt.Sprintf(": jumps to %d", next)
	case in.Op != Store:
		what += ": goes on"
	}
	return progress.Step{Thread: m.Thread, At: strconv.Itoa(pc), Code: in.Text(len(code)), Effect: what}
}
