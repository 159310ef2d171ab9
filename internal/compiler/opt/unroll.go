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
	// sumsUnrolled is how many times as many there may be in a loop over the sums of a warpgroup.
	sumsUnrolled = 16
	// maxNestUnrolled limits how many loops are unrolled that are nested or
	// follow each other, each starting with the final values of the one before.
	maxNestUnrolled = 16
)

// unroll fully unrolls loops with a small constant trip count, such as the five
// steps of a warp reduction. It takes only loops whose single exit is at the
// bottom: threads that execute the loop together then stay together, also at
// collectives.
func unroll(c *context) {
	c.f.Dominate()
	for _, loop := range c.f.Loops() {
		// Behind a branch a loop begins where its ways meet. Others than those over sums may stay loops.
		if countsSums(loop) {
			c.joinEntries(loop)
		}
	}
	c.resolve() // where all entries bring the same
	for range maxNestUnrolled {
		again := false
		c.f.Dominate()
		grown := map[*ir.Loop]bool{} // their Blocks are no longer complete
		for _, loop := range c.f.Loops() {
			if grown[loop] {
				continue
			}
			if count := c.rounds(loop); count > 0 {
				c.unrollLoop(loop, count)
				again = true
				for outer := loop.Outer; outer != nil && !grown[outer]; outer = outer.Outer {
					grown[outer] = true
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

// rounds returns the trip count of loop if it is constant, small and worth
// unrolling; else 0.
func (c *context) rounds(loop *ir.Loop) int {
	header := loop.Header
	if header.Rolled || len(loop.Latches) != 1 || len(header.Preds) != 2 || loop.Latches[0].Cond == nil {
		return 0
	}
	latch := loop.Latches[0]
	for _, block := range loop.Blocks {
		// The latch must be the only block that leaves the loop or jumps back.
		for _, succ := range block.Succs {
			if !loop.Has(succ) && block != latch || succ == header && block != latch {
				return 0
			}
		}
	}
	if loop.Has(latch.Succs[0]) == loop.Has(latch.Succs[1]) {
		return 0
	}
	back := slices.Index(latch.Succs, header)
	from := slices.Index(header.Preds, latch)
	val := map[*ir.Value]uint64{}
	for _, phi := range header.Phis {
		if first := phi.Args[1-from]; first.Op == ir.OpConst {
			val[phi] = first.Bits()
		}
	}
	all := 0
	for _, b := range loop.Blocks {
		if all += len(b.Ins) + 1; all > maxCopied {
			return 0
		}
	}
	size, most := remaining(loop, val), 1
	if countsSums(loop) {
		most = sumsUnrolled
	}
	for round := 1; round <= maxRoundsUnrolled && round*size <= most*maxUnrolled && round*all <= most*maxCopied; round++ {
		// The trip count is found by running the counter: this needs no pattern
		// of how it is written.
		now := map[*ir.Value]uint64{}
		for _, phi := range header.Phis {
			if bits, ok := val[phi]; ok {
				now[phi] = bits
			}
		}
		cond, ok := evaluate(latch.Cond, now, 8)
		if !ok {
			return 0
		}
		if (cond != 0) != (back == 0) {
			return round
		}
		// All phis take their next values at once: none may see the new value
		// of another.
		next := map[*ir.Value]uint64{}
		for _, phi := range header.Phis {
			if bits, ok := evaluate(phi.Args[from], now, 8); ok {
				next[phi] = bits
			}
		}
		val = next
	}
	return 0
}

// countsSums reports whether which of the sums of a warpgroup a loop reads or sets changes: they are registers, so that it has to be unrolled.
func countsSums(loop *ir.Loop) bool {
	for _, block := range loop.Blocks {
		for _, v := range block.Ins {
			if v.Op.Action() == ir.ActSums && v.Args[0].Op != ir.OpConst {
				return true
			}
		}
	}
	return false
}

// remaining returns how many instructions and branches of an iteration of loop do
// not become constants if the values in known are known; at least 1.
func remaining(loop *ir.Loop, known map[*ir.Value]uint64) int {
	count := 0
	for _, block := range loop.Blocks {
		// evaluate adds what it finds, which holds for this iteration only.
		now := maps.Clone(known)
		for _, v := range block.Ins {
			if _, ok := evaluate(v, now, 8); !ok {
				count++
			}
		}
		if block.Cond != nil {
			if _, ok := evaluate(block.Cond, now, 8); !ok {
				count++
			}
		}
	}
	return max(count, 1)
}

// evaluate computes the value from known values, looking at most depth levels of
// operands deep.
func evaluate(value *ir.Value, known map[*ir.Value]uint64, depth int) (uint64, bool) {
	if value.Op == ir.OpConst {
		return value.Bits(), true
	}
	if bits, ok := known[value]; ok {
		return bits, true
	}
	if depth == 0 || !value.Op.Pure() || !folds(value) {
		return 0, false
	}
	var x [3]uint64
	for i, arg := range value.Args {
		bits, ok := evaluate(arg, known, depth-1)
		if !ok {
			return 0, false
		}
		x[i] = bits
	}
	result, err := ir.Eval(value.Op, value.K, value.ArgK, value.Imm, x[0], x[1], x[2])
	if err != nil {
		return 0, false
	}
	known[value] = result
	return result, true
}

// unrollLoop inserts count-1 copies of the body in front of the loop, which then
// executes the last iteration.
func (c *context) unrollLoop(loop *ir.Loop, count int) {
	header, latch := loop.Header, loop.Latches[0]
	from := slices.Index(header.Preds, latch)
	pre := header.Preds[1-from]
	args := make([]*ir.Value, len(header.Phis)) // values of the phis in this iteration
	for i, phi := range header.Phis {
		args[i] = phi.Args[1-from]
	}
	for range count - 1 {
		clone := c.copyBlocks(loop, args)
		head := clone.blocks[header]
		retarget(pre, header, head)
		head.Preds = []*ir.Block{pre}
		end := clone.blocks[latch]
		// The next copy, or the loop itself, follows without a test.
		end.Succs, end.Cond = []*ir.Block{header}, nil
		for i, phi := range header.Phis {
			args[i] = clone.value(phi.Args[from])
		}
		pre = end
	}
	header.Preds[1-from] = pre
	for i, phi := range header.Phis {
		phi.Args[1-from] = args[i]
	}
	// The original body is the last iteration, so that values used after the
	// loop need no new definition.
	out := latch.Succs[1-slices.Index(latch.Succs, header)]
	latch.Succs, latch.Cond = []*ir.Block{out}, nil
	header.RemovePred(latch)
}

// copied maps the blocks and values of a loop to their copies.
type copied struct {
	blocks map[*ir.Block]*ir.Block
	values map[*ir.Value]*ir.Value
}

func (m *copied) value(value *ir.Value) *ir.Value {
	if w := m.values[value]; w != nil {
		return w
	}
	return value
}

// copyBlocks clones the body of loop and replaces the phis of the header by args.
// The caller connects the header and the latch of the copy to other blocks.
func (c *context) copyBlocks(loop *ir.Loop, args []*ir.Value) *copied {
	dup := &copied{map[*ir.Block]*ir.Block{}, map[*ir.Value]*ir.Value{}}
	for i, phi := range loop.Header.Phis {
		dup.values[phi] = args[i]
	}
	// Two walks: an operand or a successor may be a copy that does not exist
	// yet in the first.
	for _, block := range loop.Blocks {
		nb := c.f.NewBlock()
		nb.Pos, nb.Likely, nb.Depth = block.Pos, block.Likely, block.Depth
		dup.blocks[block] = nb
		if block != loop.Header {
			nb.Phis = c.cloneAll(dup, nb, block.Phis)
		}
		nb.Ins = c.cloneAll(dup, nb, block.Ins)
	}
	for _, block := range loop.Blocks {
		nb := dup.blocks[block]
		for _, list := range [][]*ir.Value{nb.Phis, nb.Ins} {
			for _, value := range list {
				for i, arg := range value.Args {
					value.Args[i] = dup.value(arg)
				}
				if value.Guard != nil {
					value.Guard = dup.value(value.Guard)
				}
			}
		}
		if block.Cond != nil {
			nb.Cond = dup.value(block.Cond)
		}
		if block != loop.Latches[0] {
			for _, succ := range block.Succs {
				nb.Succs = append(nb.Succs, dup.blocks[succ])
			}
		}
		if block != loop.Header {
			for _, pred := range block.Preds {
				nb.Preds = append(nb.Preds, dup.blocks[pred])
			}
		}
	}
	return dup
}

func (c *context) cloneAll(dup *copied, block *ir.Block, list []*ir.Value) []*ir.Value {
	out := make([]*ir.Value, len(list))
	for i, v := range list {
		made := c.value(block, v.Op, v.K, v.Pos, slices.Clone(v.Args)...)
		made.ArgK, made.Imm, made.Mem, made.Guard, made.GuardNot = v.ArgK, v.Imm, v.Mem, v.Guard, v.GuardNot
		dup.values[v] = made
		out[i] = made
	}
	return out
}
