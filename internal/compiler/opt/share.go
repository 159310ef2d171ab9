package opt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// shareDivision computes a quotient and a remainder of the same operands with
// one division: the remainder is x - q*d. If the remainder comes first, the
// division moves there, which costs no more than the remainder did.
func shareDivision(c *context) {
	quotients := map[cseKey][]*ir.Value{}
	remainders := false
	each := func(f func(v *ir.Value)) {
		for _, b := range c.f.Blocks {
			for _, v := range b.Ins {
				if (v.Op == ir.OpDiv || v.Op == ir.OpRem) && v.K.Int() {
					f(v)
				}
			}
		}
	}
	each(func(v *ir.Value) {
		if v.Op == ir.OpDiv {
			k := c.key(v)
			quotients[k] = append(quotients[k], v)
		}
		remainders = remainders || v.Op == ir.OpRem
	})
	if !remainders || len(quotients) == 0 {
		return
	}
	c.f.Dominate()
	at := map[*ir.Value]int{}
	for _, b := range c.f.Blocks {
		for i, v := range b.Ins {
			at[v] = i
		}
	}
	before := func(a, b *ir.Value) bool {
		return a.Block == b.Block && at[a] < at[b] || a.Block != b.Block && a.Block.Dominates(b.Block)
	}
	for _, b := range c.f.Blocks {
		var out []*ir.Value
		for _, v := range b.Ins {
			if v.Op == ir.OpRem && v.K.Int() {
				k := c.key(v)
				k.op = ir.OpDiv
				var q *ir.Value
				var behind []*ir.Value
				for _, o := range quotients[k] {
					switch {
					case before(o, v):
						q = o
					case before(v, o):
						behind = append(behind, o)
					}
				}
				if q == nil && len(behind) > 0 {
					q = c.value(b, ir.OpDiv, v.K, v.Pos, v.Args...)
					at[q] = at[v]
					out = append(out, q)
					quotients[k] = append(quotients[k], q)
				}
				for _, o := range behind {
					if q != o {
						c.replace(o, q)
					}
				}
				if q != nil {
					x, d := v.Args[0], v.Args[1]
					p := c.value(b, ir.OpMul, v.K, v.Pos, q, d)
					out = append(out, p)
					v.Op, v.Args = ir.OpSub, []*ir.Value{x, p}
				}
			}
			out = append(out, v)
		}
		b.Ins = out
	}
	c.resolve()
}
