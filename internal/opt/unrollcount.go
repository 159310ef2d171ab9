package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/ir"
)

// Limits of unrollCounted.
const (
	// together is how many rounds of a counted loop run between two tests of its
	// counter.
	together = 4
	// maxBody is how many instructions, counting and testing aside, a loop may
	// have to be unrolled.
	maxBody = 24
	// maxStep bounds the step of a counter, so that a few of them stay far from
	// the range of its kind.
	maxStep = 1 << 20
)

// counted is a loop of one block that goes round while its counter i, after
// the step, is on the near side of a bound that does not change in the loop.
type counted struct {
	h, pre, out *ir.Block
	from        int       // index of the back edge in h.Preds
	i           *ir.Value // the phi in h that counts
	at          int       // its index in h.Phis
	step        int64
	op          ir.Op // i+step op bound: go on
	k           ir.Kind
	bound       *ir.Value
}

// unrollCounted lets four rounds of a short counted loop run between two tests,
// so that their loads are on the way together. What remains takes two rounds at
// once where it can and goes on in the loop as it was:
//
//	if three more steps stay in front of the bound {
//		do { four rounds } while three more steps stay in front of the bound
//	}
//	if one more step stays in front of the bound { two rounds }
//	if the counter is in front of the bound { the loop }
//
// Lanes that take different ways meet in front of each of the three. "Stay"
// means that no step wraps around, so that the rounds which the loop makes of a
// counter that does wrap around are those of the loop as it was.
func unrollCounted(c *context) {
	done := map[*ir.Block]bool{}
	for again := true; again; {
		again = false
		c.f.Analyze()
		for _, l := range c.f.Loops() {
			if done[l.Header] {
				continue
			}
			done[l.Header] = true
			if n := c.count(l); n != nil {
				done[c.unrollCount(n)] = true
				again = true
				break
			}
		}
	}
	c.resolve()
}

// count describes l if it is a loop to unroll, else it is nil.
func (c *context) count(l *ir.Loop) *counted {
	h := l.Header
	if len(l.Blocks) != 1 || len(h.Preds) != 2 || h.Cond == nil || !h.Cond.Op.IsCompare() || h.Succs[0] == h.Succs[1] {
		return nil
	}
	n := &counted{h: h, pre: l.Entry(), from: slices.Index(h.Preds, h), op: h.Cond.Op, k: h.Cond.ArgK, out: h.Succs[0]}
	if !n.k.Int() || n.pre == nil {
		return nil
	}
	if n.out == h {
		n.out = h.Succs[1]
	} else {
		n.op = inverse[n.op]
	}
	size := 0
	for _, v := range h.Ins {
		info := &ir.Ops[v.Op]
		if info.Collect || fixed(v) || info.Memory && v.Mem.Order > ir.Relaxed {
			return nil
		}
		size++
	}
	if size-2 > maxBody {
		return nil
	}
	x, y := h.Cond.Args[0], h.Cond.Args[1]
	if !n.counter(x, y) {
		n.op = flipped[n.op]
		if !n.counter(y, x) {
			return nil
		}
	}
	return n
}

// counter takes next for the counter after its step and bound for its bound.
func (n *counted) counter(next, bound *ir.Value) bool {
	if next.Op != ir.OpAdd || next.Block != n.h || next.Args[1].Op != ir.OpConst || bound.Block == n.h {
		return false
	}
	n.at = slices.Index(n.h.Phis, next.Args[0])
	if n.at < 0 || n.h.Phis[n.at].Args[n.from] != next {
		return false
	}
	n.i, n.bound, n.step = next.Args[0], bound, signedBits(n.k, next.Args[1].Bits())
	switch n.op {
	case ir.OpLt, ir.OpLe:
		return n.step > 0 && n.step <= maxStep
	case ir.OpGt, ir.OpGe:
		return n.step < 0 && n.step >= -maxStep
	case ir.OpNe:
		return n.step == 1 || n.step == -1
	}
	return false
}

// stays is, at the end of b, that rounds steps from i on stay in front of the
// bound, and so does i itself.
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

// limits is the least and the greatest number of an integer kind, as bits.
func limits(k ir.Kind) (lowest, highest int64) {
	switch k {
	case ir.U32:
		return 0, 1<<32 - 1
	case ir.S32:
		return -1 << 31, 1<<31 - 1
	case ir.S64:
		return -1 << 63, 1<<63 - 1
	}
	return 0, -1
}

// unrollCount does it, and gives the head of the loop of four rounds.
func (c *context) unrollCount(n *counted) *ir.Block {
	h := n.h
	left := c.escaping(n)
	start := make([]*ir.Value, len(h.Phis)+len(left)) // phis of h at entry, then nothing yet of what is used behind it
	for i, p := range h.Phis {
		start[i] = p.Args[1-n.from]
	}
	for i, v := range left {
		start[len(h.Phis)+i] = c.constant(v.K, 0)
	}
	main, two, rest := c.block(n), c.block(n), c.block(n) // four rounds; in front of two; in front of the loop
	pair, last := c.block(n), c.block(n)                  // two rounds; what enters the loop

	test := n.pre
	if len(n.pre.Succs) > 1 {
		test = c.block(n)
		retarget(n.pre, h, test)
		test.Preds = []*ir.Block{n.pre}
	}
	test.Succs, test.Cond = nil, nil
	kinds := append(slices.Clone(h.Phis), left...)
	if !c.guarded(n, test) { // a loop that makes its first round untested
		first := c.block(n)
		test.Cond = c.stays(test, n, start[n.at], 0)
		ir.AddEdge(test, first)
		ir.AddEdge(test, last)
		test = first
	}
	enter := test
	enter.Cond = c.stays(enter, n, start[n.at], together-1)
	ir.AddEdge(enter, main)
	ir.AddEdge(enter, two)

	ir.AddEdge(main, main)
	ir.AddEdge(main, two)
	now := c.phis(main, kinds[:len(h.Phis)])
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

	c.f.Analyze()
	for i, v := range append(c.nexts(n), left...) {
		if v == nil {
			continue
		}
		d := newDefs(c)
		d.set(h, v)
		d.set(rest, ends[i])
		d.rewriteUses(v)
	}
	c.resolve()
	return main
}

// connect makes last the way into the loop, from rest and, where the loop may
// be entered untested, from what leads there; and rest one from which it is left.
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

// block is a new block with the position of the loop's test.
func (c *context) block(n *counted) *ir.Block {
	b := c.f.NewBlock()
	b.Pos = n.h.Pos
	return b
}

// phis gives b a phi like each of list, without operands yet.
func (c *context) phis(b *ir.Block, list []*ir.Value) []*ir.Value {
	for _, v := range list {
		b.Phis = append(b.Phis, c.value(b, ir.OpPhi, v.K, v.Pos))
	}
	return slices.Clone(b.Phis)
}

// repeat appends rounds copies of the body to b, with the phis of the head as
// in now. It gives what these are afterwards, then what left is.
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

// nexts is, for each phi of the head, the value in the loop that it gets next;
// nil where an earlier phi gets the same.
func (c *context) nexts(n *counted) []*ir.Value {
	list := make([]*ir.Value, len(n.h.Phis))
	for i, p := range n.h.Phis {
		if v := p.Args[n.from]; v.Block == n.h && !slices.Contains(list, v) {
			list[i] = v
		}
	}
	return list
}

// escaping is what the loop computes that is used behind it, without what phis
// of the head get next.
func (c *context) escaping(n *counted) []*ir.Value {
	used := map[*ir.Value]bool{}
	for _, b := range c.f.Blocks {
		if b == n.h {
			continue
		}
		for _, list := range [][]*ir.Value{b.Phis, b.Ins} {
			for _, v := range list {
				for _, a := range v.Args {
					used[a] = true
				}
				used[v.Guard] = true
			}
		}
		used[b.Cond] = true
	}
	var left []*ir.Value
	next := c.nexts(n)
	for _, list := range [][]*ir.Value{n.h.Phis, n.h.Ins} {
		for _, v := range list {
			if used[v] && !slices.Contains(next, v) {
				left = append(left, v)
			}
		}
	}
	return left
}

// guarded reports that b is reached only where the counter starts in front of
// the bound.
func (c *context) guarded(n *counted, b *ir.Block) bool {
	start := n.h.Phis[n.at].Args[1-n.from]
	for ; b != nil; b = b.Idom {
		if len(b.Preds) != 1 {
			continue
		}
		p := b.Preds[0]
		if p.Cond == nil || !p.Cond.Op.IsCompare() || p.Succs[0] == p.Succs[1] {
			continue
		}
		op := p.Cond.Op
		if p.Succs[0] != b {
			op = inverse[op]
		}
		x, y, k := p.Cond.Args[0], p.Cond.Args[1], p.Cond.ArgK
		if c.implied(n, op, k, x, y, start) || c.implied(n, flipped[op], k, y, x, start) {
			return true
		}
	}
	return false
}

// implied reports that x op y says that start is in front of the bound.
func (c *context) implied(n *counted, op ir.Op, k ir.Kind, x, y, start *ir.Value) bool {
	if x == start && y == n.bound && op == n.op && k == n.k {
		return true
	}
	// 0 < n, said of n unsigned or a length that n is the lower half of.
	if start.Op != ir.OpConst || start.Bits() != 0 || n.op != ir.OpLt || x.Op == ir.OpConst || y.Op != ir.OpConst || y.Bits() != 0 {
		return false
	}
	if op != ir.OpGt && (op != ir.OpNe || n.k.Signed()) {
		return false
	}
	if x == n.bound {
		return k == n.k
	}
	return n.k == ir.U32 && n.bound.Op == ir.OpCvt && n.bound.Args[0] == x && x.Op == ir.OpParam && c.f.Leaves[x.Imm].Role == ir.Length
}
