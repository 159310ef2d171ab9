package opt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// rebase shifts a loop counter: if the header holds i = phi(c0, sum...) and
// sum = i + c, and every back edge brings sum, then sum becomes the counter
// phi(c0 + c, sum + c...) and other uses of i become sum - c.
func rebase(c *context) {
	c.f.Renumber()
	changed := false
	for _, b := range c.f.Blocks {
		for _, phi := range append([]*ir.Value(nil), b.Phis...) {
			if sum := shifted(phi); sum != nil && c.rebasePhi(phi, sum) {
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
	var sum *ir.Value
	if !phi.K.Int() {
		return nil
	}
	for i, pred := range phi.Block.Preds {
		arg := phi.Args[i]
		switch {
		// Numbers are those of a reverse post-order: a lower one is a forward
		// edge.
		case pred.ID < phi.Block.ID:
			if arg.Op != ir.OpConst {
				return nil
			}
		case sum == nil && arg.Op == ir.OpAdd && arg.Block == phi.Block && arg.Args[0] == phi && arg.Args[1].Op == ir.OpConst:
			sum = arg
		case arg != sum || sum == nil:
			return nil
		}
	}
	return sum
}

func (c *context) rebasePhi(phi, sum *ir.Value) bool {
	block := phi.Block
	for _, value := range block.Ins {
		if value == sum {
			break
		}
		for _, arg := range value.Args {
			if arg == phi {
				return false // used before the sum: the counter itself is needed
			}
		}
	}
	step := sum.Args[1]
	counter := c.value(block, ir.OpPhi, phi.K, phi.Pos)
	counter.Args = make([]*ir.Value, len(block.Preds))
	for i, pred := range block.Preds {
		if pred.ID < block.ID {
			counter.Args[i] = c.constant(phi.K, phi.Args[i].Bits()+step.Bits())
			continue
		}
		// At the end of each latch, so that the counter has its old value
		// throughout the iteration.
		next := c.value(pred, ir.OpAdd, phi.K, sum.Pos, counter, step)
		pred.Ins = append(pred.Ins, next)
		counter.Args[i] = next
	}
	block.Phis = append(block.Phis, counter)
	old := c.value(block, ir.OpAdd, phi.K, phi.Pos, counter, c.constant(phi.K, -step.Bits()))
	// First in the block, since every use of the old counter comes after the
	// phis.
	block.Ins = append([]*ir.Value{old}, block.Ins...)
	c.replace(sum, counter)
	c.replace(phi, old)
	return true
}
