package cure

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
)

// oneLock is the plan that lets all locks of the kernel be one; nil if there are not two. A lock is a word that an atomic
// takes in a loop.
func (s *search) oneLock() *plan {
	if len(s.progs) != 1 {
		return nil
	}
	p := s.progs[0]
	taken := sites(p, func(in *ir.Inst) bool {
		return in.Op.IsAtomic() && in.NDst > 0 && isStrong(in) && in.Root >= 0 && slices.ContainsFunc(p.Code, func(b ir.Inst) bool {
			return b.Op == ir.OpBra && b.Guard != ir.NoGuard && int(b.Target) < len(p.Code) && &p.Code[b.Target] == in
		})
	})
	if len(taken) == 0 || !slices.ContainsFunc(taken, func(t *site) bool { return !sameWord(t.in, taken[0].in) || !uniform(t.in) }) {
		return nil
	}
	base, ok := baseOf(p, taken[0].in.Root)
	if !ok {
		return nil
	}
	roots := map[int32]bool{}
	for _, t := range taken {
		roots[t.in.Root] = true
	}
	words := sites(p, func(in *ir.Inst) bool { return isStrong(in) && in.Root >= 0 && roots[in.Root] })
	unite := edit{prog: p, needed: true, do: func(e *remedy.Edit) {
		for _, w := range words {
			for _, pc := range w.pcs {
				e.Address(pc, base, taken[0].in.Root)
			}
		}
	}}
	for i, t := range taken {
		if unite.what += " and "; i == 0 {
			unite.what = "take one lock for both accesses, which are under different ones now: that of the "
		}
		unite.what += t.text()
	}
	if len(taken) == 1 {
		unite.what += ", which takes another word in each of the threads"
	}
	return &plan{edits: append([]edit{unite}, s.orders()...), reduce: true}
}

// orders are the edits of synchronisation, if there are any.
func (s *search) orders() []edit {
	if p := s.synchronisation(); p != nil {
		return p.edits
	}
	return nil
}

// uniform reports whether all threads access the same address.
func uniform(in *ir.Inst) bool { return in.Src[0] < 0 }

// baseOf returns the operand that is the address of the first element of a root.
func baseOf(p *ir.Program, root int32) (ir.Operand, bool) {
	r := p.Roots[root]
	for i, u := range p.Uniforms {
		if r.Space == ir.Global && u.Leaf >= 0 && u.Leaf == r.Leaf {
			return ^ir.Operand(i), true
		}
	}
	return 0, false
}
