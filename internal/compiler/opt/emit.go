package opt

import (
	"fmt"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Program takes a kernel out of SSA form: it resolves memory spaces and roots,
// allocates rows and predicates, lays out shared and local memory, and arranges
// the blocks linearly. It changes only the order and the numbers of fn's blocks.
// It also accepts unoptimised kernels.
func Program(fn *ir.Func) (*ir.Program, error) {
	if len(fn.Blocks) == 0 {
		return nil, fmt.Errorf("opt: %s: no blocks", fn.Name)
	}
	machine := newMachine(fn)
	if err := machine.allocate(); err != nil {
		return nil, err
	}
	prog := &ir.Program{Name: fn.Name, Leaves: fn.Leaves, Traps: fn.Traps, Pos: fn.Pos}
	prog.Shared, prog.SharedBytes = layoutVars(fn.Shared)
	prog.Local, prog.LocalBytes = layoutVars(fn.Local)
	out := &emitter{m: machine, p: prog, roots: findRoots(fn), uniforms: map[ir.Uniform]ir.Operand{}}
	prog.Roots = out.roots.list
	for _, b := range machine.blocks {
		out.block(b)
	}
	prog.NumRegs, prog.NumPreds = machine.numRegs, machine.numPreds
	// The row after the last is used only to break a cycle of copies.
	if out.tempReg {
		prog.NumRegs++
	}
	if out.tempPred {
		prog.NumPreds++
	}
	line(machine, prog)
	prog.Sums, prog.SumWords = prog.NumRegs, ir.SumWords(prog.Code)
	prog.NumRegs += prog.SumWords
	prog.RegCount = estimateRegs(machine.maxLive + prog.SumWords)
	if prog.LaunchRegisters = fn.LaunchRegisters; prog.LaunchRegisters > 0 {
		prog.RegCount = prog.LaunchRegisters
	}
	prog.Tensors = ir.TensorsOf(prog.Code)
	return prog, nil
}

// estimateRegs estimates how many registers hardware needs from the maximum
// number of 32-bit values that are live at the same time. The count lacks parts
// of addresses, values of the assembler's look-ahead and registers that the ABI
// reserves. A graph kernel with 9 live values took 18 to 22 registers on sm_90.
// 16 is the minimum that makes a difference, since the hardware allocates
// registers in units of 8 per thread.
func estimateRegs(maxLive int) int { return min(max(maxLive+maxLive/4+9, 16), 255) }

// FitRegisters returns how many of n registers the assembler gives a thread if so many blocks of so many threads have to fit on an SM with 64K
// registers, whatever has to go to local memory for that.
func FitRegisters(n, threads, blocks int) int {
	warps := (threads + 31) / 32 * max(blocks, 1)
	return min(n, max(16, 64<<10/(warps*32)/8*8))
}

// dynamicAlign is the alignment of dynamic shared memory: enough for every
// access, but for copies in bulk and products of warpgroups, of which its variable knows.
const dynamicAlign = 16

// layoutVars assigns each variable its offset: in order, aligned, with dynamic
// shared memory last.
func layoutVars(list []ir.Var) ([]ir.Var, int) {
	vars := append([]ir.Var(nil), list...)
	off := 0
	for i := range vars {
		if vars[i].Dynamic {
			continue
		}
		if align := vars[i].Align; align > 1 {
			off = (off + align - 1) / align * align
		}
		vars[i].Off = off
		off += vars[i].Size
	}
	for i := range vars {
		if vars[i].Dynamic {
			// Its size is known only at launch, so nothing can stand behind it.
			align := max(dynamicAlign, vars[i].Align)
			off = (off + align - 1) / align * align
			vars[i].Off = off
		}
	}
	return vars, off
}

type emitter struct {
	m                 *machine
	p                 *ir.Program
	roots             *roots
	uniforms          map[ir.Uniform]ir.Operand
	tempReg, tempPred bool
}

// uniform interns a uniform. Instructions depend on the width of a constant,
// not on its kind.
func (e *emitter) uniform(operand ir.Uniform) ir.Operand {
	key := operand
	key.K = ir.U32
	if operand.K.Bits() == 64 {
		key.K = ir.U64
	}
	if interned, ok := e.uniforms[key]; ok {
		return interned
	}
	interned := ^ir.Operand(len(e.p.Uniforms))
	e.p.Uniforms = append(e.p.Uniforms, operand)
	e.uniforms[key] = interned
	return interned
}

// operand returns the operand that holds what value computes.
func (e *emitter) operand(value *ir.Value) ir.Operand {
	value = e.m.res(value)
	switch value.Op {
	case ir.OpConst:
		if value.K == ir.Pred {
			if value.Imm != 0 {
				return ir.PredTrue
			}
			return ir.PredFalse
		}
		return e.uniform(ir.Uniform{K: value.K, Leaf: -1, Bits: value.Bits()})
	case ir.OpParam:
		return e.uniform(ir.Uniform{K: value.K, Leaf: int(value.Imm)})
	case ir.OpShared:
		return e.uniform(ir.Uniform{K: ir.U64, Leaf: -1, Bits: ir.SharedWindow | uint64(e.p.Shared[value.Imm].Off), Space: ir.Shared})
	case ir.OpLocal:
		return e.uniform(ir.Uniform{K: ir.U64, Leaf: -1, Bits: ir.LocalWindow | uint64(e.p.Local[value.Imm].Off), Space: ir.Local})
	}
	return ir.Operand(e.m.row[e.m.reg[value.ID]])
}

func newInst(op ir.Op, k ir.Kind, pos ir.Pos) ir.Inst {
	return ir.Inst{Op: op, K: k, ArgK: k, Class: ir.ClassOf(op, k), Guard: ir.NoGuard, Root: -1, Target: -1, Recon: -1, Pos: pos,
		Dst: [4]int32{ir.NoReg, ir.NoReg, ir.NoReg, ir.NoReg}}
}

func (e *emitter) block(block *mblock) {
	block.code = make([]ir.Inst, 0, len(block.ins)+len(block.args)+2)
	for _, v := range block.ins {
		block.code = append(block.code, e.inst(v))
	}
	e.copies(block)
}

func (e *emitter) inst(value *ir.Value) ir.Inst {
	in := newInst(value.Op, value.K, value.Pos)
	in.Imm, in.Mem, in.PTX, in.Wmma = value.Imm, value.Mem, e.m.f.PTX, value.Wmma
	if value.ArgK != ir.Void {
		in.ArgK = value.ArgK
	}
	// A store has no result; its kind is that of the registers that it reads.
	if value.Op.Stores() {
		in.K = value.Mem.Kind.Register()
		in.ArgK = in.K
	}
	// After K and ArgK are final, since the pipeline depends on the kind.
	in.Class = ir.ClassOf(value.Op, in.ArgK)
	in.NSrc = uint8(len(value.Args))
	for i, arg := range value.Args {
		in.Src[i] = e.operand(arg)
	}
	if value.Guard != nil {
		guard, not := e.m.plainPred(value.Guard, value.GuardNot)
		if guard.Op != ir.OpConst { // else it always executes: build removed instructions that never do
			in.Guard, in.GuardNot = e.operand(guard), not
		}
	}
	switch lane, reg := e.m.lane[value.ID], e.m.reg[value.ID]; {
	case lane >= 0:
		in.NDst = uint8(value.Results())
		for i := range int(in.NDst) {
			in.Dst[i] = e.m.row[e.m.tmp[lane][i]]
		}
	case reg >= 0:
		in.NDst = 1
		in.Dst[0] = e.m.row[reg]
	}
	if value.Op.Addressed() {
		to := e.roots.of[value.Args[0].ID]
		if space := to.space(); space != ir.Generic && !value.Op.OnMatrix() {
			in.Mem.Space = space
		}
		// noRoot and manyRoots are both -1 for the executors: they look up the
		// buffer at run time.
		in.Root = max(to.root, -1)
	}
	if value.Op.IsGroupMMA() {
		a, b := value.Op.GroupMatrices()
		if a > 0 {
			in.Root = max(e.roots.of[value.Args[a].ID].root, -1)
		}
		in.To = max(e.roots.of[value.Args[b].ID].root, -1)
	}
	if act := value.Op.Action(); act == ir.ActCopy || act == ir.ActBulk {
		in.To = max(e.roots.of[value.Args[1].ID].root, -1)
	}
	return in
}

// copies emits the parallel copy at the end of a block whose successor has
// phis.
func (e *emitter) copies(block *mblock) {
	if block.phisOf == nil {
		return
	}
	var rows, preds []move
	for i, arg := range block.args {
		phi := block.phisOf.phis[i]
		mv := move{e.m.row[e.m.reg[phi.ID]], e.operand(arg), phi.K}
		// The phi shares the row of its operand.
		if ir.Operand(mv.dst) == mv.src {
			continue
		}
		// Rows and predicates cannot overwrite each other, and a cycle needs a
		// temporary of its own sort.
		if phi.K == ir.Pred {
			preds = append(preds, mv)
		} else {
			rows = append(rows, mv)
		}
	}
	emit := func(transfer move) {
		in := newInst(ir.OpMov, transfer.k, block.pos)
		in.NSrc, in.NDst = 1, 1
		in.Src[0], in.Dst[0] = transfer.src, transfer.dst
		block.code = append(block.code, in)
	}
	if sequence(rows, int32(e.m.numRegs), emit) {
		e.tempReg = true
	}
	if sequence(preds, int32(e.m.numPreds), emit) {
		e.tempPred = true
	}
}
