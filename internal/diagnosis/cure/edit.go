package cure

import (
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
)

// edit is a change of one place in the source.
type edit struct {
	what string // "make the gpu.Load at a.go:7 gpu.LoadAcquire"
	prog *ir.Program
	do   func(e *remedy.Edit)
	// needed is set if the rules of PTX need it, although the executions that were looked at may not show that.
	needed bool
}

// plan is a set of changes that may order two accesses together.
type plan struct {
	edits []edit
	// text replaces the texts of the edits; "" for none. The others stand before and after these.
	text, before, after string
	reduce              bool // to the edits that are needed
}

// String says what to change.
func (p *plan) String() string {
	if p.text != "" {
		return p.text
	}
	var list []string
	for _, e := range p.edits {
		list = append(list, e.what)
	}
	return p.before + strings.Join(list, ", and ") + p.after
}

// each returns an edit that does something with each instruction of a site.
func (s *site) each(what string, do func(e *remedy.Edit, pc int32)) edit {
	return edit{what: what, prog: s.prog, do: func(e *remedy.Edit) {
		for _, pc := range s.pcs {
			do(e, pc)
		}
	}}
}

// widen gives a site a scope if its own is smaller.
func (s *site) widen(to ir.Scope) (list []edit) {
	if in := s.in; isWeak(in) || scopeOf(in) >= to {
		return nil
	}
	return []edit{s.each("use "+scopeName(to)+" instead of "+scopeName(scopeOf(s.in))+" for the "+s.text(), func(e *remedy.Edit, pc int32) { e.Scope(pc, to) })}
}

// ordered makes a site release, acquire or both, by its order or by fences.
func (s *site) ordered(scope ir.Scope) (list []edit) {
	in := s.in
	order := func(o ir.Order, name string) {
		with := ""
		if in.Mem.Order == ir.Weak && scope == ir.ScopeSystem {
			with = " with gpu.SystemScope"
		}
		list = append(list, s.each("make the "+s.text()+" "+name+with, func(e *remedy.Edit, pc int32) {
			e.Order(pc, o)
			if in.Mem.Order == ir.Weak {
				e.Scope(pc, max(scope, ir.ScopeDevice))
			}
		}))
	}
	switch {
	case in.Op.IsAtomic():
		if in.Mem.Order == ir.Weak || in.Mem.Order == ir.Relaxed {
			fence := fenceInst(in, ir.AcqRel, scope)
			name := fenceName("gpu.Fence", scope)
			list = append(list,
				s.each("add "+name+" before the "+s.text(), func(e *remedy.Edit, pc int32) { e.Before(pc, fence) }),
				s.each("add "+name+" after the "+s.text(), func(e *remedy.Edit, pc int32) { e.After(pc, fence) }))
		}
	case isLoad(in) && in.Mem.Order <= ir.Relaxed:
		order(ir.Acquire, "gpu.LoadAcquire")
	case isStore(in) && in.Mem.Order <= ir.Relaxed:
		order(ir.Release, "gpu.StoreRelease")
	}
	return list
}

// strengthen makes a plain access one that does not race with others like it.
func (s *site) strengthen(scope ir.Scope) (list []edit) {
	if !isWeak(s.in) {
		return s.widen(scope)
	}
	name := "gpu.Load"
	if isStore(s.in) {
		name = "gpu.Store"
	}
	if scope == ir.ScopeSystem {
		name += " with gpu.SystemScope"
	}
	return []edit{s.each("make the "+s.text()+" "+name, func(e *remedy.Edit, pc int32) { e.Scope(pc, max(scope, ir.ScopeDevice)) })}
}

// fenceInst returns a fence at the place of an instruction.
func fenceInst(at *ir.Inst, o ir.Order, scope ir.Scope) ir.Inst {
	in := blank(ir.OpFence, at)
	in.Mem = ir.Mem{Order: o, Scope: max(scope, ir.ScopeDevice)}
	return in
}

func fenceName(name string, scope ir.Scope) string {
	if scope == ir.ScopeSystem {
		return name + "(gpu.SystemScope)"
	}
	return name + "()"
}

// blank returns an instruction without operands at the place of another one.
func blank(op ir.Op, at *ir.Inst) ir.Inst {
	return ir.Inst{Op: op, K: ir.Void, ArgK: ir.Void, Class: ir.ClassOf(op, ir.Void), Guard: ir.NoGuard, Root: -1, Recon: -1, Pos: at.Pos}
}
