package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/ir"
)

// preheader returns a block in front of the loop that jumps to its header only;
// it is made where there is none. nil if the loop is entered from several
// places that phis tell apart. The caller runs Analyze where made is true.
func (c *context) preheader(l *ir.Loop) (pre *ir.Block, made bool) {
	e := l.Entry()
	if e == nil {
		return nil, false
	}
	if len(e.Succs) == 1 {
		return e, false
	}
	h := l.Header
	pre = c.f.NewBlock()
	l.PutBefore(pre)
	pre.Succs, pre.Preds, pre.Pos = []*ir.Block{h}, []*ir.Block{e}, e.Pos
	retarget(e, h, pre)
	for i, p := range h.Preds {
		if p == e {
			h.Preds[i] = pre
		}
	}
	return pre, true
}

// licm moves pure instructions whose operands do not change in a loop in
// front of it, inner loops first. Division may fault and stays. Loads that hold
// move too, where the loop executes them in any case.
func licm(c *context) {
	c.f.Dominate()
	made := false
	for _, l := range c.f.Loops() {
		if _, m := c.preheader(l); m {
			made = true
		}
	}
	if made {
		c.f.Dominate()
	}
	for _, l := range c.f.Loops() {
		if e := l.Entry(); e != nil && len(e.Succs) == 1 {
			c.hoist(l, e)
		}
	}
}

func (c *context) hoist(l *ir.Loop, pre *ir.Block) {
	inside := func(a *ir.Value) bool { return a.Block != nil && l.Has(a.Block) }
	for _, b := range l.Blocks {
		keep := b.Ins[:0]
		for _, v := range b.Ins {
			load := c.holds(v)
			if !v.Op.Pure() && !load || slices.ContainsFunc(v.Args, inside) || load && !inFirstRound(l, b) {
				keep = append(keep, v)
				continue
			}
			if load {
				c.saved++
			}
			v.Block = pre
			pre.Ins = append(pre.Ins, v)
		}
		clear(b.Ins[len(keep):])
		b.Ins = keep
	}
}

// maxRotated is how many instructions of a loop's head rotation duplicates.
const maxRotated = 16

// rotate copies the test at the head of a loop in front of it, so that the test
// behind the body jumps back: one branch per iteration. The copy guards the
// loop, and constants often decide it. Heads with collectives stay, since lanes
// that meet there in one instruction must go on to.
func rotate(c *context) {
	done := map[*ir.Block]bool{}
	for again := true; again; {
		again = false
		c.f.Dominate()
		var r *readers
		for _, l := range c.f.Loops() {
			h := l.Header
			if done[h] || !rotatable(l) {
				continue
			}
			done[h] = true
			if pre, _ := c.preheader(l); pre != nil {
				if r == nil {
					r = newReaders(c.f)
				}
				c.rotateLoop(h, pre, r)
				again = true
			}
		}
		c.resolve()
	}
	simplifyCFG(c)
}

func rotatable(l *ir.Loop) bool {
	h := l.Header
	if h.Cond == nil || l.Has(h.Succs[0]) == l.Has(h.Succs[1]) || len(h.Ins) > maxRotated {
		return false
	}
	for _, p := range l.Latches {
		if p == h || slices.ContainsFunc(p.Succs, func(s *ir.Block) bool { return !l.Has(s) }) {
			return false // there is a test at the bottom already
		}
	}
	for _, v := range h.Ins {
		if v.Op.Collective() || v.Op == ir.OpTrap {
			return false
		}
	}
	return true
}

// rotateLoop clones the head h at the end of pre, which then enters the body
// or leaves by itself; h is reached from the latches only.
func (c *context) rotateLoop(h, pre *ir.Block, r *readers) {
	at := slices.Index(h.Preds, pre)
	clone := map[*ir.Value]*ir.Value{}
	mapped := func(v *ir.Value) *ir.Value {
		if m := clone[v]; m != nil {
			return m
		}
		return v
	}
	for _, p := range h.Phis {
		clone[p] = p.Args[at]
	}
	for _, v := range h.Ins {
		n := c.value(pre, v.Op, v.K, v.Pos)
		n.ArgK, n.Imm, n.Mem, n.GuardNot = v.ArgK, v.Imm, v.Mem, v.GuardNot
		n.Args = make([]*ir.Value, len(v.Args))
		for i, a := range v.Args {
			n.Args[i] = mapped(a)
		}
		if v.Guard != nil {
			n.Guard = mapped(v.Guard)
		}
		pre.Ins = append(pre.Ins, n)
		r.reads(n)
		clone[v] = n
	}
	h.RemovePred(pre)
	pre.Succs = nil
	pre.Cond, pre.Pos, pre.Likely = mapped(h.Cond), h.Pos, h.Likely
	r.branches(pre)
	for _, s := range h.Succs {
		from := slices.Index(s.Preds, h)
		ir.AddEdge(pre, s)
		for _, phi := range s.Phis {
			phi.Args = append(phi.Args, mapped(phi.Args[from]))
			r.add(phi.Args[len(phi.Args)-1], user{phi, s})
		}
	}
	defined := append(append([]*ir.Value(nil), h.Phis...), h.Ins...)
	for _, v := range defined {
		if v.K != ir.Void && r.outside(v, h) {
			d := newDefs(c, r)
			d.set(h, v)
			d.set(pre, clone[v])
			d.rewriteUses(v)
		}
	}
}
