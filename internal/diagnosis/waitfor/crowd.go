package waitfor

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// A grid may have two billion threads, and most of those that have not started, or have ended, do the same. Only threads
// are examined that differ in what the question depends on: the block, the place in the block, or both. What is left out
// because there are too many is counted, since nothing is known of it.

// The limits of what is examined for one line, and of that for all lines together.
const (
	maxBlocks = 1 << 17 // blocks that are listed
	maxEffort = 1 << 22 // expressions that are computed for a line
	allEffort = 1 << 24 // and for all lines; each line has at least minEffort
	minEffort = 1 << 18
)

// depends says on which parts of a thread's place a value depends.
type depends struct{ block, index bool }

func (d depends) or(e depends) depends { return depends{d.block || e.block, d.index || e.index} }

// dependence returns on what an operand depends, as far as value can compute it. Where it cannot, it cannot for any
// thread.
func (s *static) dependence(u use, depth int) (d depends) {
	def := s.definition(u)
	if def < 0 || depth == 0 {
		return d
	}
	in := &s.p.Code[def]
	switch {
	case in.Op == ir.OpSpecial:
		switch ir.Special(in.Imm) {
		case ir.CTAID, ir.CTAIDY, ir.CTAIDZ:
			return depends{block: true}
		case ir.TID, ir.TIDY, ir.TIDZ, ir.LaneID:
			return depends{index: true}
		}
		return d
	// The load is from a buffer that is only read: its value differs as its address does.
	case in.Op == ir.OpLoad:
		return s.dependence(use{def, 0}, depth-1)
	case !in.Op.Scalar():
		return d
	}
	for i := range int(in.NSrc) {
		d = d.or(s.dependence(use{def, i}, depth-1))
	}
	return d
}

// matters returns on what it depends whether a thread executes an instruction, for which words, and whether it comes
// through some reads before.
func (x *finder) matters(pc int32, reads []int32) (depends depends) {
	// The guard, the address and the value of the line; then whether a thread gets there, by its branches.
	operands := []use{{pc, guard}}
	for i := range int(x.p.Code[pc].NSrc) {
		operands = append(operands, use{pc, i})
	}
	for _, r := range reads {
		operands = append(operands, use{r, 0})
	}
	for _, b := range x.branches {
		operands = append(operands, use{b, guard})
	}
	for _, u := range operands {
		depends = depends.or(x.dependence(u, maxDepth))
	}
	return depends
}

// family is blocks in which the same threads are looked for.
type family struct {
	blocks []int
	idle   []uint32 // by warp: the lanes that have not started, or have ended
}

// alike are threads that do the same.
type alike struct {
	blocks []int
	lanes  []uint32 // by warp
}

// each calls f for each of those.
func (a *alike) each(f func(block, warp int, lanes uint32)) {
	for _, b := range a.blocks {
		for w, family := range a.lanes {
			if family != 0 {
				f(b, w, family)
			}
		}
	}
}

// crowd is the threads of the blocks that have not started, or those that have ended.
type crowd struct {
	x        *finder
	d        depends
	families []family
	unseen   int // threads of blocks that are not listed
}

// crowd lists the threads that have not started, or those of blocks that have and that are not in live any more; of the
// blocks for which in is true.
func (x *finder) crowd(started bool, depends depends, live map[[2]int]uint32, in func(block int) bool) *crowd {
	out := &crowd{x: x, d: depends}
	whole := family{idle: make([]uint32, x.g.Warps)}
	for i := range whole.idle {
		whole.idle[i] = uint32(1<<min(simt.Lanes, x.g.Threads-i*simt.Lanes) - 1)
	}
	listed := 0
	for block := range min(x.g.Blocks, maxSearched) {
		if x.Started(block) != started || !in(block) {
			continue
		}
		if listed++; listed > maxBlocks {
			out.unseen += x.g.Threads
			continue
		}
		idle := whole.idle
		// A block with live warps has also lanes that have ended: those alone are looked at here.
		if x.resident[block] {
			idle = make([]uint32, x.g.Warps)
			for i := range idle {
				idle[i] = whole.idle[i] &^ live[[2]int{block, i}]
			}
		}
		// If nothing depends on the block, all that are alike are one family.
		if depends.block || x.resident[block] {
			out.families = append(out.families, family{[]int{block}, idle})
		} else {
			whole.blocks = append(whole.blocks, block)
		}
	}
	if x.g.Blocks > maxSearched && !started {
		out.unseen += (x.g.Blocks - maxSearched) * x.g.Threads
	}
	if len(whole.blocks) > 0 {
		out.families = append(out.families, whole)
	}
	return out
}

// maxSearched limits how many blocks of a grid are asked whether they have started.
const maxSearched = 1 << 24

// each calls f for one thread of each kind, with all of that kind, until the effort is used up. f returns the effort.
// The result is the number of threads that have not been examined.
func (c *crowd) each(f func(t thread, all *alike) int) (unseen int) {
	budget := max(min(maxEffort, allEffort-c.x.effort), minEffort)
	spent := 0
	for i := range c.families {
		family := &c.families[i]
		if spent > budget {
			for _, lanes := range family.idle {
				unseen += bits.OnesCount32(lanes) * len(family.blocks)
			}
			continue
		}
		// One thread stands for all of the family.
		if !c.d.index {
			if t, ok := family.first(); ok {
				spent += f(t, &alike{family.blocks, family.idle})
			}
			continue
		}
		for w, lanes := range family.idle {
			for ; lanes != 0; lanes &= lanes - 1 {
				lane := bits.TrailingZeros32(lanes)
				one := make([]uint32, w+1)
				one[w] = 1 << lane
				spent += f(thread{family.blocks[0], w*simt.Lanes + lane}, &alike{family.blocks, one})
			}
		}
	}
	c.x.effort += spent
	if c.unseen > 0 && (c.d.block || unseen > 0) { // else they do what the others do
		unseen += c.unseen
	}
	return unseen
}

// first returns the first thread of a family.
func (m *family) first() (thread, bool) {
	for w, lanes := range m.idle {
		if lanes != 0 {
			return thread{m.blocks[0], w*simt.Lanes + bits.TrailingZeros32(lanes)}, true
		}
	}
	return thread{}, false
}
