package generate

import (
	"fmt"
	"strings"
)

// loopInfo is a loop around the current statement.
type loopInfo struct {
	label   string
	used    bool
	uniform bool // no thread may leave early
	inside  bool // the current statement is in a switch in the loop
	at      int  // offset of its "for" in the text
}

// diverge runs f for code in which threads may diverge.
func (g *gen) diverge(f func()) {
	was := g.uniform
	g.uniform = false
	f()
	g.uniform = was
}

// uniformBool returns a condition that is the same for all threads of a block.
func (g *gen) uniformBool() string {
	return []string{"par.N&1 == 0", "par.G", "par.K > 0", "t.Block()%2 == 0", "par.X < 1", "!par.G && par.M[0] > 5", "t.BlockDim() > 40"}[g.n(7)]
}

func (g *gen) ifStatement() {
	if g.uniform && g.n(3) == 0 {
		g.block("if "+g.uniformBool(), 1+g.n(3))
		return
	}
	g.diverge(func() {
		g.line("if %s {", g.boolExpr(3))
		arms := g.n(3)
		for i := 0; ; i++ {
			g.depth++
			g.statements(1 + g.n(3))
			g.depth--
			if i >= arms {
				break
			}
			if i+1 < arms {
				g.line("} else if %s {", g.boolExpr(2))
			} else {
				g.line("} else {")
			}
		}
		g.line("}")
	})
}

// loop writes a loop of a few iterations.
func (g *gen) loop() {
	if len(g.loops) >= 2 {
		g.assignment()
		return
	}
	l := &loopInfo{label: g.name("loop")}
	body := 2 + g.n(4)
	write := func(f func()) {
		g.loops = append(g.loops, l)
		f()
		g.loops = g.loops[:len(g.loops)-1]
	}
	if g.uniform && g.n(2) == 0 {
		l.uniform = true
		trips := []string{"2", "3", "par.N & 3", "t.Block() + 1"}[g.n(4)]
		write(func() { g.counted(trips, body) })
	} else {
		g.diverge(func() { write(func() { g.divergentLoop(body) }) })
	}
	if l.used {
		text := g.b.String()
		g.b.Reset()
		g.b.WriteString(text[:l.at])
		g.line("%s:", l.label)
		g.b.WriteString(text[l.at:])
	}
}

// scoped runs f in a scope of its own: variables that f declares are removed
// afterwards.
func (g *gen) scoped(f func()) {
	from := len(g.vars)
	f()
	g.vars = g.vars[:from]
}

// each writes a loop with a header. At the end of the body its variables are
// used in h.
func (g *gen) each(body int, vars []*variable, format string, args ...any) {
	g.loops[len(g.loops)-1].at = g.b.Len()
	g.block(fmt.Sprintf(format, args...), body, func() {
		for _, v := range vars {
			g.mix(v)
		}
	})
}

// counted writes a loop with a counter.
func (g *gen) counted(trips string, body int) {
	g.scoped(func() {
		i := g.declare(scalars[u32], true)
		i.below = map[string]int{"2": 2, "3": 3, "5": 5, "par.N & 3": 3, "t.Block() + 1": 3}[trips]
		if strings.HasSuffix(trips, ")%6") {
			i.below = 5
		}
		g.each(body, nil, "for %s := uint32(0); %s < %s; %s++", i.name, i.name, trips, i.name)
	})
}

func (g *gen) divergentLoop(body int) {
	trips := []string{"3", "5", "(" + g.expr(u32, 2) + ")%6", "(" + g.expr(u32, 2) + ")&3"}[g.n(4)]
	g.scoped(func() {
		switch g.n(9) {
		case 0, 1:
			g.counted(trips, body)
		case 8: // in steps, over any kind of counter
			k := []kind{u32, s32, s64, u64, u8, s16, intK}[g.n(7)]
			from, step, n := g.n(9)-4, 1+g.n(3), 2+g.n(4)
			if !k.signed() || g.n(2) == 0 {
				from = max(from, 0)
			}
			i := g.declare(scalars[k], true)
			if from >= 0 {
				i.below = from + step*(n-1) + 1
			}
			if g.n(3) == 0 {
				g.each(body, nil, "for %s := %v(%d); %s != %d; %s += %d", i.name, k, from, i.name, from+step*n, i.name, step)
			} else {
				g.each(body, nil, "for %s := %v(%d); %s <= %d; %s += %d", i.name, k, from, i.name, from+step*(n-1), i.name, step)
			}
		case 2: // downwards, unsigned or signed
			k := []kind{u32, s32, s64, u8}[g.n(4)]
			e := g.factor(k)
			i := g.declare(scalars[k], true)
			g.each(body, nil, "for %s := %s&7; %s > 0; %s--", i.name, e, i.name, i.name)
		case 3: // without a condition
			i := g.declare(scalars[s32], true)
			g.line("%s := int32(0)", i.name)
			g.loops[len(g.loops)-1].at = g.b.Len()
			g.line("for {")
			g.depth++
			g.line("%s++", i.name)
			g.line("if %s > %d || %s {", i.name, 2+g.n(4), g.expr(boolK, 1))
			g.line("\tbreak")
			g.line("}")
			g.statements(body)
			g.depth--
			g.line("}")
		case 4: // a range over an integer
			k := []kind{u32, u32, intK, s64, u8}[g.n(5)]
			n := "4"
			if g.n(2) == 0 {
				n = g.factor(k) + "&3"
			}
			i := g.declare(scalars[k], true)
			i.below = 4
			g.each(body, []*variable{i}, "for %s := range %v(%s)", i.name, k, n)
		case 5: // a range over an array or a slice
			v := g.any(func(v *variable) bool { return v.typ.elem != nil && v.typ.elem.scalar() })
			if v == nil {
				g.counted(trips, body)
				return
			}
			i := g.declare(scalars[intK], true)
			i.below = v.typ.n
			e := g.declare(v.typ.elem, true)
			g.each(body, []*variable{i, e}, "for %s, %s := range %s", i.name, e.name, v.name)
		case 6:
			i := g.declare(scalars[intK], true)
			i.below = 6
			e := g.declare(scalars[u32], true)
			n := g.declare(scalars[u32], true)
			g.line("%s := uint32(%s)", n.name, trips)
			g.each(body, []*variable{i, e}, "for %s, %s := range in.U[:%s]", i.name, e.name, n.name)
		default: // a range over a function
			i := g.declare(scalars[u32], true)
			g.each(body, []*variable{i}, "for %s := range upTo(%s, %d)", i.name, trips, 1+g.n(2))
		}
	})
}

// jump leaves or continues a loop under a condition.
func (g *gen) jump() {
	if len(g.loops) == 0 {
		g.ifStatement()
		return
	}
	i := g.n(len(g.loops))
	l := g.loops[i]
	for _, inner := range g.loops[i:] {
		if inner.uniform {
			g.assignment()
			return
		}
	}
	if !g.collectives && g.n(4) == 0 {
		g.line("if %s {", g.boolExpr(2))
		g.line("\tout[t.Global()*Outs+5] = h")
		g.line("\treturn")
		g.line("}")
		return
	}
	to := ""
	if i < len(g.loops)-1 || l.inside || g.n(3) == 0 {
		l.used = true
		to = " " + l.label
	}
	g.line("if %s {", g.boolExpr(2))
	g.depth++
	if g.n(2) == 0 {
		g.diverge(func() { g.statements(1) })
	}
	g.line("%s%s", []string{"break", "continue"}[g.n(2)], to)
	g.depth--
	g.line("}")
}

func (g *gen) switchStatement() {
	if len(g.loops) > 0 {
		l := g.loops[len(g.loops)-1]
		was := l.inside
		l.inside = true
		defer func() { l.inside = was }()
	}
	g.diverge(func() {
		arms := 2 + g.n(3)
		if g.n(3) == 0 {
			g.line("switch {")
			for range arms {
				g.line("case %s:", g.boolExpr(2))
				g.arm()
			}
		} else {
			k := []kind{u32, s32, u8, u64}[g.n(4)]
			g.line("switch %s & 7 {", g.expr(k, 2))
			values := g.r.Perm(8)
			for i := range arms {
				if g.n(3) == 0 && 2*i+1 < 8 {
					g.line("case %d, %d:", values[i], values[7-i])
				} else {
					g.line("case %d:", values[i])
				}
				g.arm()
				if i < arms-1 && g.n(4) == 0 {
					g.line("\tfallthrough")
				}
			}
		}
		if g.n(2) == 0 {
			g.line("default:")
			g.arm()
		}
		g.line("}")
	})
}

func (g *gen) arm() {
	g.depth++
	g.statements(1 + g.n(2))
	g.depth--
}
