package cure

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
)

// synchronisation is the plan that changes scopes and orders of the strong accesses and fences that there are, except of
// the accesses that race.
func (s *search) synchronisation() *plan {
	var orders, scopes []edit
	for _, p := range s.progs {
		for _, x := range sites(p, func(in *ir.Inst) bool { return isStrong(in) || in.Op == ir.OpFence }) {
			if s.races(x) {
				continue
			}
			orders, scopes = append(orders, x.ordered(s.scope)...), append(scopes, x.widen(s.scope)...)
		}
	}
	if len(orders)+len(scopes) == 0 && len(s.buffering()) == 0 {
		return nil
	}
	return &plan{edits: slices.Concat(orders, scopes, s.buffering()), reduce: true}
}

// flags is the plan that makes plain accesses to other buffers release and acquire as well.
func (s *search) flags() *plan {
	base := s.synchronisation()
	if base == nil {
		base = &plan{}
	}
	more := &plan{reduce: true}
	for _, p := range s.progs {
		for _, x := range sites(p, isWeak) {
			if !s.races(x) && !s.sameRoot(x) {
				more.edits = append(more.edits, x.ordered(s.scope)...)
			}
		}
	}
	if len(more.edits) == 0 {
		return nil
	}
	more.edits = append(more.edits, base.edits...)
	return more
}

// buffering returns the sequentially consistent fences that store buffering needs: where a thread stores a word and then
// loads another one before it comes to its access, and others do so the other way around, neither release nor acquire
// keeps the load behind the store.
func (s *search) buffering() (list []edit) {
	var stores, loads []*site
	for _, p := range s.progs {
		at := s.accesses(p)
		if len(at) == 0 {
			return nil
		}
		first := slices.Min(at)
		strong := sites(p, func(in *ir.Inst) bool { return isStrong(in) && !in.Op.IsAtomic() })
		for _, st := range strong {
			if !isStore(st.in) || s.races(st) {
				continue
			}
			for _, ld := range strong {
				store, load := st.pcs[0], ld.pcs[0]
				if !isLoad(ld.in) || s.races(ld) || store > load || sameWord(st.in, ld.in) || s.fenced(p, store, load) {
					continue
				}
				if slices.ContainsFunc(at, func(pc int32) bool { return pc >= first && reaches(p, load, pc, -1) }) && reaches(p, store, load, -1) && !s.accessedBefore(p, at, store) {
					stores, loads = append(stores, st), append(loads, ld)
				}
			}
		}
	}
	// One fence serves all pairs that it lies between.
	var pairs []int
	for i := range stores {
		if slices.ContainsFunc(stores, func(x *site) bool { return x.prog == stores[i].prog && x.in.Root == loads[i].in.Root }) {
			pairs = append(pairs, i)
		}
	}
	slices.SortStableFunc(pairs, func(a, b int) int { return int(stores[b].pcs[0] - stores[a].pcs[0]) })
	var chosen []*site
	for _, i := range pairs {
		st, ld := stores[i], loads[i]
		if slices.ContainsFunc(chosen, func(x *site) bool { return x.prog == st.prog && x.pcs[0] >= st.pcs[0] && x.pcs[0] < ld.pcs[0] }) {
			continue
		}
		chosen = append(chosen, st)
		fence := fenceInst(st.in, ir.SeqCst, s.scope)
		e := st.each("add "+fenceName("gpu.FenceSC", s.scope)+" between the "+st.text()+" and the "+ld.text(), func(e *remedy.Edit, pc int32) { e.After(pc, fence) })
		e.needed = true
		list = append(list, e)
	}
	return list
}

// fenced reports whether a sequentially consistent fence lies between two instructions.
func (s *search) fenced(p *ir.Program, from, to int32) bool {
	for pc := from + 1; pc < to; pc++ {
		if in := &p.Code[pc]; in.Op == ir.OpFence && in.Mem.Order == ir.SeqCst {
			return true
		}
	}
	return false
}

// accessedBefore reports whether an access that races comes before an instruction, as in a loop that hands items on.
func (s *search) accessedBefore(p *ir.Program, at []int32, pc int32) bool {
	return slices.ContainsFunc(at, func(a int32) bool { return a < pc && reaches(p, a, pc, -1) })
}
