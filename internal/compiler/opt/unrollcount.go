package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// together is how many iterations of a counted loop execute between two tests
// of its counter.
const together = 4

// unrollCounted executes four iterations of a short counted loop between two
// tests, so that their loads overlap. The remaining iterations execute two at a
// time if possible, and then in the original loop:
//
//	if three more steps stay in front of the bound {
//		do { four rounds } while three more steps stay in front of the bound
//	}
//	if one more step stays in front of the bound { two rounds }
//	if the counter is in front of the bound { the loop }
//
// Lanes that take different paths reconverge in front of each of the three.
// "Stay" means that no step wraps around: a counter that wraps around does so
// in the original loop.
func unrollCounted(c *context) {
	c.f.Dominate()
	var r *readers
	for _, l := range c.f.Loops() {
		if n := c.count(l); n != nil {
			if r == nil {
				r = newReaders(c.f)
			}
			c.unrollCount(n, r)
		}
	}
	if r != nil {
		c.f.Dominate()
	}
	c.resolve()
}

// stays emits at the end of b a test that i and the next rounds steps from i
// have not reached the bound, and returns its result.
func (c *context) stays(b *ir.Block, n *counted, i *ir.Value, rounds int64) *ir.Value {
	emit := func(op ir.Op, k ir.Kind, x, y *ir.Value) *ir.Value {
		v := c.value(b, op, k, n.h.Pos, x, y)
		if k == ir.Pred {
			v.ArgK = n.k
		}
		b.Ins = append(b.Ins, v)
		return v
	}
	number := func(x int64) *ir.Value { return c.constant(n.k, uint64(x)) }
	if rounds == 0 {
		return emit(n.op, ir.Pred, i, n.bound)
	}
	lowest, highest := limits(n.k)
	switch n.op {
	case ir.OpNe: // the distance, which wraps around as the counter does
		near, far := i, n.bound
		if n.step < 0 {
			near, far = far, near
		}
		v := emit(ir.OpGt, ir.Pred, emit(ir.OpSub, n.k, far, near), number(rounds))
		v.ArgK = unsigned(n.k)
		return v
	case ir.OpLt, ir.OpLe:
		room := rounds * n.step
		if n.op == ir.OpLe {
			room--
		}
		limit := emit(ir.OpSub, n.k, emit(ir.OpMax, n.k, n.bound, number(lowest+room)), number(room))
		return emit(ir.OpLt, ir.Pred, i, limit)
	default:
		room := -rounds * n.step
		if n.op == ir.OpGe {
			room--
		}
		limit := emit(ir.OpAdd, n.k, emit(ir.OpMin, n.k, n.bound, number(highest-room)), number(room))
		return emit(ir.OpGt, ir.Pred, i, limit)
	}
}

// unrollCount unrolls one loop.
func (c *context) unrollCount(n *counted, r *readers) {
	h := n.h
	left := c.escaping(n, r)
	old := len(c.f.Blocks)
	start := make([]*ir.Value, len(h.Phis)+len(left)) // the values at entry of the phis of h; then nil for each value used after the loop
	for i, p := range h.Phis {
		start[i] = p.Args[1-n.from]
	}
	for i, v := range left {
		start[len(h.Phis)+i] = c.constant(v.K, 0)
	}
	main, two, pair := c.block(n), c.block(n), c.block(n) // four iterations; the test for two more; these two
	rest, last := c.block(n), c.block(n)                  // the test for the loop; the entry to it

	test := n.pre
	if len(n.pre.Succs) > 1 {
		test = c.block(n)
		retarget(n.pre, h, test)
		test.Preds, test.Idom = []*ir.Block{n.pre}, n.pre
	}
	test.Succs, test.Cond = nil, nil
	kinds := append(slices.Clone(h.Phis), left...)
	if !c.guarded(n, test) { // a loop that executes its first iteration without a test
		first := c.block(n)
		test.Cond = c.stays(test, n, start[n.at], 0)
		ir.AddEdge(test, first)
		ir.AddEdge(test, last)
		test = first
	}
	test.Cond = c.stays(test, n, start[n.at], together-1)
	ir.AddEdge(test, main)
	ir.AddEdge(test, two)

	ir.AddEdge(main, main)
	ir.AddEdge(main, two)
	now := c.phis(main, h.Phis)
	after := c.repeat(n, main, now, left, together)
	main.Cond = c.stays(main, n, after[n.at], together-1)
	for i, p := range main.Phis {
		p.Args = []*ir.Value{start[i], after[i]}
	}

	joined := c.phis(two, kinds)
	for i, p := range two.Phis {
		p.Args = []*ir.Value{start[i], after[i]}
	}
	two.Cond = c.stays(two, n, joined[n.at], 1)
	ir.AddEdge(two, pair)
	ir.AddEdge(two, rest)
	after = c.repeat(n, pair, joined[:len(h.Phis)], left, 2)
	ir.AddEdge(pair, rest)

	ends := c.phis(rest, kinds)
	for i, p := range rest.Phis {
		p.Args = []*ir.Value{joined[i], after[i]}
	}
	rest.Cond = c.stays(rest, n, ends[n.at], 0)
	ir.AddEdge(rest, last)
	c.connect(n, rest, last, start, ends)

	for _, b := range c.f.Blocks[old:] {
		for _, list := range [][]*ir.Value{b.Phis, b.Ins} {
			for _, v := range list {
				r.reads(v)
			}
		}
		r.branches(b)
	}
	for _, p := range slices.Concat(h.Phis, n.out.Phis) {
		r.reads(p)
	}
	for i, v := range append(c.nexts(n), left...) {
		if v == nil {
			continue
		}
		d := newDefs(c, r)
		d.set(h, v)
		d.set(rest, ends[i])
		d.rewriteUses(v)
	}
}

// connect makes last the entry of the loop, reached from rest and, if the loop
// may be entered untested, from the untested entry; and makes rest an exit of
// the loop.
func (c *context) connect(n *counted, rest, last *ir.Block, start, ends []*ir.Value) {
	h := n.h
	now := ends
	if len(last.Preds) > 1 {
		now = c.phis(last, h.Phis)
		for i, p := range last.Phis {
			p.Args = []*ir.Value{start[i], ends[i]}
		}
	}
	ir.AddEdge(rest, n.out)
	was := slices.Index(n.out.Preds, h)
	for _, p := range n.out.Phis {
		p.Args = append(p.Args, p.Args[was])
	}
	last.Succs = []*ir.Block{h}
	h.Preds[1-n.from] = last
	for i, p := range h.Phis {
		p.Args[1-n.from] = now[i]
	}
}

// block returns a new block with the position of the loop's test.
func (c *context) block(n *counted) *ir.Block {
	b := c.f.NewBlock()
	b.Pos = n.h.Pos
	return b
}

// phis gives b a phi for each value of list, without operands yet.
func (c *context) phis(b *ir.Block, list []*ir.Value) []*ir.Value {
	for _, v := range list {
		b.Phis = append(b.Phis, c.value(b, ir.OpPhi, v.K, v.Pos))
	}
	return slices.Clone(b.Phis)
}

// repeat appends copies of the body for the given number of rounds to b, with
// now as the values of the header's phis. It returns the values of the phis
// afterwards, followed by those of left.
func (c *context) repeat(n *counted, b *ir.Block, now, left []*ir.Value, rounds int) []*ir.Value {
	m := &copied{}
	for range rounds {
		m.values = map[*ir.Value]*ir.Value{}
		for i, p := range n.h.Phis {
			m.values[p] = now[i]
		}
		ins := c.cloneAll(m, b, n.h.Ins)
		for _, v := range ins {
			for i, a := range v.Args {
				v.Args[i] = m.value(a)
			}
			if v.Guard != nil {
				v.Guard = m.value(v.Guard)
			}
		}
		b.Ins = append(b.Ins, ins...)
		now = make([]*ir.Value, len(n.h.Phis), len(n.h.Phis)+len(left))
		for i, p := range n.h.Phis {
			now[i] = m.value(p.Args[n.from])
		}
	}
	for _, v := range left {
		now = append(now, m.value(v))
	}
	return now
}

// nexts returns for each phi of the header the value that the loop brings to
// it; nil if an earlier phi gets the same value.
func (c *context) nexts(n *counted) []*ir.Value {
	list := make([]*ir.Value, len(n.h.Phis))
	for i, p := range n.h.Phis {
		if v := p.Args[n.from]; v.Block == n.h && !slices.Contains(list, v) {
			list[i] = v
		}
	}
	return list
}

// escaping returns the values that the loop computes and that are used after
// it, except those that phis of the header take.
func (c *context) escaping(n *counted, r *readers) []*ir.Value {
	var left []*ir.Value
	next := c.nexts(n)
	for _, list := range [][]*ir.Value{n.h.Phis, n.h.Ins} {
		for _, v := range list {
			if r.leaves(v, n.h) && !slices.Contains(next, v) {
				left = append(left, v)
			}
		}
	}
	return left
}
