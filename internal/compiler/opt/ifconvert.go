package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// maxPredicated is the maximum number of instructions, selects included, that
// may execute needlessly in place of a branch.
const maxPredicated = 5

// ifConvert turns short branches into straight-line code. Pure instructions
// always execute and selects choose among their results; stores and reductions
// (atomics with an unused result) execute under a guard. Loads and collectives
// are never moved.
func ifConvert(c *context) {
	for again := true; again; {
		again = false
		c.f.Renumber()
		c.countUses()
		// Inner branches first: what remains of them may make an outer branch
		// short enough, if it is one block. Blocks that are too long for that
		// stay separate until the end; otherwise each branch of a long kernel
		// would move all the code after it.
		for i := len(c.f.Blocks) - 1; i >= 0; i-- {
			block := c.f.Blocks[i]
			for c.branches(block) && (c.convertTriangle(block, 0) || c.convertTriangle(block, 1) || c.convertDiamond(block)) {
				again = true
				for c.bypassNext(block) || c.shortNext(block) && c.mergeNext(block) {
				}
			}
		}
		if again {
			simplifyCFG(c)
		}
	}
}

// shortNext reports whether b and its successor together may be short enough
// for an arm.
func (c *context) shortNext(b *ir.Block) bool {
	return len(b.Succs) == 1 && len(b.Ins)+len(b.Succs[0].Ins) <= maxPredicated
}

// branches reports whether the block ends in a branch whose condition is not constant.
func (c *context) branches(block *ir.Block) bool {
	if block.Cond == nil {
		return false
	}
	block.Cond = c.res(block.Cond)
	return block.Cond.Op != ir.OpConst
}

// arm returns the cost of making one side of a branch straight-line code; ok is
// false if that is impossible.
func (c *context) arm(b, side *ir.Block) (cost int, ok bool) {
	if len(side.Preds) != 1 || len(side.Succs) != 1 || len(side.Phis) > 0 || side == b || side.Succs[0] == side || side.Succs[0] == b {
		return 0, false
	}
	for _, value := range side.Ins {
		switch {
		// A division, on hardware a sequence of instructions, would cost more
		// than the branch; and a guard cannot have a second condition.
		case ir.Ops[value.Op].Long, value.Guard != nil:
			return 0, false
		case value.Op.Pure():
			cost++
		// A guard is only for instructions without a result: no value may
		// depend on it.
		case value.Op == ir.OpStore, value.Op.Action() == ir.ActCopy, value.Op.Action() == ir.ActBulk, value.Op.IsAtomic() && c.uses[value.ID] == 0:
			cost++
		// A load may fault where the branch would have kept the thread away,
		// and a collective must be executed by the lanes that the branch
		// selects.
		default:
			return 0, false
		}
	}
	return cost, true
}

// selects returns how many different selects the phis of join need to choose
// between the values from a and from b.
func (c *context) selects(join, left, right *ir.Block) (n int) {
	x, y := slices.Index(join.Preds, left), slices.Index(join.Preds, right)
	for _, phi := range join.Phis {
		if one, other := c.res(phi.Args[x]), c.res(phi.Args[y]); one != other {
			n++
			// There is no select between predicates: choosePred makes up to
			// three operations of it.
			if phi.K == ir.Pred && one.Op != ir.OpConst && other.Op != ir.OpConst {
				n += 2
			}
		}
	}
	return n
}

// flatten moves the instructions of an arm into the block, guarded by the condition of
// block.
func flatten(block, arm *ir.Block, not bool) {
	for _, value := range arm.Ins {
		value.Block = block
		// Pure instructions need no guard: nobody uses their results in the
		// lanes that would have gone the other way, except through a select.
		if !value.Op.Pure() {
			value.Guard, value.GuardNot = block.Cond, not
		}
	}
	block.Ins = append(block.Ins, arm.Ins...)
	arm.Ins = nil
}

// choose returns cond ? x : y at the end of the block.
func (c *context) choose(block *ir.Block, kind ir.Kind, x, y *ir.Value) *ir.Value {
	if x, y = c.res(x), c.res(y); x == y {
		return x
	}
	v := c.value(block, ir.OpSelect, kind, block.Pos, block.Cond, x, y)
	block.Ins = append(block.Ins, v)
	return v
}

// convertTriangle flattens "if c { arm }"; side is the successor of the block that is
// the arm.
func (c *context) convertTriangle(block *ir.Block, side int) bool {
	arm, join := block.Succs[side], block.Succs[1-side]
	cost, ok := c.arm(block, arm)
	if !ok || arm.Succs[0] != join {
		return false
	}
	if cost+c.selects(join, block, arm) > maxPredicated {
		return false
	}
	flatten(block, arm, side == 1)
	// Before the edge from the arm is removed: both operands of each phi are
	// needed.
	from, via := slices.Index(join.Preds, block), slices.Index(join.Preds, arm)
	for _, phi := range join.Phis {
		x, y := phi.Args[via], phi.Args[from]
		if side == 1 {
			x, y = y, x
		}
		phi.Args[from] = c.choose(block, phi.K, x, y)
	}
	join.RemovePred(arm)
	block.Succs, block.Cond = []*ir.Block{join}, nil
	arm.Preds, arm.Succs = nil, nil
	return true
}

// convertDiamond flattens "if c { arm } else { arm }".
func (c *context) convertDiamond(block *ir.Block) bool {
	then, other := block.Succs[0], block.Succs[1]
	cost0, ok0 := c.arm(block, then)
	cost1, ok1 := c.arm(block, other)
	if !ok0 || !ok1 || then.Succs[0] != other.Succs[0] {
		return false
	}
	join := then.Succs[0]
	if cost0+cost1+c.selects(join, then, other) > maxPredicated {
		return false
	}
	flatten(block, then, false)
	flatten(block, other, true)
	x, y := slices.Index(join.Preds, then), slices.Index(join.Preds, other)
	for _, phi := range join.Phis {
		phi.Args[x] = c.choose(block, phi.K, phi.Args[x], phi.Args[y])
	}
	// The edge from the first arm becomes the edge from the block, in its place, where
	// the selects are.
	join.Preds[x] = block
	join.RemovePred(other)
	block.Succs, block.Cond = []*ir.Block{join}, nil
	then.Preds, then.Succs, other.Preds, other.Succs = nil, nil, nil, nil
	return true
}
