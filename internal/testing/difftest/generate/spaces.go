package generate

import "fmt"

// spaces accesses memory through a pointer that each lane chooses
// independently: to a variable of the thread, to one of its cells of global
// memory, or to one of shared memory.
func (g *gen) spaces() {
	e := g.expr(u64, 2)
	a := g.declare(scalars[u64], false)
	g.line("%s := %s", a.name, e)
	p := g.name("p")
	var shared string
	if g.n(3) == 0 {
		shared = g.name("s")
		e := g.expr(u64, 1)
		g.line("%s := gpu.Shared[[MaxBlock]uint64](t)", shared)
		g.line("%s[t.Idx()] = %s", shared, e)
	}
	g.line("%s := &%s", p, a.name)
	choose := func(to string) {
		c := g.boolExpr(2)
		if g.n(2) == 0 {
			c = []string{"t.Lane()&1 == 0", "t.Idx()%3 == 1", "t.Lane() > 11", "h&4 == 0"}[g.n(4)]
		}
		g.line("if %s {", c)
		g.line("\t%s = &%s", p, to)
		g.line("}")
	}
	choose(fmt.Sprintf("own[t.Global()*Owns+uint32(%s)]", g.index(8)))
	if shared != "" {
		choose(shared + "[t.Idx()]")
	}
	e = g.expr(u64, 2)
	v := g.declare(scalars[u64], false)
	switch g.n(4) {
	case 0:
		g.line("%s := *%s*7 + 1", v.name, p)
	case 1:
		g.line("%s := bump(%s, %s)", v.name, p, e)
	case 2:
		g.line("*%s = %s", p, e)
		g.line("%s := *%s ^ h", v.name, p)
	default:
		g.line("%s := *%s", v.name, p)
		g.line("*%s += %s", p, e)
	}
}

// blankMemory writes cells that have not been written, and reads them. It
// leaves half of them to badEnd.
func (g *gen) blankMemory() {
	at := fmt.Sprintf("net.Blank[t.Global()*Owns+uint32(%s)]", g.index(4))
	e := g.expr(u64, 2)
	switch g.n(3) {
	case 0:
		g.line("gpu.AtomicExch(&%s, %s)", at, e)
	case 1:
		g.line("if %s {", g.boolExpr(2))
		g.line("\t%s = %s", at, e)
		g.line("} else {")
		g.line("\t%s = h", at)
		g.line("}")
	default:
		g.line("%s = %s", at, e)
	}
	g.line("%s := %s", g.declare(scalars[u64], false).name, at)
}
