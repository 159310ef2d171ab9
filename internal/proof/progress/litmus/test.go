package litmus

import (
	"fmt"
	"strings"
)

// A Test is a few threads that run a program each. The memory cells that they
// share start at 0.
type Test struct {
	Name    string // of the file, without .txt
	Threads [][]Instr
	Cells   int // the cells are numbered 0 to Cells-1
}

// Op is the kind of an instruction.
type Op uint8

// The instructions. Each is one atomic access to one cell.
const (
	Store      Op = iota // write Value to Cell
	ChkBranch            // read Cell; jump to Target if it was Check
	ExchBranch           // exchange Cell with Value; jump to Target if it was Check
)

// An Instr is an instruction of a thread.
type Instr struct {
	Op     Op
	Cell   int
	Check  uint32 // not of Store
	Value  uint32 // not of ChkBranch
	Target int    // not of Store: an instruction of the thread, or their number for END
	Line   int    // in the file, from 1
}

// The names of the instructions in the text form.
var opNames = [...]string{Store: "atomic_store", ChkBranch: "atomic_chk_branch", ExchBranch: "atomic_exch_branch"}

// end is the target in the text form that ends the thread.
const end = "END"

// Text returns the instruction in the text form, as a thread of n instructions
// has it.
func (in Instr) Text(n int) string {
	target := fmt.Sprint(in.Target)
	if in.Target == n {
		target = end
	}
	switch in.Op {
	case Store:
		return fmt.Sprintf("%s(%d,%d)", opNames[in.Op], in.Cell, in.Value)
	case ChkBranch:
		return fmt.Sprintf("%s(%d,%d,%s)", opNames[in.Op], in.Cell, in.Check, target)
	}
	return fmt.Sprintf("%s(%d,%d,%d,%s)", opNames[in.Op], in.Cell, in.Check, in.Value, target)
}

// String returns the test in the text form.
func (t *Test) String() string {
	var s strings.Builder
	for i, code := range t.Threads {
		fmt.Fprintf(&s, "THREAD%d\n", i)
		for _, in := range code {
			s.WriteString(in.Text(len(code)) + "\n")
		}
	}
	return s.String()
}

// Run executes the instruction on the old value of its cell. It returns the new
// value and the next instruction, given its own number.
func (in *Instr) Run(pc int, old uint32) (value uint32, next int) {
	value, next = old, pc+1
	if in.Op != ChkBranch {
		value = in.Value
	}
	if in.Op != Store && old == in.Check {
		next = in.Target
	}
	return value, next
}
