package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// passUnchanging and the passes after it make the read-only build of an
// optimised kernel.
var passUnchanging = pass{"unchanging", "only for the read-only path of a GPU: marks loads of buffers that the kernel does not write, which licm and cse then treat like arithmetic", unchanging}

var readOnlyPipeline = []pass{passPrepare, passUnchanging, passCSE, passLICM, passCSE, passCFG, passDCE, passSchedule}

// ReadOnlyProgram returns the program of an optimised kernel for a launch in
// which nothing writes the buffers that the kernel only reads
// (ir.Program.ReadOnly): no buffer that it writes overlaps one of them, and
// nothing else writes them at the same time. Loads from them are merged across
// stores, atomics, fences and barriers, and loads with a loop-invariant address
// that every execution of the loop executes are hoisted.
//
// It returns the program of the kernel itself if this gains nothing, if it takes so many
// registers that fewer warps fit, if the kernel reads a clock and may
// measure its loads, or if the kernel was made as a program, such as one of a litmus
// test, whose loads must stay as they are.
func ReadOnlyProgram(kernel *ir.Kernel) *ir.Program {
	if kernel.Func == nil {
		return kernel.Program
	}
	// A copy: the kernel also runs as it is, when a launch lets another buffer
	// overlap.
	c := newContext(kernel.Func.Clone())
	for _, pass := range readOnlyPipeline {
		pass.run(c)
	}
	if c.saved == 0 {
		return kernel.Program
	}
	c.f.Analyze()
	prog, err := Program(c.f)
	if err != nil || prog.RegCount > max(kernel.Program.RegCount, estimateRegs(freeLive)) {
		return kernel.Program // which is known to fit
	}
	return prog
}

// unchanging marks the loads from buffers that the kernel only reads.
func unchanging(c *context) {
	prog, err := Program(c.f)
	// A kernel that reads a clock may measure how long its loads take, so they
	// stay where they are.
	if err != nil || slices.ContainsFunc(prog.Code, func(in ir.Inst) bool { return in.Op.Action() == ir.ActClock }) {
		return
	}
	only := make([]bool, len(c.f.Leaves))
	for i, is := range prog.ReadOnly() {
		if is {
			only[prog.Roots[i].Leaf] = true
		}
	}
	roots := findRoots(c.f)
	c.unchanging = make([]bool, c.f.NumValues())
	for _, b := range c.f.Blocks {
		for _, value := range b.Ins {
			if value.Op != ir.OpLoad || value.Mem.Order != ir.Weak {
				continue
			}
			to := roots.of[value.Args[0].ID]
			c.unchanging[value.ID] = to.root >= 0 && accessSpace(value, to) == ir.Global && only[roots.list[to.root].Leaf]
		}
	}
}

// holds reports whether v is a load that gives the same value anywhere in the
// kernel.
func (c *context) holds(v *ir.Value) bool { return v.ID < len(c.unchanging) && c.unchanging[v.ID] }

// inFirstRound reports whether every execution of the loop executes the block: it
// dominates all blocks that leave the loop or jump back. Other blocks may be
// guarded against addresses out of range.
func inFirstRound(loop *ir.Loop, block *ir.Block) bool {
	for _, end := range loop.Blocks {
		ends := slices.ContainsFunc(end.Succs, func(s *ir.Block) bool { return s == loop.Header || !loop.Has(s) })
		// A trap ends the thread, so that what stands behind it may never
		// execute.
		traps := slices.ContainsFunc(end.Ins, func(v *ir.Value) bool { return v.Op == ir.OpTrap })
		if ends && !block.Dominates(end) || traps && (end == block || !block.Dominates(end)) {
			return false
		}
	}
	return true
}
