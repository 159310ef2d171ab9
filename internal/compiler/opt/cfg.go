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
func foldBranch(b *ir.Block) bool {
	changed := false
	for b.Cond != nil && b.Cond.Op == ir.OpNot {
		b.Cond = b.Cond.Args[0]
		b.Succs[0], b.Succs[1] = b.Succs[1], b.Succs[0]
		// Likely names a side by its position, and the sides have changed
		// places.
		b.Likely = -b.Likely
		changed = true
	}
	if b.Cond != nil && b.Cond.Op == ir.OpConst {
		keep, drop := b.Succs[0], b.Succs[1]
		if b.Cond.Imm == 0 {
			keep, drop = drop, keep
		}
		drop.RemovePred(b)
		b.Succs, b.Cond = []*ir.Block{keep}, nil
		return true
	}
	return changed
}

// mergeNext appends the only successor of b to b if b is the successor's only
// predecessor.
func (c *context) mergeNext(b *ir.Block) bool {
	if len(b.Succs) != 1 {
		return false
	}
	next := b.Succs[0]
	if next == b || len(next.Preds) != 1 {
		return false
	}
	for _, phi := range next.Phis {
		// With one predecessor a phi has one operand, which is its value.
		c.replace(phi, phi.Args[0])
	}
	for _, v := range next.Ins {
		v.Block = b
	}
	b.Ins = append(b.Ins, next.Ins...)
	b.Succs, b.Cond, b.Pos, b.Likely = next.Succs, next.Cond, next.Pos, next.Likely
	for _, after := range next.Succs {
		// The new predecessor takes the old one's place in Preds, since the
		// operands of phis are found by that place.
		for i := range after.Preds {
			if after.Preds[i] == next {
				after.Preds[i] = b
			}
		}
	}
	// Without edges the block is unreachable, and Renumber drops it. Callers
	// still visit it in the list that they walk.
	next.Preds, next.Succs, next.Ins, next.Phis, next.Cond = nil, nil, nil, nil, nil
	return true
}

func hasPred(b, p *ir.Block) bool {
	for _, q := range b.Preds {
		if q == p {
			return true
		}
	}
	return false
}

// retarget redirects the edge from p to old to target. The caller updates
// the predecessors of target.
func retarget(p, old, target *ir.Block) {
	for i := range p.Succs {
		if p.Succs[i] == old {
			p.Succs[i] = target
		}
	}
}

// bypass redirects the predecessors of the empty block b to its successor. A
// predecessor that already is a predecessor of the successor keeps the way
// through b if phis need it to tell the two edges apart; otherwise its branch
// becomes a jump.
func (c *context) bypass(b *ir.Block) bool {
	if len(b.Ins)+len(b.Phis) > 0 || len(b.Succs) != 1 || b.Succs[0] == b {
		return false
	}
	next := b.Succs[0]
	at := 0
	for at < len(next.Preds) && next.Preds[at] != b {
		at++
	}
	if at == len(next.Preds) {
		return false // unreachable by now
	}
	changed := false
	var stay []*ir.Block
	for _, pred := range b.Preds {
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
		// The new edge brings to each phi what came through b: b has no phis,
		// so the operand is defined above b.
		retarget(pred, b, next)
		next.Preds = append(next.Preds, pred)
		for _, phi := range next.Phis {
			phi.Args = append(phi.Args, phi.Args[at])
		}
		changed = true
	}
	b.Preds = stay
	if len(stay) == 0 {
		next.RemovePred(b)
		b.Succs = nil
	}
	return changed
}

// bypassNext redirects the exit edge of b around the next block if that block
// is empty or has only phis that all choose the same value.
func (c *context) bypassNext(b *ir.Block) bool {
	if len(b.Succs) != 1 {
		return false
	}
	next := b.Succs[0]
	if len(next.Preds) == 1 && next != b {
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
	for _, b := range c.f.Blocks {
		if !branchesOnOwnPhi(b) || changed[b] {
			continue
		}
		arrivals := [2]int{}
		ok := true
		for i, pred := range b.Preds {
			chosen := b.Cond.Args[i]
			// Only forward edges: a back edge makes b the header of a loop, to
			// which redirecting it could give a second entry. And only the edge
			// of a jump can be redirected alone.
			if pred.ID >= b.ID || chosen.Op != ir.OpConst || len(pred.Succs) != 1 {
				ok = false
				break
			}
			arrivals[side(chosen)]++
		}
		for i, succ := range b.Succs {
			// More than one arrival at a side means that threads which met in b
			// would now run the side once per arrival. The place where both
			// sides meet anyway is the exception: there they reconverge. A side
			// that is b itself is an endless loop.
			ok = ok && (arrivals[i] <= 1 || succ == b.Ipdom) && succ != b
		}
		if !ok {
			continue
		}
		for _, succ := range b.Succs {
			// The phis of the successors get operands from predecessors that
			// this pass' numbering and post-dominators do not know.
			changed[succ] = true
		}
		if users == nil {
			users = newReaders(c.f)
		}
		c.splitByPhi(b, users)

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

// splitByPhi redirects each predecessor of b to the successor that its constant
// selects.
func (c *context) splitByPhi(b *ir.Block, users *readers) {
	phis := b.Phis
	for _, succ := range b.Succs {
		at := 0
		for succ.Preds[at] != b {
			at++
		}
		for i, pred := range b.Preds {
			if b.Succs[side(b.Cond.Args[i])] != succ {
				continue
			}
			pred.Succs[0] = succ
			succ.Preds = append(succ.Preds, pred)
			for _, phi := range succ.Phis {
				arg := phi.Args[at]
				// Along the new edge a phi of b has the value that this
				// predecessor brought to it.
				if arg.Op == ir.OpPhi && arg.Block == b {
					arg = arg.Args[i]
				}
				phi.Args = append(phi.Args, arg)
				users.add(arg, user{phi, succ})
			}
		}
		succ.RemovePred(b)
	}
	preds := b.Preds
	b.Succs, b.Preds, b.Cond, b.Phis = nil, nil, nil, nil
	for _, phi := range phis {
		// Uses of a phi below b are now reached from several predecessors: each
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
