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
		c.f.Renumber()
		c.resolve()
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
	s := b.Succs[0]
	if s == b || len(s.Preds) != 1 {
		return false
	}
	for _, p := range s.Phis {
		c.replace(p, p.Args[0])
	}
	for _, v := range s.Ins {
		v.Block = b
	}
	b.Ins = append(b.Ins, s.Ins...)
	b.Succs, b.Cond, b.Pos, b.Likely = s.Succs, s.Cond, s.Pos, s.Likely
	for _, t := range s.Succs {
		for i := range t.Preds {
			if t.Preds[i] == s {
				t.Preds[i] = b
			}
		}
	}
	s.Preds, s.Succs, s.Ins, s.Phis, s.Cond = nil, nil, nil, nil, nil
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

// retarget redirects the edge from p to old to s. The caller updates the
// predecessors of s.
func retarget(p, old, s *ir.Block) {
	for i := range p.Succs {
		if p.Succs[i] == old {
			p.Succs[i] = s
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
	s := b.Succs[0]
	at := 0
	for at < len(s.Preds) && s.Preds[at] != b {
		at++
	}
	if at == len(s.Preds) {
		return false // unreachable by now
	}
	changed := false
	var stay []*ir.Block
	for _, p := range b.Preds {
		if hasPred(s, p) {
			if len(p.Succs) == 2 && c.sameArgs(s, p, at) {
				p.Succs, p.Cond = []*ir.Block{s}, nil
				changed = true
				continue
			}
			stay = append(stay, p)
			continue
		}
		retarget(p, b, s)
		s.Preds = append(s.Preds, p)
		for _, phi := range s.Phis {
			phi.Args = append(phi.Args, phi.Args[at])
		}
		changed = true
	}
	b.Preds = stay
	if len(stay) == 0 {
		s.RemovePred(b)
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
	s := b.Succs[0]
	if len(s.Preds) == 1 && s != b {
		for _, p := range s.Phis {
			c.replace(p, p.Args[0])
		}
		s.Phis = nil
	}
	return c.bypass(s)
}

// sameArgs reports whether the phis of s get the same values from p as from its
// predecessor number at.
func (c *context) sameArgs(s, p *ir.Block, at int) bool {
	i := 0
	for s.Preds[i] != p {
		i++
	}
	for _, phi := range s.Phis {
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
	var r *readers
	changed := map[*ir.Block]bool{} // blocks that lead there have changed: each is changed only once between clean-ups
	for _, b := range c.f.Blocks {
		if !branchesOnOwnPhi(b) || changed[b] {
			continue
		}
		n := [2]int{}
		ok := true
		for i, p := range b.Preds {
			a := b.Cond.Args[i]
			if p.ID >= b.ID || a.Op != ir.OpConst || len(p.Succs) != 1 {
				ok = false
				break
			}
			n[side(a)]++
		}
		for i, s := range b.Succs {
			ok = ok && (n[i] <= 1 || s == b.Ipdom) && s != b
		}
		if !ok {
			continue
		}
		for _, s := range b.Succs {
			changed[s] = true
		}
		if r == nil {
			r = newReaders(c.f)
		}
		c.splitByPhi(b, r)

	}
	if r == nil {
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
func (c *context) splitByPhi(b *ir.Block, r *readers) {
	phis := b.Phis
	for _, s := range b.Succs {
		at := 0
		for s.Preds[at] != b {
			at++
		}
		for i, p := range b.Preds {
			if b.Succs[side(b.Cond.Args[i])] != s {
				continue
			}
			p.Succs[0] = s
			s.Preds = append(s.Preds, p)
			for _, phi := range s.Phis {
				a := phi.Args[at]
				if a.Op == ir.OpPhi && a.Block == b {
					a = a.Args[i]
				}
				phi.Args = append(phi.Args, a)
				r.add(a, user{phi, s})
			}
		}
		s.RemovePred(b)
	}
	preds := b.Preds
	b.Succs, b.Preds, b.Cond, b.Phis = nil, nil, nil, nil
	for _, phi := range phis {
		d := newDefs(c, r)
		for i, p := range preds {
			d.set(p, phi.Args[i])
		}
		phi.Args = nil // it has no operands any more
		d.rewriteUses(phi)
	}
	c.changed = true
}
