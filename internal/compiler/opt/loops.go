package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// preheader returns a block in front of the loop that jumps only to its header,
// and makes one if there is none. It returns nil if the loop is entered from
// several blocks that phis distinguish. If made is true, the caller must run
// Analyze.
func (c *context) preheader(loop *ir.Loop) (pre *ir.Block, made bool) {
	entry := loop.Entry()
	if entry == nil {
		return nil, false
	}
	// The entry already jumps only to the header.
	if len(entry.Succs) == 1 {
		return entry, false
	}
	header := loop.Header
	pre = c.f.NewBlock()
	// Callers go on with loops that were found before this block was made.
	loop.PutBefore(pre)
	pre.Succs, pre.Preds, pre.Pos = []*ir.Block{header}, []*ir.Block{entry}, entry.Pos
	retarget(entry, header, pre)
	for i, pred := range header.Preds {
		if pred == entry {
			header.Preds[i] = pre
		}
	}
	return pre, true
}

// joinEntries makes a block in front of a loop that several others enter, with phis for what these bring.
func (c *context) joinEntries(loop *ir.Loop) {
	header := loop.Header
	var entries, back []int // indices of predecessors outside and inside
	for i, pred := range header.Preds {
		if loop.Has(pred) {
			back = append(back, i)
		} else {
			entries = append(entries, i)
		}
	}
	if len(entries) < 2 {
		return
	}
	pick := func(of []*ir.Value, which []int) (list []*ir.Value) {
		for _, i := range which {
			list = append(list, of[i])
		}
		return list
	}
	pre := c.f.NewBlock()
	pre.Succs, pre.Pos = []*ir.Block{header}, header.Pos
	for _, phi := range header.Phis {
		joined := c.value(pre, ir.OpPhi, phi.K, phi.Pos, pick(phi.Args, entries)...)
		pre.Phis = append(pre.Phis, joined)
		phi.Args = append(pick(phi.Args, back), joined)
	}
	preds := header.Preds
	header.Preds = nil
	for _, i := range back {
		header.Preds = append(header.Preds, preds[i])
	}
	header.Preds = append(header.Preds, pre)
	for _, i := range entries {
		pre.Preds = append(pre.Preds, preds[i])
		retarget(preds[i], header, pre)
	}
}

// licm hoists loop-invariant pure instructions out of loops, inner loops first.
// Divisions may fault and stay. Loads from unchanging memory are hoisted too if
// every execution of the loop executes them.
func licm(c *context) {
	c.f.Dominate()
	made := false
	for _, loop := range c.f.Loops() {
		if _, inserted := c.preheader(loop); inserted {
			made = true
		}
	}
	if made {
		c.f.Dominate()
	}
	for _, loop := range c.f.Loops() {
		if entry := loop.Entry(); entry != nil && len(entry.Succs) == 1 {
			c.hoist(loop, entry)
		}
	}
}

func (c *context) hoist(loop *ir.Loop, pre *ir.Block) {
	inside := func(arg *ir.Value) bool { return arg.Block != nil && loop.Has(arg.Block) }
	for _, block := range loop.Blocks {
		keep := block.Ins[:0]
		for _, value := range block.Ins {
			load := c.holds(value)
			// A pure instruction may execute where it would not have been, so
			// it moves from any block; a load may fault, so it moves only from
			// where each execution of the loop comes by. Hoisted instructions
			// leave the loop at once, so that those that depend on them follow
			// in the same walk.
			if !value.Op.Pure() && !load || slices.ContainsFunc(value.Args, inside) || load && !inFirstRound(loop, block) {
				keep = append(keep, value)
				continue
			}
			if load {
				c.saved++
			}
			value.Block = pre
			pre.Ins = append(pre.Ins, value)
		}
		clear(block.Ins[len(keep):])
		block.Ins = keep
	}
}

// maxRotated is the maximum number of instructions of a loop header that
// rotation duplicates.
const maxRotated = 16

// rotate copies the test in the header of a loop in front of the loop and uses
// the original as the test after the body: one branch per iteration. The copy
// guards the loop and is often decided by constants. Headers with collectives
// stay, since lanes that execute a collective together must continue to do so.
func rotate(c *context) {
	done := map[*ir.Block]bool{}
	for again := true; again; {
		again = false
		c.f.Dominate()
		var users *readers
		for _, loop := range c.f.Loops() {
			header := loop.Header
			if done[header] || !rotatable(loop) {
				continue
			}
			// A rotated loop is found again; without this mark it could be
			// tried for ever.
			done[header] = true
			if pre, _ := c.preheader(loop); pre != nil {
				if users == nil {
					users = newReaders(c.f)
				}
				c.rotateLoop(header, pre, users)
				again = true
			}
		}
		c.resolve()
	}
	simplifyCFG(c)
}

func rotatable(loop *ir.Loop) bool {
	header := loop.Header
	if header.Cond == nil || loop.Has(header.Succs[0]) == loop.Has(header.Succs[1]) || len(header.Ins) > maxRotated {
		return false
	}
	for _, latch := range loop.Latches {
		if latch == header || slices.ContainsFunc(latch.Succs, func(succ *ir.Block) bool { return !loop.Has(succ) }) {
			return false // there is already a test at the bottom
		}
	}
	for _, v := range header.Ins {
		if v.Op.Collective() || v.Op == ir.OpTrap {
			return false
		}
	}
	return true
}

// rotateLoop clones the header of a loop at the end of pre, which then enters the body
// or leaves the loop; header is reached only from the latches.
func (c *context) rotateLoop(header, pre *ir.Block, users *readers) {
	at := slices.Index(header.Preds, pre)
	clone := map[*ir.Value]*ir.Value{}
	mapped := func(value *ir.Value) *ir.Value {
		if made := clone[value]; made != nil {
			return made
		}
		return value
	}
	for _, headerPhi := range header.Phis {
		// On entry a phi of the header has the value that comes from pre.
		clone[headerPhi] = headerPhi.Args[at]
	}
	for _, value := range header.Ins {
		dup := c.value(pre, value.Op, value.K, value.Pos)
		dup.ArgK, dup.Imm, dup.Mem, dup.GuardNot = value.ArgK, value.Imm, value.Mem, value.GuardNot
		dup.Args = make([]*ir.Value, len(value.Args))
		for i, arg := range value.Args {
			dup.Args[i] = mapped(arg)
		}
		if value.Guard != nil {
			dup.Guard = mapped(value.Guard)
		}
		pre.Ins = append(pre.Ins, dup)
		users.reads(dup)
		clone[value] = dup
	}
	// After the clones: RemovePred deletes the operands that they started from.
	header.RemovePred(pre)
	pre.Succs = nil
	pre.Cond, pre.Pos, pre.Likely = mapped(header.Cond), header.Pos, header.Likely
	users.branches(pre)
	for _, succ := range header.Succs {
		from := slices.Index(succ.Preds, header)
		ir.AddEdge(pre, succ)
		for _, phi := range succ.Phis {
			phi.Args = append(phi.Args, mapped(phi.Args[from]))
			users.add(phi.Args[len(phi.Args)-1], user{phi, succ})
		}
	}
	// Values of the header now have two definitions, the copy in front of the
	// loop and the original. Uses behind the loop are reached by either.
	defined := append(append([]*ir.Value(nil), header.Phis...), header.Ins...)
	for _, value := range defined {
		if value.K != ir.Void && users.outside(value, header) {
			defs := newDefs(c, users)
			defs.set(header, value)
			defs.set(pre, clone[value])
			defs.rewriteUses(value)
		}
	}
}
