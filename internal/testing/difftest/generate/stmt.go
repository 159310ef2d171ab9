package generate

import (
	"fmt"
	"strings"
)

// statements writes about n statements in their own scope. The variables that
// they declare are mixed into h at the end.
func (g *gen) statements(n int) {
	from := len(g.vars)
	for range n {
		if g.budget <= 0 {
			break
		}
		g.budget--
		g.statement()
	}
	for _, v := range g.vars[from:] {
		g.mix(v)
	}
	g.vars = g.vars[:from]
}

// block writes "{ ... }" with about n statements after a header.
func (g *gen) block(header string, n int, rest ...func()) {
	g.line("%s {", header)
	g.depth++
	g.statements(n)
	for _, f := range rest {
		f()
	}
	g.depth--
	g.line("}")
}

// mix mixes a variable, or a part of it, into h.
func (g *gen) mix(v *variable) {
	p, k := g.descend(v)
	g.line("h = h*31 + %s", bitsOf(k, p))
}

// statement writes one statement.
func (g *gen) statement() {
	if g.uniform && g.collectives && g.n(4) == 0 {
		if g.n(3) == 0 {
			g.handover()
		} else {
			g.collective()
		}
		return
	}
	switch g.n(31) {
	case 0, 1, 2, 3:
		g.declaration()
	case 4, 5, 6, 7, 8:
		g.assignment()
	case 9, 10, 11:
		g.ifStatement()
	case 12, 13, 14:
		g.loop()
	case 15:
		g.switchStatement()
	case 16:
		g.closure()
	case 17:
		g.ownMemory()
	case 18:
		g.accumulate()
	case 19:
		g.method()
	case 20:
		g.helperStatement()
	case 21:
		g.jump()
	case 22:
		g.pointer()
	case 23:
		g.vectorLoad()
	case 24, 25:
		g.spaces()
	case 26:
		g.blankMemory()
	default:
		g.library()
	}
}

func (g *gen) declaration() {
	switch g.n(6) {
	case 0:
		k := g.kind()
		e := g.literal(k)
		v := g.declare(scalars[k], false)
		g.line("var %s %v = %s", v.name, k, e)
	case 1, 2:
		t := aggregates[g.n(len(aggregates))]
		if g.n(2) == 0 {
			v := g.declare(t, false)
			g.line("var %s %s", v.name, t.name)
			return
		}
		e := g.value(t, 2)
		v := g.declare(t, false)
		g.line("%s := %s", v.name, e)
	default:
		k := g.kind()
		e := g.expr(k, 3)
		v := g.declare(scalars[k], false)
		g.line("%s := %s", v.name, e)
	}
}

func (g *gen) assignment() {
	if v := g.any(func(v *variable) bool { return !v.fixed && !v.typ.scalar() }); v != nil && g.n(5) == 0 {
		if e := g.value(v.typ, 2); e != v.name {
			g.line("%s = %s", v.name, e)
			return
		}
	}
	p, k, ok := g.write()
	if !ok {
		g.declaration()
		return
	}
	if q, k2, ok := g.write(); ok && k == k2 && p != q && g.n(4) == 0 {
		if e := g.expr(k, 2); e != p {
			g.line("%s, %s = %s, %s", p, q, e, p)
			return
		}
	}
	switch {
	case k == boolK:
		e := g.boolExpr(3)
		if e == p {
			e = "!" + p
		}
		g.line("%s = %s", p, e)
	case k.float():
		g.line("%s = %v(%s %s %s)", p, k, p, []string{"+", "-", "*"}[g.n(3)], g.operand(k, 2))
	case g.n(5) == 0:
		g.line("%s%s", p, []string{"++", "--"}[g.n(2)])
	case g.n(5) == 0:
		g.line("%s %s= %s %% %d", p, []string{"<<", ">>"}[g.n(2)], g.expr(g.unsigned(), 2), k.bits()+3)
	case g.n(2) == 0:
		g.line("%s %s= %s", p, []string{"+", "-", "*", "&", "|", "^", "&^"}[g.n(7)], g.operand(k, 3))
	default:
		g.line("%s = %s", p, g.intExpr(k, 3))
	}
}

// any picks a variable for which f returns true, or nil.
func (g *gen) any(f func(*variable) bool) *variable {
	var found []*variable
	for _, v := range g.vars {
		if f(v) {
			found = append(found, v)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found[g.n(len(found))]
}

// closure declares a function that changes a captured variable, and calls it.
func (g *gen) closure() {
	p, k, ok := g.write()
	if !ok {
		g.declaration()
		return
	}
	f := g.name("f")
	if g.n(3) == 0 {
		e, x, n := g.expr(u32, 2), g.factor(u32), g.factor(u32)
		v := g.declare(scalars[u32], false)
		g.line("%s := apply(func(x uint32) uint32 { return x*5 ^ %s }, %s, %s)", v.name, e, x, n)
		return
	}
	result := g.kind()
	g.line("%s := func(x %v, c bool) %v {", f, k, result)
	g.depth++
	op := "+"
	if k == boolK {
		g.line("%s = x != c", p)
	} else {
		g.line("if c {")
		g.depth++
		g.line("%s = %v(%s %s x)", p, k, p, op)
		g.depth--
		g.line("}")
	}
	g.line("return %s", g.expr(result, 2))
	g.depth--
	g.line("}")
	for range 1 + g.n(2) {
		e, c := g.expr(k, 2), g.expr(boolK, 1)
		v := g.declare(scalars[result], false)
		g.line("%s := %s(%s, %s)", v.name, f, e, c)
	}
}

func (g *gen) method() {
	if v := g.any(func(v *variable) bool { return v.typ == pair && !v.fixed }); v != nil {
		g.line("%s.add(%s, %s)", v.name, g.expr(u32, 2), g.expr(s64, 2))
		return
	}
	e := g.value(pair, 2)
	v := g.declare(pair, false)
	g.line("%s := %s", v.name, e)
}

// pointer changes a variable through its address.
func (g *gen) pointer() {
	v := g.any(func(v *variable) bool { return !v.fixed && v.typ.scalar() && v.typ.kind.int() })
	if v == nil {
		g.declaration()
		return
	}
	p := g.name("p")
	g.line("%s := &%s", p, v.name)
	g.line("*%s += %s", p, g.operand(v.typ.kind, 2))
	if g.n(2) == 0 {
		g.line("*%s = max(*%s, %s)", p, p, g.leaf(v.typ.kind))
	}
}

// ownMemory accesses the thread's own cells of global memory.
func (g *gen) ownMemory() {
	at := fmt.Sprintf("own[t.Global()*Owns+uint32(%s)]", g.index(8))
	if g.n(3) == 0 {
		g.line("%s = %s", at, g.expr(u64, 2))
		return
	}
	e, e2 := g.expr(u64, 2), g.expr(u64, 1)
	if g.n(6) == 0 {
		g.line("gpu.Store%s(&%s, %s)", []string{"", "Release", "Streaming"}[g.n(3)], at, e)
		return
	}
	v := g.declare(scalars[u64], false)
	switch g.n(9) {
	case 0:
		g.line("%s := %s", v.name, at)
	case 1:
		g.line("%s := gpu.Load%s(&%s)", v.name, []string{"", "Acquire", "Streaming", "Cached"}[g.n(4)], at)
	case 2:
		g.line("%s := gpu.AtomicCAS(&%s, %s, %s)", v.name, at, e, e2)
	default:
		g.line("%s := gpu.Atomic%s(&%s, %s)", v.name, []string{"Add", "Min", "Max", "And", "Or", "Xor", "Exch"}[g.n(7)], at, e)
	}
}

// accumulate updates a cell that all threads share, with an operation whose
// order does not matter.
func (g *gen) accumulate() {
	scope := []string{"", "", ", gpu.DeviceScope", ", gpu.SystemScope"}[g.n(4)]
	if g.n(6) == 0 {
		g.line("gpu.AtomicAdd(&acc.F[%s], float32(%s&15)%s)", g.index(4), g.factor(u32), scope)
		return
	}
	i := g.n(4)
	op := g.n(6)
	name := []string{"Add", "Min", "Max", "And", "Or", "Xor"}[op]
	g.line("gpu.Atomic%s(&acc.%s[%d+%s], %s%s)", name, []string{"U", "S", "Q", "L"}[i], 4*op, "("+g.index(4)+")", g.expr([]kind{u32, s32, u64, s64}[i], 3), scope)
}

// vectorLoad reads several inputs with one access.
func (g *gen) vectorLoad() {
	n := 2 + 2*g.n(2)
	k, f := u32, "U"
	if g.n(2) == 0 {
		k, f = f32, "F"
	}
	e := g.factor(u32)
	v := g.declare(arrayOf(n, scalars[k]), false)
	g.line("%s := gpu.Load%d(in.%s, %s%%%d*%d)", v.name, n, f, e, 64/n, n)
}

// line writes one line.
func (g *gen) line(format string, args ...any) {
	g.b.WriteString(strings.Repeat("\t", g.depth))
	fmt.Fprintf(&g.b, format, args...)
	g.b.WriteByte('\n')
}
