package generate

import "fmt"

// collective writes a statement that all threads of a block execute together.
func (g *gen) collective() {
	if g.wide && g.n(4) == 0 {
		k := []kind{u32, s32, u64, s64, f32, f64}[g.n(6)]
		e, by := g.expr(k, 2), g.expr(u32, 1)
		f := []string{"lane", "above", "twin", "total32"}[g.n(4)]
		if f == "total32" {
			g.line("%s := total32(t, %s)", g.declare(scalars[u32], false).name, by)
			return
		}
		g.line("%s := %s(t, %s, %s)", g.declare(scalars[k], false).name, f, e, by)
		return
	}
	switch g.n(11) {
	case 0:
		g.exchange()
	case 1:
		g.sharedAtomics()
	case 2:
		c := g.expr(boolK, 2)
		switch g.n(3) {
		case 0:
			g.line("%s := t.SyncCount(%s)", g.declare(scalars[u32], false).name, c)
		case 1:
			g.line("%s := t.SyncAnd(%s)", g.declare(scalars[boolK], false).name, c)
		default:
			g.line("%s := t.SyncOr(%s)", g.declare(scalars[boolK], false).name, c)
		}
	case 3, 4:
		c := g.expr(boolK, 2)
		switch g.n(4) {
		case 0:
			g.line("%s := t.Any(gpu.FullMask, %s)", g.declare(scalars[boolK], false).name, c)
		case 1:
			g.line("%s := t.All(gpu.FullMask, %s)", g.declare(scalars[boolK], false).name, c)
		default:
			g.line("%s := t.Ballot(gpu.FullMask, %s)", g.declare(scalars[u32], false).name, c)
		}
	case 5, 6:
		k := []kind{u32, s32, u64, s64, f32, f64}[g.n(6)]
		e, by := g.expr(k, 2), g.operand(u32, 1)
		if g.n(3) > 0 {
			by = fmt.Sprint(1 + g.n(20))
		}
		f := []string{"Shfl", "ShflUp", "ShflDown", "ShflXor"}[g.n(4)]
		if g.threads%32 != 0 { // lanes that the last warp does not have give no defined value
			f = "ShflUp"
		}
		g.line("%s := gpu.%s(t, gpu.FullMask, %s, %s)", g.declare(scalars[k], false).name, f, e, by)
	case 7:
		k := []kind{u32, s32, u64, s64}[g.n(4)]
		e := g.expr(k, 2)
		g.line("%s := gpu.Match(t, gpu.FullMask, %s&3)", g.declare(scalars[u32], false).name, e)
	case 8:
		g.halves()
	case 9:
		x, from := g.expr(u32, 2), g.expr(u32, 1)
		g.line("%s := share(t, %s, %s)", g.declare(scalars[u32], false).name, x, from)
	default:
		k := []kind{u32, s32, u64, s64}[g.n(4)]
		e := g.expr(k, 2)
		g.line("%s := prefix(t, %s)", g.declare(scalars[k], false).name, e)
	}
}

// halves makes the two halves of each warp vote separately.
func (g *gen) halves() {
	a, b := g.expr(boolK, 2), g.expr(u32, 2)
	v := g.declare(scalars[u32], false)
	g.line("var %s uint32", v.name)
	g.line("if t.Lane() < 16 {")
	g.line("\t%s = t.Ballot(0x0000FFFF, %s)", v.name, a)
	g.line("} else {")
	if g.threads%32 > 16 { // the last warp lacks lanes of its upper half
		g.line("\t%s = t.Ballot(0xFFFF0000, %s == 0)", v.name, b)
	} else {
		g.line("\t%s = gpu.ShflXor(t, 0xFFFF0000, %s, %d)", v.name, b, 1<<g.n(4))
	}
	g.line("}")
}

// exchange makes each thread read what another thread of the block wrote.
func (g *gen) exchange() {
	t := scalars[g.kind()]
	if g.n(4) == 0 {
		t = pair
	}
	s := g.name("s")
	g.line("%s := gpu.Shared[[MaxBlock]%s](t)", s, t.name)
	g.line("%s[t.Idx()] = %s", s, g.value(t, 2))
	g.line("t.Sync()")
	e := g.expr(u32, 2)
	v := g.declare(t, false)
	g.line("%s := %s[(%s)%%t.BlockDim()]", v.name, s, e)
	g.line("t.Sync()")
}

// sharedAtomics makes some threads of a block update shared counters.
func (g *gen) sharedAtomics() {
	i, op := g.n(4), g.n(6)
	k := []kind{u32, s32, u64, s64}[i]
	s := g.name("s")
	g.line("%s := gpu.Shared[[8]%v](t)", s, k)
	g.line("if t.Idx() < 8 {")
	g.line("\t%s[t.Idx()] = %s", s, g.literal(k))
	g.line("}")
	g.line("t.Sync()")
	update := fmt.Sprintf("gpu.Atomic%s(&%s[%s], %s, gpu.BlockScope)", []string{"Add", "Min", "Max", "And", "Or", "Xor"}[op], s, g.index(8), g.expr(k, 2))
	if g.n(2) == 0 {
		g.line("%s", update)
	} else {
		g.line("if %s {", g.boolExpr(2))
		g.line("\t%s", update)
		g.line("}")
	}
	g.line("t.Sync()")
	at := g.index(8)
	g.line("%s := %s[%s]", g.declare(scalars[k], false).name, s, at)
	g.line("t.Sync()")
}
