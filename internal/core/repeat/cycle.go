package repeat

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// cycles has, for each instruction, the rows that decide what a warp does that is there, as long as it stays in the loops
// around it.
type cycles struct {
	of    []int32   // the cycle of an instruction; the last one stands for those that are in none
	rows  []ir.Rows // by cycle
	clock ir.Rows   // rows that may hold what was computed from a clock
}

// newCycles finds the strongly connected components of the control flow: all loops that have an instruction in common
// are one, so that a counter of an outer loop counts for the inner one.
func (f *Flow) newCycles(p *ir.Program) *cycles {
	n := len(p.Code)
	c := &cycles{of: make([]int32, n), clock: make(ir.Rows, (f.rows+63)/64)}
	groups := components(p)
	straight := []int32{} // a warp that is in no loop comes to what follows: all that the program does counts
	for pc := range n {
		straight = append(straight, int32(pc))
		c.of[pc] = int32(len(groups))
	}
	rel := make([]bool, f.rows)
	for i, group := range append(groups, straight) {
		executed := make([]uint64, words(f))
		for _, pc := range group {
			g := uint32(pc) >> f.shift
			executed[g>>6] |= 1 << (g & 63)
		}
		f.relevant(executed, rel)
		rows := make(ir.Rows, (f.rows+63)/64)
		for r, yes := range rel {
			if yes {
				rows[r/64] |= 1 << (r % 64)
			}
		}
		c.rows = append(c.rows, rows)
		if i < len(groups) {
			for _, pc := range group {
				c.of[pc] = int32(i)
			}
		}
	}
	for again := true; again; {
		again = false
		for i := range f.insts {
			x := &f.insts[i]
			from := x.clock
			for _, r := range x.rows[x.numDst:x.num] {
				from = from || c.clock.Has(int(r))
			}
			for _, r := range x.rows[:x.numDst] {
				if from && !c.clock.Has(int(r)) {
					c.clock[r/64] |= 1 << (r % 64)
					again = true
				}
			}
		}
	}
	return c
}

// components returns the strongly connected components of the control flow that have a cycle.
func components(p *ir.Program) (list [][]int32) {
	n := len(p.Code)
	next := func(pc int32) (to [2]int32) {
		in := &p.Code[pc]
		to = [2]int32{pc + 1, -1}
		switch {
		case in.Op == ir.OpJmp:
			to[0] = in.Target
		case in.Op == ir.OpBra:
			to[1] = in.Target
		case (in.Op == ir.OpExit || in.Op == ir.OpTrap) && in.Guard == ir.NoGuard:
			to[0] = -1
		}
		if to[0] >= int32(n) {
			to[0] = -1
		}
		return to
	}
	// R. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1, 1972, with a stack of its own.
	order, low, on := make([]int32, n), make([]int32, n), make([]bool, n)
	type frame struct {
		pc  int32
		way int
	}
	var open []int32
	var calls []frame
	found := int32(0)
	enter := func(pc int32) {
		found++
		order[pc], low[pc], on[pc] = found, found, true
		open, calls = append(open, pc), append(calls, frame{pc, 0})
	}
	for root := range n {
		if order[root] != 0 {
			continue
		}
		enter(int32(root))
		for len(calls) > 0 {
			top := &calls[len(calls)-1]
			if top.way < 2 {
				to := next(top.pc)[top.way]
				from := top.pc
				top.way++
				switch {
				case to < 0:
				case order[to] == 0:
					enter(to)
				case on[to]:
					low[from] = min(low[from], order[to])
				}
				continue
			}
			pc := top.pc
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				below := calls[len(calls)-1].pc
				low[below] = min(low[below], low[pc])
			}
			if low[pc] != order[pc] {
				continue
			}
			i := slices.Index(open, pc)
			group := slices.Clone(open[i:])
			open = open[:i]
			for _, member := range group {
				on[member] = false
			}
			if to := next(pc); len(group) > 1 || to[0] == pc || to[1] == pc {
				list = append(list, group)
			}
		}
	}
	return list
}
