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
	var users *readers
	for _, loop := range c.f.Loops() {
		if shape := c.count(loop); shape != nil {
			if users == nil {
				users = newReaders(c.f)
			}
			c.unrollCount(shape, users)
		}
	}
	if users != nil {
		c.f.Dominate()
	}
	c.resolve()
}

// stays emits at the end of the block a test that i and the next rounds steps from i
// have not reached the bound, and returns its result.
func (c *context) stays(block *ir.Block, shape *counted, i *ir.Value, rounds int64) *ir.Value {
	emit := func(op ir.Op, k ir.Kind, x, y *ir.Value) *ir.Value {
		value := c.value(block, op, k, shape.h.Pos, x, y)
		if k == ir.Pred {
			value.ArgK = shape.k
		}
		block.Ins = append(block.Ins, value)
		return value
	}
	number := func(x int64) *ir.Value { return c.constant(shape.k, uint64(x)) }
	if rounds == 0 {
		return emit(shape.op, ir.Pred, i, shape.bound)
	}
	lowest, highest := limits(shape.k)
	switch shape.op {
	case ir.OpNe: // the distance, which wraps around as the counter does
		near, far := i, shape.bound
		if shape.step < 0 {
			near, far = far, near
		}
		v := emit(ir.OpGt, ir.Pred, emit(ir.OpSub, shape.k, far, near), number(rounds))
		v.ArgK = unsigned(shape.k)
		return v
	case ir.OpLt, ir.OpLe:
		// i + room < bound is tested as i < bound - room, since i + room could
		// wrap around. max keeps bound - room from doing so: then no i is below
		// it.
		room := rounds * shape.step
		if shape.op == ir.OpLe {
			room--
		}
		limit := emit(ir.OpSub, shape.k, emit(ir.OpMax, shape.k, shape.bound, number(lowest+room)), number(room))
		return emit(ir.OpLt, ir.Pred, i, limit)
	default:
		room := -rounds * shape.step
		if shape.op == ir.OpGe {
			room--
		}
		limit := emit(ir.OpAdd, shape.k, emit(ir.OpMin, shape.k, shape.bound, number(highest-room)), number(room))
		return emit(ir.OpGt, ir.Pred, i, limit)
	}
}

// unrollCount unrolls one loop.
func (c *context) unrollCount(shape *counted, users *readers) {
	header := shape.h
	left := c.escaping(shape, users)
	// The new blocks are those from here on; their readers are recorded at the
	// end.
	old := len(c.f.Blocks)
	start := make([]*ir.Value, len(header.Phis)+len(left)) // the values at entry of the phis of the header; then nil for each value used after the loop
	for i, phi := range header.Phis {
		start[i] = phi.Args[1-shape.from]
	}
	for i, v := range left {
		start[len(header.Phis)+i] = c.constant(v.K, 0)
	}
	main, two, pair := c.block(shape), c.block(shape), c.block(shape) // four iterations; the test for two more; these two
	rest, last := c.block(shape), c.block(shape)                      // the test for the loop; the entry to it

	test := shape.pre
	if len(shape.pre.Succs) > 1 {
		test = c.block(shape)
		retarget(shape.pre, header, test)
		test.Preds, test.Idom = []*ir.Block{shape.pre}, shape.pre
	}
	test.Succs, test.Cond = nil, nil
	kinds := append(slices.Clone(header.Phis), left...)
	// The loop executes its first iteration without a test, so the iteration
	// must not move behind one: threads that would fail the test enter the loop
	// directly.
	if !c.guarded(shape, test) { // a loop that executes its first iteration without a test
		first := c.block(shape)
		test.Cond = c.stays(test, shape, start[shape.at], 0)
		ir.AddEdge(test, first)
		ir.AddEdge(test, last)
		test = first
	}
	test.Cond = c.stays(test, shape, start[shape.at], together-1)
	ir.AddEdge(test, main)
	ir.AddEdge(test, two)

	ir.AddEdge(main, main)
	ir.AddEdge(main, two)
	now := c.phis(main, header.Phis)
	after := c.repeat(shape, main, now, left, together)
	main.Cond = c.stays(main, shape, after[shape.at], together-1)
	for i, phi := range main.Phis {
		phi.Args = []*ir.Value{start[i], after[i]}
	}

	joined := c.phis(two, kinds)
	for i, phi := range two.Phis {
		phi.Args = []*ir.Value{start[i], after[i]}
	}
	two.Cond = c.stays(two, shape, joined[shape.at], 1)
	ir.AddEdge(two, pair)
	ir.AddEdge(two, rest)
	after = c.repeat(shape, pair, joined[:len(header.Phis)], left, 2)
	ir.AddEdge(pair, rest)

	ends := c.phis(rest, kinds)
	for i, phi := range rest.Phis {
		phi.Args = []*ir.Value{joined[i], after[i]}
	}
	rest.Cond = c.stays(rest, shape, ends[shape.at], 0)
	ir.AddEdge(rest, last)
	c.connect(shape, rest, last, start, ends)

	for _, block := range c.f.Blocks[old:] {
		for _, list := range [][]*ir.Value{block.Phis, block.Ins} {
			for _, v := range list {
				users.reads(v)
			}
		}
		users.branches(block)
	}
	for _, phi := range slices.Concat(header.Phis, shape.out.Phis) {
		users.reads(phi)
	}
	for i, value := range append(c.nexts(shape), left...) {
		if value == nil {
			continue
		}
		defs := newDefs(c, users)
		defs.set(header, value)
		defs.set(rest, ends[i])
		defs.rewriteUses(value)
	}
}

// connect makes last the entry of the loop, reached from rest and, if the loop
// may be entered untested, from the untested entry; and makes rest an exit of
// the loop.
func (c *context) connect(shape *counted, rest, last *ir.Block, start, ends []*ir.Value) {
	header := shape.h
	now := ends
	if len(last.Preds) > 1 {
		now = c.phis(last, header.Phis)
		for i, phi := range last.Phis {
			phi.Args = []*ir.Value{start[i], ends[i]}
		}
	}
	ir.AddEdge(rest, shape.out)
	// The loop is left from a second place now, whose values replace these in
	// unrollCount.
	was := slices.Index(shape.out.Preds, header)
	for _, phi := range shape.out.Phis {
		phi.Args = append(phi.Args, phi.Args[was])
	}
	last.Succs = []*ir.Block{header}
	header.Preds[1-shape.from] = last
	for i, phi := range header.Phis {
		phi.Args[1-shape.from] = now[i]
	}
}

// block returns a new block with the position of the loop's test.
func (c *context) block(shape *counted) *ir.Block {
	b := c.f.NewBlock()
	b.Pos = shape.h.Pos
	return b
}

// phis gives the block a phi for each value of list, without operands yet.
func (c *context) phis(block *ir.Block, list []*ir.Value) []*ir.Value {
	for _, v := range list {
		block.Phis = append(block.Phis, c.value(block, ir.OpPhi, v.K, v.Pos))
	}
	return slices.Clone(block.Phis)
}

// repeat appends copies of the body for the given number of rounds to the block, with
// now as the values of the header's phis. It returns the values of the phis
// afterwards, followed by those of left.
func (c *context) repeat(shape *counted, block *ir.Block, now, left []*ir.Value, rounds int) []*ir.Value {
	dup := &copied{}
	for range rounds {
		dup.values = map[*ir.Value]*ir.Value{}
		for i, phi := range shape.h.Phis {
			dup.values[phi] = now[i]
		}
		ins := c.cloneAll(dup, block, shape.h.Ins)
		for _, value := range ins {
			for i, arg := range value.Args {
				value.Args[i] = dup.value(arg)
			}
			if value.Guard != nil {
				value.Guard = dup.value(value.Guard)
			}
		}
		block.Ins = append(block.Ins, ins...)
		now = make([]*ir.Value, len(shape.h.Phis), len(shape.h.Phis)+len(left))
		for i, phi := range shape.h.Phis {
			now[i] = dup.value(phi.Args[shape.from])
		}
	}
	for _, v := range left {
		now = append(now, dup.value(v))
	}
	return now
}

// nexts returns for each phi of the header the value that the loop brings to
// it; nil if an earlier phi gets the same value.
func (c *context) nexts(shape *counted) []*ir.Value {
	list := make([]*ir.Value, len(shape.h.Phis))
	for i, phi := range shape.h.Phis {
		if v := phi.Args[shape.from]; v.Block == shape.h && !slices.Contains(list, v) {
			list[i] = v
		}
	}
	return list
}

// escaping returns the values that the loop computes and that are used after
// it, except those that phis of the header take.
func (c *context) escaping(shape *counted, users *readers) []*ir.Value {
	var left []*ir.Value
	next := c.nexts(shape)
	for _, list := range [][]*ir.Value{shape.h.Phis, shape.h.Ins} {
		for _, v := range list {
			if users.leaves(v, shape.h) && !slices.Contains(next, v) {
				left = append(left, v)
			}
		}
	}
	return left
}
