package readptx

import (
	"fmt"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// prototype is what a call by address says of the functions that it may call.
type prototype struct {
	results, params []*variable
	targets         []string // of .calltargets, which has the names in place of the parameters
}

// functionStep is the distance of the addresses of two functions. Address 0 is none.
const functionStep = 16

// functionAddress returns the address of a function of the module, which is a number and no place in memory; kernels have none.
func (m *Module) functionAddress(name string) (at uint64, ok bool) {
	m.numberFunctions()
	at, ok = m.addresses[m.resolved(name)]
	return at, ok
}

// numberFunctions gives each device function its address.
func (m *Module) numberFunctions() {
	if m.addresses != nil {
		return
	}
	m.addresses = map[string]uint64{}
	for _, name := range m.order {
		if f := m.functions[name]; f != nil && !f.entry && !f.builtIn {
			m.addresses[name] = uint64(len(m.addresses)+1) * functionStep
		}
	}
}

// resolved returns the function for which an alias stands.
func (m *Module) resolved(name string) string {
	if to, ok := m.aliases[name]; ok {
		return to
	}
	return name
}

// taken returns the functions whose address something in the module has: code, or the initial value of a variable.
func (m *Module) taken() []*function {
	if m.haveTaken {
		return m.takenList
	}
	m.haveTaken = true
	m.numberFunctions()
	seen := map[string]bool{}
	note := func(name string) { seen[m.resolved(name)] = true }
	for _, v := range m.vars {
		for _, one := range v.init {
			note(one.symbol)
		}
	}
	for _, f := range m.functions {
		for i := range f.body {
			s := &f.body[i]
			for _, o := range s.args {
				note(o.name)
			}
			if s.call != nil {
				for _, o := range s.call.args {
					note(o.name)
				}
			}
		}
	}
	for _, name := range m.order {
		if _, has := m.addresses[name]; has && seen[name] {
			m.takenList = append(m.takenList, m.functions[name])
		}
	}
	return m.takenList
}

// fits reports whether a function has the parameters and results of a prototype.
func (p *prototype) fits(f *function) bool {
	same := func(a, b []*variable) bool {
		if len(a) != len(b) {
			return false
		}
		for i := range a {
			if a[i].size() != b[i].size() {
				return false
			}
		}
		return true
	}
	return same(p.params, f.params) && same(p.results, f.results)
}

// called returns the functions that a call by address may call.
func (m *Module) called(p *prototype) (list []*function) {
	if p.targets != nil {
		for _, name := range p.targets {
			if f := m.functions[m.resolved(name)]; f != nil {
				list = append(list, f)
			}
		}
		return list
	}
	for _, f := range m.taken() {
		if p.fits(f) {
			list = append(list, f)
		}
	}
	return list
}

// missing returns why the code of a function cannot be built, or "": what it calls is not defined, or an instruction is not
// supported. A table of virtual functions has functions that no thread calls, such as destructors that free memory.
func (m *Module) missing(f *function) string {
	seen := map[*function]bool{}
	var visit func(f *function) string
	visit = func(f *function) string {
		if seen[f] {
			return ""
		}
		seen[f] = true
		if !f.defined {
			return fmt.Sprintf("function %s is declared and not defined", demangled(f.name))
		}
		for i := range f.body {
			s := &f.body[i]
			if s.call == nil {
				continue
			}
			name := m.target(s.call)
			to := m.functions[name]
			if library[name] != nil || to == nil {
				continue
			}
			if why := visit(to); why != "" {
				return why
			}
		}
		return ""
	}
	if why := visit(f); why != "" {
		return why
	}
	if refused := m.refusedIn(f); len(refused) > 0 {
		return refused[0].String()
	}
	return ""
}

// buildIndirect builds a call by address: a choice among all functions that it may call, each in line.
func (b *builder) buildIndirect(s *inst) {
	proto := b.frame.fn.prototypes[s.call.prototype]
	if proto == nil {
		b.fail("a call by address needs a prototype or a list of targets")
	}
	at := b.value(operand{form: formReg, name: s.call.target}, types[".u64"])
	after := b.block()
	for _, fn := range b.m.called(proto) {
		yes, no := b.block(), b.block()
		address, _ := b.m.functionAddress(fn.name)
		b.fork(b.of(ir.OpEq, ir.Pred, ir.U64, at, b.number(ir.U64, address)), false, yes, no)
		b.seal(yes)
		b.seal(no)
		b.cur = yes
		b.callOrTrap(s, fn)
		b.jump(after)
		b.cur = no
	}
	b.noFunction(s, at, after)
	b.seal(after)
	b.cur = after
}

// callOrTrap calls a function that a call by address may call, or ends the kernel if it cannot be called.
func (b *builder) callOrTrap(s *inst, fn *function) {
	for fr := b.frame; fr != nil; fr = fr.outer {
		if fr.fn == fn {
			b.trap(s, fmt.Sprintf("function %s calls itself by its address; recursion is not supported: use a loop and an array", demangled(fn.name)))
			return
		}
	}
	if why := b.m.missing(fn); why != "" {
		b.trap(s, fmt.Sprintf("a call of %s by its address: %s", demangled(fn.name), why))
		return
	}
	b.inline(s, fn)
}

// noFunction ends the kernel in threads whose address is that of no function.
func (b *builder) noFunction(s *inst, at *ir.Value, after *ir.Block) {
	null, other := b.block(), b.block()
	b.fork(b.of(ir.OpEq, ir.Pred, ir.U64, at, b.number(ir.U64, 0)), false, null, other)
	b.seal(null)
	b.seal(other)
	b.cur = null
	b.trap(s, "a call by address 0, which is no function")
	b.jump(after)
	b.cur = other
	b.trap(s, "a call by an address that is of no function with the parameters of the call")
	b.jump(after)
}
