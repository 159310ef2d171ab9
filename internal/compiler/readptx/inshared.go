package readptx

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// inShared reports whether a generic address is known to be in shared memory of the block: it is of a variable there, or the register can hold
// nothing else. The values of registers do not say it while the kernel is built, since those that come around a loop are not known yet.
func (b *builder) inShared(o operand, at *ir.Value) bool {
	if at.Op == ir.OpShared {
		return true
	}
	fn := b.frame.fn
	found, ok := b.sharedIn[fn]
	if !ok {
		found = fn.inShared(b.m)
		b.sharedIn[fn] = found
	}
	return found[o.name]
}

// inShared returns the registers of 64 bits that hold addresses of variables in shared memory, and nothing else: each instruction that writes one
// makes it of such an address.
func (f *function) inShared(m *Module) map[string]bool {
	writes := map[string][]*statement{}
	other := map[string]bool{} // registers that something else writes
	for i := range f.body {
		s := &f.body[i]
		if s.call != nil {
			for _, o := range s.call.results {
				other[o.name] = true
			}
		}
		if len(s.args) == 0 {
			continue
		}
		switch to := s.args[0]; to.form {
		case formReg:
			writes[to.name] = append(writes[to.name], s)
		case formVector, formPair:
			for _, o := range to.list {
				other[o.name] = true
			}
		}
	}
	found := map[string]bool{}
	for name := range writes {
		if t, ok := f.reg(name); ok && t.bits == 64 && !other[name] {
			found[name] = true
		}
	}
	shared := func(o operand) bool {
		if o.form != formReg && o.form != formSymbol {
			return false
		}
		if _, ok := f.reg(o.name); ok {
			return found[o.name]
		}
		v := f.vars[o.name]
		if v == nil {
			v = m.vars[o.name]
		}
		return v != nil && v.space == ".shared"
	}
	makes := func(s *statement) bool {
		switch {
		case s.op == "mov" && len(s.args) == 2, s.op == "cvta" && (s.mods == ".shared.u64" || s.mods == ".shared::cta.u64"):
			return shared(s.args[1])
		case s.op == "add" && len(s.args) == 3:
			return shared(s.args[1]) || shared(s.args[2])
		case s.op == "sub" && len(s.args) == 3:
			return shared(s.args[1]) && !shared(s.args[2])
		case s.op == "selp" && len(s.args) == 4:
			return shared(s.args[1]) && shared(s.args[2])
		case s.op == "mad" && len(s.args) == 4: // mad.wide
			return shared(s.args[3])
		}
		return false
	}
	for changed := true; changed; {
		changed = false
		for name := range found {
			if !slices.ContainsFunc(writes[name], func(s *statement) bool { return !makes(s) }) {
				continue
			}
			delete(found, name)
			changed = true
		}
	}
	return found
}
