package generate

import (
	"fmt"
	"strings"
)

// expr returns an expression of kind k that is not constant and has no side
// effect.
func (g *gen) expr(k kind, depth int) string {
	if depth <= 0 || g.n(6) == 0 {
		return g.leaf(k)
	}
	switch {
	case k == boolK:
		return g.boolExpr(depth)
	case k.float():
		return g.floatExpr(k, depth)
	}
	return g.intExpr(k, depth)
}

// operand returns an expression or a literal; the other operand must not be a
// literal.
func (g *gen) operand(k kind, depth int) string {
	if g.n(4) == 0 {
		return g.literal(k)
	}
	return g.expr(k, depth)
}

// leaf returns a variable, an element of an input, or an index of the thread.
func (g *gen) leaf(k kind) string {
	if g.n(5) > 0 {
		for range 4 {
			if p, ok := g.read(k); ok {
				return p
			}
		}
	}
	if g.n(8) == 0 {
		if p, ok := g.par(k); ok {
			return p
		}
	}
	switch k {
	case u32:
		switch g.n(6) {
		case 0:
			return "t.Global()"
		case 1:
			return []string{"t.Idx()", "t.Lane()", "t.Warp()", "t.Block()", "t.BlockDim()", "t.Stride()", "gpu.Len(in.U)"}[g.n(7)]
		case 2:
			return "in.P[" + g.index(64) + "].A"
		}
		return "in.U[" + g.index(64) + "]"
	case s64:
		if g.n(3) == 0 {
			return "in.P[" + g.index(64) + "].B"
		}
	case boolK:
		if g.n(3) == 0 {
			return "in.P[" + g.index(64) + "].C"
		}
	case f32:
		if g.n(4) == 0 {
			return "in.P[" + g.index(64) + "].D"
		}
	}
	if f, ok := map[kind]string{s32: "S", u64: "Q", s64: "L", f32: "F", f64: "D", s16: "H", u8: "B", boolK: "T"}[k]; ok {
		return fmt.Sprintf("in.%s[%s]", f, g.index(64))
	}
	from := map[kind]kind{s8: s16, u16: u32, intK: s64, uintK: u64}[k]
	return fmt.Sprintf("%v(%s)", k, g.leaf(from))
}

func (g *gen) par(k kind) (string, bool) {
	switch k {
	case u32:
		return "par.N", true
	case s64:
		return "par.K", true
	case f32:
		return "par.X", true
	case boolK:
		return "par.G", true
	case u16:
		return fmt.Sprintf("par.M[%d]", g.n(2)), true
	}
	return "", false
}

// index returns an index below n: a constant, or an expression that is limited
// to that range.
func (g *gen) index(n int) string {
	if g.n(3) == 0 {
		return fmt.Sprint(g.n(n))
	}
	if v := g.any(func(v *variable) bool { return v.below > 0 && v.below <= n }); v != nil && g.n(2) == 0 {
		return g.affine(v, n)
	}
	if n&(n-1) == 0 {
		k := []kind{u32, u32, u32, s32, u8, s64, intK}[g.n(7)]
		return fmt.Sprintf("%s&%d", g.factor(k), n-1)
	}
	return fmt.Sprintf("%s%%%d", g.factor(u32), n)
}

// affine returns an index below n that grows with a counter.
func (g *gen) affine(v *variable, n int) string {
	a := 1 + g.n((n-1)/max(v.below-1, 1))
	c := g.n(n - a*(v.below-1))
	s := v.name
	if a > 1 {
		s += fmt.Sprintf("*%d", a)
	}
	switch {
	case c > 0 && g.n(4) == 0:
		return fmt.Sprintf("%d-%s", a*(v.below-1)+c, s)
	case c > 0:
		return fmt.Sprintf("%s+%d", s, c)
	}
	return s
}

// factor returns a short expression that can be an operand of any operator.
func (g *gen) factor(k kind) string {
	for range 3 {
		if p, ok := g.simple(k); ok {
			return p
		}
	}
	if k == u32 {
		return []string{"t.Global()", "t.Lane()", "par.N"}[g.n(3)]
	}
	return fmt.Sprintf("%v(t.Idx())", k)
}

func (g *gen) intExpr(k kind, depth int) string {
	a := func() string { return g.expr(k, depth-1) }
	b := func() string { return g.operand(k, depth-1) }
	switch g.n(19) {
	case 0, 1, 2, 3, 4, 5:
		x, y := a(), b()
		if x == y {
			y = g.literal(k)
		}
		return fmt.Sprintf("(%s %s %s)", x, []string{"+", "-", "*", "&", "|", "^", "&^", "+", "-"}[g.n(9)], y)
	case 6:
		if g.n(3) == 0 {
			return fmt.Sprintf("(%s %s %s)", a(), []string{"/", "%"}[g.n(2)], g.literal(k))
		}
		return fmt.Sprintf("(%s %s (%s | 1))", a(), []string{"/", "%"}[g.n(2)], a())
	case 7:
		return fmt.Sprintf("(%s %s %d)", a(), []string{"<<", ">>"}[g.n(2)], g.n(k.bits()))
	case 8:
		c := g.unsigned()
		return fmt.Sprintf("(%s %s (%s %% %d))", a(), []string{"<<", ">>"}[g.n(2)], g.expr(c, depth-1), k.bits()+5)
	case 9:
		return fmt.Sprintf("(%s%s)", []string{"-", "^"}[g.n(2)], g.expr(k, depth-1))
	case 10:
		return fmt.Sprintf("%s(%s, %s)", []string{"min", "max"}[g.n(2)], a(), b())
	case 11, 12:
		return fmt.Sprintf("%v(%s)", k, g.expr(g.intKind(), depth-1))
	case 13:
		if g.wide && g.n(2) == 0 {
			return fmt.Sprintf("saturated[%v](%s)", k, g.expr([]kind{f32, f64}[g.n(2)], depth-1))
		}
		if g.n(2) == 0 {
			return fmt.Sprintf("%v(fix32(%s))", k, g.expr(f32, depth-1))
		}
		return fmt.Sprintf("%v(fix64(%s))", k, g.expr(f64, depth-1))
	case 14:
		return fmt.Sprintf("pick(%s, %s, %s)", g.expr(boolK, depth-1), a(), b())
	case 15:
		switch g.n(3) {
		case 0:
			lo, hi := a(), b()
			return fmt.Sprintf("clamp(%s, %s, %s)", a(), lo, hi)
		case 1:
			return fmt.Sprintf("fold(%s, %s)", a(), g.expr(u32, depth-1))
		}
		return g.helperCall(k, depth)
	case 16:
		return g.bitTrick(k, depth)
	case 17:
		if k == s64 {
			if p := g.variable(pair); p != nil {
				return p.name + ".sum()"
			}
		}
	}
	return g.helperCall(k, depth)
}

// bitTrick returns a call of one of gpu's bit functions on 32- or 64-bit
// integers, converted to k.
func (g *gen) bitTrick(k kind, depth int) string {
	w := []kind{u32, u64}[g.n(2)]
	x, y := g.expr(w, depth-1), g.expr(w, depth-1)
	var s string
	switch g.n(8) {
	case 0:
		s = fmt.Sprintf("gpu.PopCount(%s)", x)
	case 1:
		s = fmt.Sprintf("gpu.LeadingZeros(%s)", x)
	case 2:
		s = fmt.Sprintf("gpu.TrailingZeros(%s)", x)
	case 3:
		s = fmt.Sprintf("gpu.Reverse(%s)", x)
	case 4:
		s = fmt.Sprintf("gpu.RotateLeft(%s, %s)", x, g.operand(u32, depth-1))
	case 5:
		s = fmt.Sprintf("gpu.MulHi(%s, %s)", x, y)
	case 6:
		s = fmt.Sprintf("bits32(%s)", g.expr(f32, depth-1))
	default:
		s = fmt.Sprintf("bits64(%s)", g.expr(f64, depth-1))
	}
	return fmt.Sprintf("%v(%s)", k, s)
}

// floatExpr rounds every operation by a conversion, so that Go may not fuse
// operations.
func (g *gen) floatExpr(k kind, depth int) string {
	a := func() string { return g.expr(k, depth-1) }
	b := func() string { return g.operand(k, depth-1) }
	switch g.n(14) {
	case 0, 1, 2, 3, 4:
		return fmt.Sprintf("%v(%s %s %s)", k, a(), []string{"+", "-", "*", "/"}[g.n(4)], b())
	case 5:
		return fmt.Sprintf("(-%s)", a())
	case 6:
		return fmt.Sprintf("%s(%s, %s)", []string{"min", "max"}[g.n(2)], a(), b())
	case 7:
		return fmt.Sprintf("gpu.%s(%s)", []string{"Sqrt", "Abs", "Floor", "Ceil", "Trunc"}[g.n(5)], a())
	case 8:
		return fmt.Sprintf("gpu.FMA(%s, %s, %s)", a(), a(), a())
	case 9, 10:
		return fmt.Sprintf("%v(%s)", k, g.expr(g.intKind(), depth-1))
	case 11:
		return fmt.Sprintf("%v(%s)", k, g.expr(f32+f64-k, depth-1))
	case 12:
		if k == f32 {
			return fmt.Sprintf("gpu.Float32frombits(%s)", g.expr(u32, depth-1))
		}
		return fmt.Sprintf("gpu.Float64frombits(%s)", g.expr(u64, depth-1))
	}
	return fmt.Sprintf("pick(%s, %s, %s)", g.expr(boolK, depth-1), a(), a())
}

func (g *gen) boolExpr(depth int) string {
	switch g.n(10) {
	case 0, 1, 2, 3, 4:
		k := g.kind()
		if k == boolK {
			return fmt.Sprintf("(%s %s %s)", g.expr(k, depth-1), []string{"==", "!="}[g.n(2)], g.leaf(k))
		}
		return fmt.Sprintf("(%s %s %s)", g.expr(k, depth-1), []string{"==", "!=", "<", "<=", ">", ">="}[g.n(6)], g.operand(k, depth-1))
	case 5, 6, 7:
		// go vet rejects a chain of one operator with the same operand twice.
		a, b, op := g.expr(boolK, depth-1), g.expr(boolK, depth-1), "&&"
		if g.n(2) == 0 && !strings.Contains(a+b, "||") || strings.Contains(a+b, "&&") {
			op = "||"
		}
		if a == b || strings.Contains(a+b, op) {
			return a
		}
		return fmt.Sprintf("(%s %s %s)", a, op, b)
	case 8:
		if a := g.variable(pair); a != nil {
			if b := g.variable(pair); b != nil && a.name != b.name {
				return fmt.Sprintf("(%s == %s)", a.name, b.name)
			}
		}
	}
	return fmt.Sprintf("(!%s)", g.leaf(boolK))
}
