package waitfor

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// flow is the control flow of a program. Its nodes are the instructions.
type flow struct {
	p     *ir.Program
	preds [][]int32
}

func newFlow(prog *ir.Program) *flow {
	out := &flow{p: prog, preds: make([][]int32, len(prog.Code))}
	for pc := range prog.Code {
		for _, s := range out.succs(int32(pc)) {
			if s >= 0 {
				out.preds[s] = append(out.preds[s], int32(pc))
			}
		}
	}
	return out
}

// succs returns the instructions that may follow pc: the next one, and the target of a branch;
// -1 for none.
func (f *flow) succs(pc int32) [2]int32 {
	in, next := &f.p.Code[pc], pc+1
	if int(next) >= len(f.p.Code) {
		next = -1
	}
	switch in.Op {
	case ir.OpJmp:
		return [2]int32{-1, in.Target}
	case ir.OpBra:
		return [2]int32{next, in.Target}
	case ir.OpExit, ir.OpTrap:
		// A guarded exit lets the lanes whose guard is false go on.
		if in.Guard == ir.NoGuard {
			return [2]int32{-1, -1}
		}
	}
	return [2]int32{next, -1}
}

// choice says which ways a branch can take for a thread: bit 0 is the next instruction, bit 1 the
// target of a branch or the end at a guarded exit. Instructions that are not in the map can take
// all.
type choices map[int32]uint8

// reach returns the instructions that a thread may execute from the given ones on, themselves
// included. It does not pass through the instructions in avoid.
func (f *flow) reach(from []int32, allowed choices, avoid func(pc int32) bool) []bool {
	seen := make([]bool, len(f.p.Code))
	var todo []int32
	push := func(pc int32) {
		if pc >= 0 && int(pc) < len(seen) && !seen[pc] && (avoid == nil || !avoid(pc)) {
			seen[pc] = true
			todo = append(todo, pc)
		}
	}
	for _, pc := range from {
		push(pc)
	}
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		ways, ok := allowed[pc]
		// A branch of which nothing is known may go both ways: what is reached then is too much, and never too little.
		if !ok {
			ways = 3
		}
		for i, s := range f.succs(pc) {
			if ways>>i&1 != 0 {
				push(s)
			}
		}
	}
	return seen
}

// ends reports whether a thread can end within the instructions that it can reach.
func (f *flow) ends(reached []bool, allowed choices) bool {
	for pc, ok := range reached {
		// A program ends behind its last instruction, too.
		if in := &f.p.Code[pc]; ok && (in.Op == ir.OpExit || pc+1 == len(f.p.Code)) {
			if ways, known := allowed[int32(pc)]; !known || ways&2 != 0 {
				return true
			}
		}
	}
	return false
}

// definitions returns the instructions that may have written the register row, or the predicate,
// that pc is about to read. Those in within, if there are any and within is not nil, are preferred.
func (f *flow) definitions(pc int32, row int32, pred bool, within []bool) []int32 {
	var found []int32
	seen := make([]bool, len(f.p.Code))
	todo := slices.Clone(f.preds[pc])
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		if writes(&f.p.Code[at], row, pred) {
			found = append(found, at)
			// A guarded instruction writes in some lanes: in the others the value is an earlier one.
			if f.p.Code[at].Guard == ir.NoGuard {
				continue
			}
		}
		todo = append(todo, f.preds[at]...)
	}
	if within != nil {
		// In a loop that has gone round, the values are those of the loop: what came in from outside was used in the first
		// round.
		inside := slices.DeleteFunc(slices.Clone(found), func(at int32) bool { return !within[at] })
		if len(inside) > 0 {
			return inside
		}
	}
	return found
}

func writes(in *ir.Inst, row int32, pred bool) bool {
	if (in.K == ir.Pred) != pred {
		return false
	}
	return slices.Contains(in.Dst[:in.NDst], row)
}
