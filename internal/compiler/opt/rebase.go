package opt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// rebase shifts a loop counter: if the header holds i = phi(c0, x...) and x = i
// + c, and every back edge brings x, then x becomes the counter phi(c0 + c, x +
// c...) and other uses of i become x - c.
func rebase(c *context) {
	c.f.Renumber()
	changed := false
	for _, b := range c.f.Blocks {
		for _, phi := range append([]*ir.Value(nil), b.Phis...) {
			if x := shifted(phi); x != nil && c.rebasePhi(phi, x) {
				changed = true
			}
		}
	}
	if changed {
		c.resolve()
	}
}

// shifted returns the sum of phi and a constant, in phi's block, that every
// back edge brings to phi; nil if there is none. All operands from outside the
// loop must be constants.
func shifted(phi *ir.Value) *ir.Value {
	var x *ir.Value
	if !phi.K.Int() {
		return nil
	}
	for i, p := range phi.Block.Preds {
		a := phi.Args[i]
		switch {
		case p.ID < phi.Block.ID:
			if a.Op != ir.OpConst {
				return nil
			}
		case x == nil && a.Op == ir.OpAdd && a.Block == phi.Block && a.Args[0] == phi && a.Args[1].Op == ir.OpConst:
			x = a
		case a != x || x == nil:
			return nil
		}
	}
	return x
}

func (c *context) rebasePhi(phi, x *ir.Value) bool {
	b := phi.Block
	for _, v := range b.Ins {
		if v == x {
			break
		}
		for _, a := range v.Args {
			if a == phi {
				return false // used before the sum: the counter itself is needed
			}
		}
	}
	step := x.Args[1]
	j := c.value(b, ir.OpPhi, phi.K, phi.Pos)
	j.Args = make([]*ir.Value, len(b.Preds))
	for i, p := range b.Preds {
		if p.ID < b.ID {
			j.Args[i] = c.constant(phi.K, phi.Args[i].Bits()+step.Bits())
			continue
		}
		next := c.value(p, ir.OpAdd, phi.K, x.Pos, j, step)
		p.Ins = append(p.Ins, next)
		j.Args[i] = next
	}
	b.Phis = append(b.Phis, j)
	old := c.value(b, ir.OpAdd, phi.K, phi.Pos, j, c.constant(phi.K, -step.Bits()))
	b.Ins = append([]*ir.Value{old}, b.Ins...)
	c.replace(x, j)
	c.replace(phi, old)
	return true
}
