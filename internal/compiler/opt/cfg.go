package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// simplifyCFG folds branches on constants, merges blocks in sequence, routes
// edges around empty blocks, and threads jumps: if a block does nothing but
// branch on a phi of constants, each of its predecessors jumps to its target
// directly.
func simplifyCFG(c *context) {
	for again := true; again; {
		again = false
		for _, b := range c.f.Blocks {
			if foldBranch(b) {
				again = true
			}
		}
		// Renumber drops the blocks that folding has cut off, and with them the
		// phi operands that they supplied; resolve then finds the phis that are
		// left with one value.
		c.f.Renumber()
		c.resolve()
		// The entry must stay first, so it is never bypassed.
		for _, b := range c.f.Blocks[1:] {
			if c.bypass(b) {
				again = true
			}
		}
		for _, b := range c.f.Blocks {
			for c.mergeNext(b) {
				again = true
			}
		}
		c.f.Renumber()
		c.resolve()
		// Threading needs dominators and copies phis, so it runs only when the
		// cheap steps have nothing left to do.
		if !again {
			again = c.threadPhis()
		}
	}
}

// foldBranch turns a branch on a constant into a jump, and inverts a branch on
// a negation.
func foldBranch(block *ir.Block) bool {
	changed := false
	for block.Cond != nil && block.Cond.Op == ir.OpNot {
		block.Cond = block.Cond.Args[0]
		block.Succs[0], block.Succs[1] = block.Succs[1], block.Succs[0]
		// Likely names a side by its position, and the sides have changed
		// places.
		block.Likely = -block.Likely
		changed = true
	}
	if block.Cond != nil && block.Cond.Op == ir.OpConst {
		keep, drop := block.Succs[0], block.Succs[1]
		if block.Cond.Imm == 0 {
			keep, drop = drop, keep
		}
		drop.RemovePred(block)
		block.Succs, block.Cond = []*ir.Block{keep}, nil
		return true
	}
	return changed
}

// mergeNext appends the only successor of a block to it if the block is the successor's only
// predecessor.
func (c *context) mergeNext(block *ir.Block) bool {
	if len(block.Succs) != 1 {
		return false
	}
	next := block.Succs[0]
	if next == block || len(next.Preds) != 1 {
		return false
	}
	for _, phi := range next.Phis {
		// With one predecessor a phi has one operand, which is its value.
		c.replace(phi, phi.Args[0])
	}
	for _, v := range next.Ins {
		v.Block = block
	}
	block.Ins = append(block.Ins, next.Ins...)
	block.Succs, block.Cond, block.Pos, block.Likely = next.Succs, next.Cond, next.Pos, next.Likely
	for _, after := range next.Succs {
		// The new predecessor takes the old one's place in Preds, since the
		// operands of phis are found by that place.
		for i := range after.Preds {
			if after.Preds[i] == next {
				after.Preds[i] = block
			}
		}
	}
	// Without edges the block is unreachable, and Renumber drops it. Callers
	// still visit it in the list that they walk.
	next.Preds, next.Succs, next.Ins, next.Phis, next.Cond = nil, nil, nil, nil, nil
	return true
}

func hasPred(b, pred *ir.Block) bool {
	for _, q := range b.Preds {
		if q == pred {
			return true
		}
	}
	return false
}

// retarget redirects the edge from pred to old to target. The caller updates
// the predecessors of target.
func retarget(pred, old, target *ir.Block) {
	for i := range pred.Succs {
		if pred.Succs[i] == old {
			pred.Succs[i] = target
		}
	}
}

// bypass redirects the predecessors of the empty block to its successor. A
// predecessor that already is a predecessor of the successor keeps the way
// through the block if phis need it to tell the two edges apart; otherwise its branch
// becomes a jump.
func (c *context) bypass(block *ir.Block) bool {
	if len(block.Ins)+len(block.Phis) > 0 || len(block.Succs) != 1 || block.Succs[0] == block {
		return false
	}
	next := block.Succs[0]
	at := 0
	for at < len(next.Preds) && next.Preds[at] != block {
		at++
	}
	if at == len(next.Preds) {
		return false // unreachable by now
	}
	changed := false
	var stay []*ir.Block
	for _, pred := range block.Preds {
		// A second edge from the same predecessor would make the two phi
		// operands indistinguishable, and Verify allows no branch with equal
		// sides.
		if hasPred(next, pred) {
			if len(pred.Succs) == 2 && c.sameArgs(next, pred, at) {
				pred.Succs, pred.Cond = []*ir.Block{next}, nil
				changed = true
				continue
			}
			stay = append(stay, pred)
			continue
		}
		// The new edge brings to each phi what came through the block, which has no phis,
		// so the operand is defined above the block.
		retarget(pred, block, next)
		next.Preds = append(next.Preds, pred)
		for _, phi := range next.Phis {
			phi.Args = append(phi.Args, phi.Args[at])
		}
		changed = true
	}
	block.Preds = stay
	if len(stay) == 0 {
		next.RemovePred(block)
		block.Succs = nil
	}
	return changed
}

// bypassNext redirects the exit edge of the block around the next block if that block
// is empty or has only phis that all choose the same value.
func (c *context) bypassNext(block *ir.Block) bool {
	if len(block.Succs) != 1 {
		return false
	}
	next := block.Succs[0]
	if len(next.Preds) == 1 && next != block {
		for _, phi := range next.Phis {
			c.replace(phi, phi.Args[0])
		}
		next.Phis = nil
	}
	return c.bypass(next)
}

// sameArgs reports whether the phis of join get the same values from pred as
// from its predecessor number at.
func (c *context) sameArgs(join, pred *ir.Block, at int) bool {
	i := 0
	for join.Preds[i] != pred {
		i++
	}
	for _, phi := range join.Phis {
		if c.res(phi.Args[i]) != c.res(phi.Args[at]) {
			return false
		}
	}
	return true
}

// threadPhis looks for blocks that consist of phis and a branch on one of these
// phis, whose operands are all constant: for example an inlined function that
// returns true in one place and false in another. It makes each predecessor
// jump directly to the right target. It does so only if each target, except the
// one where both sides meet again, gets one such predecessor; otherwise threads
// that executed the target together would execute it separately.
func (c *context) threadPhis() bool {
	if !slices.ContainsFunc(c.f.Blocks, branchesOnOwnPhi) {
		return false
	}
	c.f.Analyze()
	var users *readers
	changed := map[*ir.Block]bool{} // blocks that lead there have changed: each is changed only once between clean-ups
	for _, block := range c.f.Blocks {
		if !branchesOnOwnPhi(block) || changed[block] {
			continue
		}
		arrivals := [2]int{}
		ok := true
		for i, pred := range block.Preds {
			chosen := block.Cond.Args[i]
			// Only forward edges: a back edge makes the block the header of a loop, to
			// which redirecting it could give a second entry. And only the edge
			// of a jump can be redirected alone.
			if pred.ID >= block.ID || chosen.Op != ir.OpConst || len(pred.Succs) != 1 {
				ok = false
				break
			}
			arrivals[side(chosen)]++
		}
		for i, succ := range block.Succs {
			// More than one arrival at a side means that threads which met in the block
			// would now run the side once per arrival. The place where both
			// sides meet anyway is the exception: there they reconverge. A side
			// that is the block itself is an endless loop.
			ok = ok && (arrivals[i] <= 1 || succ == block.Ipdom) && succ != block
		}
		if !ok {
			continue
		}
		for _, succ := range block.Succs {
			// The phis of the successors get operands from predecessors that
			// this pass' numbering and post-dominators do not know.
			changed[succ] = true
		}
		if users == nil {
			users = newReaders(c.f)
		}
		c.splitByPhi(block, users)

	}
	if users == nil {
		return false
	}
	c.f.Renumber()
	c.resolve()
	return true
}

// branchesOnOwnPhi reports whether b consists of phis and a branch on one of
// them.
func branchesOnOwnPhi(b *ir.Block) bool {
	return b.Cond != nil && b.Cond.Op == ir.OpPhi && b.Cond.Block == b && len(b.Ins) == 0
}

// side returns the index of the successor that a constant condition selects.
func side(cond *ir.Value) int {
	if cond.Imm != 0 {
		return 0
	}
	return 1
}

// splitByPhi redirects each predecessor of the block to the successor that its constant
// selects.
func (c *context) splitByPhi(block *ir.Block, users *readers) {
	phis := block.Phis
	for _, succ := range block.Succs {
		at := 0
		for succ.Preds[at] != block {
			at++
		}
		for i, pred := range block.Preds {
			if block.Succs[side(block.Cond.Args[i])] != succ {
				continue
			}
			pred.Succs[0] = succ
			succ.Preds = append(succ.Preds, pred)
			for _, phi := range succ.Phis {
				arg := phi.Args[at]
				// Along the new edge a phi of the block has the value that this
				// predecessor brought to it.
				if arg.Op == ir.OpPhi && arg.Block == block {
					arg = arg.Args[i]
				}
				phi.Args = append(phi.Args, arg)
				users.add(arg, user{phi, succ})
			}
		}
		succ.RemovePred(block)
	}
	preds := block.Preds
	block.Succs, block.Preds, block.Cond, block.Phis = nil, nil, nil, nil
	for _, phi := range phis {
		// Uses of a phi below the block are now reached from several predecessors: each
		// brings its operand, and new phis join them where the paths meet.
		defs := newDefs(c, users)
		for i, pred := range preds {
			defs.set(pred, phi.Args[i])
		}
		phi.Args = nil // it has no operands any more
		defs.rewriteUses(phi)
	}
	c.changed = true
}
