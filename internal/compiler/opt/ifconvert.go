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
			b := c.f.Blocks[i]
			for c.branches(b) && (c.convertTriangle(b, 0) || c.convertTriangle(b, 1) || c.convertDiamond(b)) {
				again = true
				for c.bypassNext(b) || c.shortNext(b) && c.mergeNext(b) {
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

// branches reports whether b ends in a branch whose condition is not constant.
func (c *context) branches(b *ir.Block) bool {
	if b.Cond == nil {
		return false
	}
	b.Cond = c.res(b.Cond)
	return b.Cond.Op != ir.OpConst
}

// arm returns the cost of making one side of a branch straight-line code; ok is
// false if that is impossible.
func (c *context) arm(b, t *ir.Block) (cost int, ok bool) {
	if len(t.Preds) != 1 || len(t.Succs) != 1 || len(t.Phis) > 0 || t == b || t.Succs[0] == t || t.Succs[0] == b {
		return 0, false
	}
	for _, v := range t.Ins {
		switch {
		case ir.Ops[v.Op].Long, v.Guard != nil:
			return 0, false
		case v.Op.Pure():
			cost++
		case v.Op == ir.OpStore, v.Op.IsAtomic() && c.uses[v.ID] == 0:
			cost++
		default:
			return 0, false
		}
	}
	return cost, true
}

// selects returns how many different selects the phis of j need to choose
// between the values from a and from b.
func (c *context) selects(j, a, b *ir.Block) (n int) {
	x, y := slices.Index(j.Preds, a), slices.Index(j.Preds, b)
	for _, p := range j.Phis {
		if s, t := c.res(p.Args[x]), c.res(p.Args[y]); s != t {
			n++
			if p.K == ir.Pred && s.Op != ir.OpConst && t.Op != ir.OpConst {
				n += 2
			}
		}
	}
	return n
}

// flatten moves the instructions of arm t into b, guarded by the condition of
// b.
func flatten(b, t *ir.Block, not bool) {
	for _, v := range t.Ins {
		v.Block = b
		if !v.Op.Pure() {
			v.Guard, v.GuardNot = b.Cond, not
		}
	}
	b.Ins = append(b.Ins, t.Ins...)
	t.Ins = nil
}

// choose returns cond ? x : y at the end of b.
func (c *context) choose(b *ir.Block, k ir.Kind, x, y *ir.Value) *ir.Value {
	if x, y = c.res(x), c.res(y); x == y {
		return x
	}
	v := c.value(b, ir.OpSelect, k, b.Pos, b.Cond, x, y)
	b.Ins = append(b.Ins, v)
	return v
}

// convertTriangle flattens "if c { arm }"; side is the successor of b that is
// the arm.
func (c *context) convertTriangle(b *ir.Block, side int) bool {
	t, j := b.Succs[side], b.Succs[1-side]
	cost, ok := c.arm(b, t)
	if !ok || t.Succs[0] != j {
		return false
	}
	if cost+c.selects(j, b, t) > maxPredicated {
		return false
	}
	flatten(b, t, side == 1)
	from, via := slices.Index(j.Preds, b), slices.Index(j.Preds, t)
	for _, p := range j.Phis {
		x, y := p.Args[via], p.Args[from]
		if side == 1 {
			x, y = y, x
		}
		p.Args[from] = c.choose(b, p.K, x, y)
	}
	j.RemovePred(t)
	b.Succs, b.Cond = []*ir.Block{j}, nil
	t.Preds, t.Succs = nil, nil
	return true
}

// convertDiamond flattens "if c { arm } else { arm }".
func (c *context) convertDiamond(b *ir.Block) bool {
	t, e := b.Succs[0], b.Succs[1]
	cost0, ok0 := c.arm(b, t)
	cost1, ok1 := c.arm(b, e)
	if !ok0 || !ok1 || t.Succs[0] != e.Succs[0] {
		return false
	}
	j := t.Succs[0]
	if cost0+cost1+c.selects(j, t, e) > maxPredicated {
		return false
	}
	flatten(b, t, false)
	flatten(b, e, true)
	x, y := slices.Index(j.Preds, t), slices.Index(j.Preds, e)
	for _, p := range j.Phis {
		p.Args[x] = c.choose(b, p.K, p.Args[x], p.Args[y])
	}
	j.Preds[x] = b
	j.RemovePred(e)
	b.Succs, b.Cond = []*ir.Block{j}, nil
	t.Preds, t.Succs, e.Preds, e.Succs = nil, nil, nil, nil
	return true
}
