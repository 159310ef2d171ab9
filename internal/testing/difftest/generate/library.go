package generate

import "fmt"

// library writes a call of one of the corpus's hand-written functions, which
// take or return more than scalars, or an inline equivalent.
func (g *gen) library() {
	switch g.n(13) {
	case 0:
		a := g.any(func(v *variable) bool { return v.typ == pair && !v.fixed })
		b := g.any(func(v *variable) bool { return v.typ == pair && !v.fixed && v != a })
		if b == nil {
			e := g.value(pair, 1)
			b = g.declare(pair, false)
			g.line("%s := %s", b.name, e)
		}
		if a == nil {
			g.method()
			return
		}
		g.line("swap(&%s, &%s)", a.name, b.name)
	case 1:
		a, b := g.value(pair, 1), g.value(pair, 1)
		g.line("%s := merge(%s, %s)", g.declare(pair, false).name, a, b)
	case 2, 3:
		a := array4
		e, n := g.value(a, 2), g.expr(u32, 2)
		if g.n(2) == 0 {
			g.line("%s := total(%s)", g.declare(scalars[u32], false).name, e)
			return
		}
		g.line("%s := rotate(%s, %s)", g.declare(a, false).name, e, n)
	case 4:
		f, k := g.name("f"), g.factor(u32)
		x, y := g.expr(u32, 1), g.expr(u32, 1)
		g.line("%s := scaled(%s)", f, k)
		g.line("%s := %s(%s)", g.declare(scalars[u32], false).name, f, x)
		g.line("%s := %s(%s)", g.declare(scalars[u32], false).name, f, y)
	case 5, 6:
		g.elementPointer()
	case 7:
		from, n := g.index(40), g.factor(u32)
		g.line("%s := reduce[%s](in.U, uint32(%s), %s%%20)", g.declare(scalars[u32], false).name, []string{"least", "sums"}[g.n(2)], from, n)
	case 8:
		x := g.expr(u32, 1)
		g.line("%s, %s := find(in.U, %s)", g.declare(scalars[intK], false).name, g.declare(scalars[boolK], false).name, x)
	case 9, 10:
		g.again()
	default:
		g.part()
	}
}

// elementPointer changes one of two cells of the thread through a pointer.
func (g *gen) elementPointer() {
	at := func() string { return fmt.Sprintf("&own[t.Global()*Owns+uint32(%s)]", g.index(8)) }
	p := g.name("p")
	e := g.expr(u64, 2)
	g.line("%s := %s", p, at())
	if g.n(2) == 0 {
		g.line("if %s {", g.boolExpr(2))
		g.line("\t%s = %s", p, at())
		g.line("}")
	}
	v := g.declare(scalars[u64], false)
	switch g.n(3) {
	case 0:
		g.line("%s := bump(%s, %s)", v.name, p, e)
	case 1:
		g.line("%s := gpu.AtomicMax(%s, %s)", v.name, p, e)
	default:
		g.line("*%s ^= %s", p, e)
		g.line("%s := *%s", v.name, p)
	}
}

// again writes a backward goto.
func (g *gen) again() {
	label := g.name("again")
	n := g.declare(scalars[u8], true)
	g.line("var %s uint8", n.name)
	g.line("%s:", label)
	g.line("%s++", n.name)
	g.line("h = h*5 + %s", g.expr(u64, 2))
	g.assignment0()
	g.line("if %s < %d && %s {", n.name, 2+g.n(3), g.boolExpr(2))
	g.line("\tgoto %s", label)
	g.line("}")
}

// assignment0 writes an assignment if there is a variable to assign to; it
// never declares one.
func (g *gen) assignment0() {
	if p, k, ok := g.write(); ok {
		if e := g.expr(k, 2); e != p {
			g.line("%s = %s", p, e)
		}
	}
}

// part writes reads through a part of an input slice.
func (g *gen) part() {
	kinds := []kind{u32, s32, u64, s64, f32, f64, s16, u8, boolK}
	i := g.n(len(kinds))
	from := g.n(40)
	k, s := kinds[i], g.name("s")
	g.line("%s := in.%c[%d:%d]", s, "USQLFDHBT"[i], from, from+16)
	if g.n(2) == 0 {
		at := g.index(16)
		g.line("%s := %s[%s]", g.declare(scalars[k], false).name, s, at)
		return
	}
	g.line("for i, x := range %s {", s)
	g.line("\tif i > %s&15 {", g.factor(intK))
	g.line("\t\tbreak")
	g.line("\t}")
	g.line("\th = h*31 + %s", bitsOf(k, "x"))
	g.line("}")
}
