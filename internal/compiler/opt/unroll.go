package opt

import (
	"maps"
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// maxRoundsUnrolled and maxUnrolled limit full unrolling: the iterations of a
// loop, and the instructions of all iterations without those that become
// constants. NVIDIA's assembler goes further, up to about two thousand
// instructions.
const (
	maxRoundsUnrolled = 128
	maxUnrolled       = 256
	// maxCopied limits the copies, including instructions that become
	// constants.
	maxCopied = 16 * maxUnrolled
	// maxNestUnrolled limits how many loops are unrolled that are nested or
	// follow each other, each starting with the final values of the one before.
	maxNestUnrolled = 16
)

// unroll fully unrolls loops with a small constant trip count, such as the five
// steps of a warp reduction. It takes only loops whose single exit is at the
// bottom: threads that execute the loop together then stay together, also at
// collectives.
func unroll(c *context) {
	for range maxNestUnrolled {
		again := false
		c.f.Dominate()
		grown := map[*ir.Loop]bool{} // their Blocks are no longer complete
		for _, l := range c.f.Loops() {
			if grown[l] {
				continue
			}
			if n := c.rounds(l); n > 0 {
				c.unrollLoop(l, n)
				again = true
				for o := l.Outer; o != nil && !grown[o]; o = o.Outer {
					grown[o] = true
				}
			}
		}
		if !again {
			break
		}
		c.f.Dominate()
		c.resolve()
	}
	c.resolve()
}

// rounds returns the trip count of l if it is constant, small and worth
// unrolling; else 0.
func (c *context) rounds(l *ir.Loop) int {
	h := l.Header
	if len(l.Latches) != 1 || len(h.Preds) != 2 || l.Latches[0].Cond == nil {
		return 0
	}
	latch := l.Latches[0]
	for _, b := range l.Blocks {
		for _, s := range b.Succs {
			if !l.Has(s) && b != latch || s == h && b != latch {
				return 0
			}
		}
	}
	if l.Has(latch.Succs[0]) == l.Has(latch.Succs[1]) {
		return 0
	}
	back := slices.Index(latch.Succs, h)
	from := slices.Index(h.Preds, latch)
	val := map[*ir.Value]uint64{}
	for _, p := range h.Phis {
		if a := p.Args[1-from]; a.Op == ir.OpConst {
			val[p] = a.Bits()
		}
	}
	all := 0
	for _, b := range l.Blocks {
		if all += len(b.Ins) + 1; all > maxCopied {
			return 0
		}
	}
	size := remaining(l, val)
	for n := 1; n <= maxRoundsUnrolled && n*size <= maxUnrolled && n*all <= maxCopied; n++ {
		now := map[*ir.Value]uint64{}
		for _, p := range h.Phis {
			if bits, ok := val[p]; ok {
				now[p] = bits
			}
		}
		cond, ok := evaluate(latch.Cond, now, 8)
		if !ok {
			return 0
		}
		if (cond != 0) != (back == 0) {
			return n
		}
		next := map[*ir.Value]uint64{}
		for _, p := range h.Phis {
			if bits, ok := evaluate(p.Args[from], now, 8); ok {
				next[p] = bits
			}
		}
		val = next
	}
	return 0
}

// remaining returns how many instructions and branches of an iteration of l do
// not become constants if the values in known are known; at least 1.
func remaining(l *ir.Loop, known map[*ir.Value]uint64) int {
	n := 0
	for _, b := range l.Blocks {
		now := maps.Clone(known)
		for _, v := range b.Ins {
			if _, ok := evaluate(v, now, 8); !ok {
				n++
			}
		}
		if b.Cond != nil {
			if _, ok := evaluate(b.Cond, now, 8); !ok {
				n++
			}
		}
	}
	return max(n, 1)
}

// evaluate computes v from known values, looking at most depth levels of
// operands deep.
func evaluate(v *ir.Value, known map[*ir.Value]uint64, depth int) (uint64, bool) {
	if v.Op == ir.OpConst {
		return v.Bits(), true
	}
	if bits, ok := known[v]; ok {
		return bits, true
	}
	if depth == 0 || !v.Op.Pure() || !folds(v) {
		return 0, false
	}
	var x [3]uint64
	for i, a := range v.Args {
		bits, ok := evaluate(a, known, depth-1)
		if !ok {
			return 0, false
		}
		x[i] = bits
	}
	r, err := ir.Eval(v.Op, v.K, v.ArgK, v.Imm, x[0], x[1], x[2])
	if err != nil {
		return 0, false
	}
	known[v] = r
	return r, true
}

// unrollLoop inserts n-1 copies of the body in front of the loop, which then
// executes the last iteration.
func (c *context) unrollLoop(l *ir.Loop, n int) {
	h, latch := l.Header, l.Latches[0]
	from := slices.Index(h.Preds, latch)
	pre := h.Preds[1-from]
	args := make([]*ir.Value, len(h.Phis)) // values of the phis in this iteration
	for i, p := range h.Phis {
		args[i] = p.Args[1-from]
	}
	for range n - 1 {
		clone := c.copyBlocks(l, args)
		head := clone.blocks[h]
		retarget(pre, h, head)
		head.Preds = []*ir.Block{pre}
		end := clone.blocks[latch]
		end.Succs, end.Cond = []*ir.Block{h}, nil
		for i, p := range h.Phis {
			args[i] = clone.value(p.Args[from])
		}
		pre = end
	}
	h.Preds[1-from] = pre
	for i, p := range h.Phis {
		p.Args[1-from] = args[i]
	}
	out := latch.Succs[1-slices.Index(latch.Succs, h)]
	latch.Succs, latch.Cond = []*ir.Block{out}, nil
	h.RemovePred(latch)
}

// copied maps the blocks and values of a loop to their copies.
type copied struct {
	blocks map[*ir.Block]*ir.Block
	values map[*ir.Value]*ir.Value
}

func (m *copied) value(v *ir.Value) *ir.Value {
	if w := m.values[v]; w != nil {
		return w
	}
	return v
}

// copyBlocks clones the body of l and replaces the phis of the header by args.
// The caller connects the header and the latch of the copy to other blocks.
func (c *context) copyBlocks(l *ir.Loop, args []*ir.Value) *copied {
	m := &copied{map[*ir.Block]*ir.Block{}, map[*ir.Value]*ir.Value{}}
	for i, p := range l.Header.Phis {
		m.values[p] = args[i]
	}
	for _, b := range l.Blocks {
		nb := c.f.NewBlock()
		nb.Pos, nb.Likely, nb.Depth = b.Pos, b.Likely, b.Depth
		m.blocks[b] = nb
		if b != l.Header {
			nb.Phis = c.cloneAll(m, nb, b.Phis)
		}
		nb.Ins = c.cloneAll(m, nb, b.Ins)
	}
	for _, b := range l.Blocks {
		nb := m.blocks[b]
		for _, list := range [][]*ir.Value{nb.Phis, nb.Ins} {
			for _, v := range list {
				for i, a := range v.Args {
					v.Args[i] = m.value(a)
				}
				if v.Guard != nil {
					v.Guard = m.value(v.Guard)
				}
			}
		}
		if b.Cond != nil {
			nb.Cond = m.value(b.Cond)
		}
		if b != l.Latches[0] {
			for _, s := range b.Succs {
				nb.Succs = append(nb.Succs, m.blocks[s])
			}
		}
		if b != l.Header {
			for _, p := range b.Preds {
				nb.Preds = append(nb.Preds, m.blocks[p])
			}
		}
	}
	return m
}

func (c *context) cloneAll(m *copied, b *ir.Block, list []*ir.Value) []*ir.Value {
	out := make([]*ir.Value, len(list))
	for i, v := range list {
		n := c.value(b, v.Op, v.K, v.Pos, slices.Clone(v.Args)...)
		n.ArgK, n.Imm, n.Mem, n.Guard, n.GuardNot = v.ArgK, v.Imm, v.Mem, v.Guard, v.GuardNot
		m.values[v] = n
		out[i] = n
	}
	return out
}
