package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// preheader returns a block in front of the loop that jumps only to its header,
// and makes one if there is none. It returns nil if the loop is entered from
// several blocks that phis distinguish. If made is true, the caller must run
// Analyze.
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

// licm hoists loop-invariant pure instructions out of loops, inner loops first.
// Divisions may fault and stay. Loads from unchanging memory are hoisted too if
// every execution of the loop executes them.
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

// maxRotated is the maximum number of instructions of a loop header that
// rotation duplicates.
const maxRotated = 16

// rotate copies the test in the header of a loop in front of the loop and uses
// the original as the test after the body: one branch per iteration. The copy
// guards the loop and is often decided by constants. Headers with collectives
// stay, since lanes that execute a collective together must continue to do so.
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
			return false // there is already a test at the bottom
		}
	}
	for _, v := range h.Ins {
		if v.Op.Collective() || v.Op == ir.OpTrap {
			return false
		}
	}
	return true
}

// rotateLoop clones the header of a loop at the end of pre, which then enters the body
// or leaves the loop; header is reached only from the latches.
func (c *context) rotateLoop(header, pre *ir.Block, users *readers) {
	at := slices.Index(header.Preds, pre)
	clone := map[*ir.Value]*ir.Value{}
	mapped := func(v *ir.Value) *ir.Value {
		if made := clone[v]; made != nil {
			return made
		}
		return v
	}
	for _, headerPhi := range header.Phis {
		clone[headerPhi] = headerPhi.Args[at]
	}
	for _, v := range header.Ins {
		dup := c.value(pre, v.Op, v.K, v.Pos)
		dup.ArgK, dup.Imm, dup.Mem, dup.GuardNot = v.ArgK, v.Imm, v.Mem, v.GuardNot
		dup.Args = make([]*ir.Value, len(v.Args))
		for i, arg := range v.Args {
			dup.Args[i] = mapped(arg)
		}
		if v.Guard != nil {
			dup.Guard = mapped(v.Guard)
		}
		pre.Ins = append(pre.Ins, dup)
		users.reads(dup)
		clone[v] = dup
	}
	header.RemovePred(pre)
	pre.Succs = nil
	pre.Cond, pre.Pos, pre.Likely = mapped(header.Cond), header.Pos, header.Likely
	users.branches(pre)
	for _, succ := range header.Succs {
		from := slices.Index(succ.Preds, header)
		ir.AddEdge(pre, succ)
		for _, phi := range succ.Phis {
			phi.Args = append(phi.Args, mapped(phi.Args[from]))
			users.add(phi.Args[len(phi.Args)-1], user{phi, succ})
		}
	}
	defined := append(append([]*ir.Value(nil), header.Phis...), header.Ins...)
	for _, v := range defined {
		if v.K != ir.Void && users.outside(v, header) {
			defs := newDefs(c, users)
			defs.set(header, v)
			defs.set(pre, clone[v])
			defs.rewriteUses(v)
		}
	}
}
