package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/ir"
)

// passUnchanging and those behind it make the read-only build of a kernel that the pipeline
// has been over.
var passUnchanging = pass{"unchanging", "only for the read-only path of a GPU: what buffers hold that the kernel does not write cannot change, so that licm and cse take their loads for arithmetic", unchanging}

var readOnlyPipeline = []pass{passPrepare, passUnchanging, passCSE, passLICM, passCSE, passCFG, passDCE, passSchedule}

// ReadOnlyProgram returns the program of an optimised kernel for a launch in
// which nothing writes the buffers that the kernel only reads
// (ir.Program.ReadOnly): no buffer that it writes overlaps one of them, and
// nobody else writes them meanwhile. Their loads are merged over stores,
// atomics, fences and barriers, and those that every first round of a loop
// executes stand in front of it where their address does not change in it.
//
// It is k.Program itself where that gains nothing, takes registers that leave
// room for fewer warps, or the kernel reads a clock: it may time its loads.
func ReadOnlyProgram(k *ir.Kernel) *ir.Program {
	c := newContext(k.Func.Clone())
	for _, p := range readOnlyPipeline {
		p.run(c)
	}
	if c.saved == 0 {
		return k.Program
	}
	c.f.Analyze()
	p, err := Program(c.f)
	if err != nil || p.RegCount > max(k.Program.RegCount, estimateRegs(freeLive)) {
		return k.Program // which has fitted
	}
	return p
}

// unchanging marks the loads from buffers that the kernel only reads.
func unchanging(c *context) {
	p, err := Program(c.f)
	if err != nil || slices.ContainsFunc(p.Code, func(in ir.Inst) bool { return in.Op.Action() == ir.ActClock }) {
		return
	}
	only := make([]bool, len(c.f.Leaves))
	for i, is := range p.ReadOnly() {
		if is {
			only[p.Roots[i].Leaf] = true
		}
	}
	r := findRoots(c.f)
	c.unchanging = make([]bool, c.f.NumValues())
	for _, b := range c.f.Blocks {
		for _, v := range b.Ins {
			if v.Op != ir.OpLoad || v.Mem.Order != ir.Weak {
				continue
			}
			a := r.of[v.Args[0].ID]
			c.unchanging[v.ID] = a.root >= 0 && accessSpace(v, a) == ir.Global && only[r.list[a.root].Leaf]
		}
	}
}

// holds reports whether v is a load that gives the same wherever it stands.
func (c *context) holds(v *ir.Value) bool { return v.ID < len(c.unchanging) && c.unchanging[v.ID] }

// inFirstRound reports whether whoever enters the loop executes block b of it:
// it dominates all blocks that leave the loop or go on to the next round. What
// stands in others may be guarded against addresses out of range.
func inFirstRound(l *ir.Loop, b *ir.Block) bool {
	for _, e := range l.Blocks {
		ends := slices.ContainsFunc(e.Succs, func(s *ir.Block) bool { return s == l.Header || !l.Has(s) })
		traps := slices.ContainsFunc(e.Ins, func(v *ir.Value) bool { return v.Op == ir.OpTrap })
		if ends && !b.Dominates(e) || traps && (e == b || !b.Dominates(e)) {
			return false
		}
	}
	return true
}
