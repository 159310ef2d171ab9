package waitfor

import (
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// static computes values that depend on nothing but the thread and the arguments of the launch:
// constants, parameters, the thread's place, and buffers that the kernel only reads.
type static struct {
	*flow
	g        *simt.Grid
	readOnly []bool
	defs     map[use]int32
	scratch  simt.Warp
	block    simt.Block
}

// use is operand i of an instruction; guard is the operand of a guard.
type use struct {
	pc int32
	i  int
}

const guard = -1

// The results of definition besides an instruction.
const (
	uniform = -1 // the operand is no register
	several = -2 // there is not one definition
)

func newStatic(f *flow, grid *simt.Grid) *static {
	s := &static{flow: f, g: grid, readOnly: f.p.ReadOnly(), defs: map[use]int32{}}
	s.scratch.Grid, s.scratch.Block, s.scratch.Regs = grid, &s.block, make([]simt.Row, 1)
	return s
}

// thread is a thread of the grid.
type thread struct {
	block, index int
}

func (f *flow) operand(use use) (o ir.Operand, pred bool) {
	in := &f.p.Code[use.pc]
	if use.i == guard {
		return in.Guard, true
	}
	return in.Src[use.i], in.SrcPred(use.i)
}

// definition returns the only instruction that defines an operand, or uniform or several.
func (s *static) definition(use use) int32 {
	operand, pred := s.operand(use)
	if operand < 0 {
		return uniform
	}
	if at, ok := s.defs[use]; ok {
		return at
	}
	at := int32(several)
	if found := s.definitions(use.pc, int32(operand), pred, nil); len(found) == 1 {
		at = found[0]
	}
	s.defs[use] = at
	return at
}

// maxDepth limits how many instructions an expression goes back.
const maxDepth = 24

// value returns the operand of a thread; ok is false if it depends on more than the thread and the
// arguments.
func (s *static) value(u use, t thread) (bits uint64, ok bool) { return s.eval(u, t, maxDepth) }

// address returns the address that a thread accesses by an instruction, as its cluster has it; ok is as value says.
func (s *static) address(pc int32, t thread) (addr uint64, ok bool) {
	base, ok := s.value(use{pc, 0}, t)
	return s.g.InCluster(t.block, base+uint64(s.p.Code[pc].Imm)), ok
}

func (s *static) eval(u use, thread thread, depth int) (bits uint64, ok bool) {
	operand, pred := s.operand(u)
	if operand < 0 {
		return s.uniform(operand, pred), true
	}
	def := s.definition(u)
	// A register with several definitions has a value that depends on the way the thread came, which is not followed here.
	if def < 0 || depth == 0 {
		return 0, false
	}
	in := &s.p.Code[def]
	switch {
	case in.Op == ir.OpSpecial:
		// On which SM a block runs is for the machine to decide (PTX ISA, %smid), and another run may differ.
		if ir.Special(in.Imm) == ir.SMID {
			return 0, false
		}
		return s.special(in, thread), true
	case in.Op == ir.OpLoad:
		// What the kernel only reads, the host has written before the launch: it is the same for all threads at all times.
		if in.Mem.Vec != 1 || in.Root < 0 || !s.readOnly[in.Root] {
			return 0, false
		}
		base, ok := s.eval(use{def, 0}, thread, depth-1)
		bounds := &s.g.Roots[in.Root]
		off := base + uint64(in.Imm) - bounds.Lo
		// An address outside of the buffer would end the launch with a fault before it is of interest here.
		if n := uint64(in.Mem.Bytes()); !ok || off >= uint64(len(bounds.Data)) || off+n > uint64(len(bounds.Data)) {
			return 0, false
		}
		return simt.Load(bounds.Data, int(off), in.Mem.Kind), true
	case !in.Op.Scalar():
		return 0, false
	}
	var src [3]uint64
	for i := range int(in.NSrc) {
		if src[i], ok = s.eval(use{def, i}, thread, depth-1); !ok {
			return 0, false
		}
	}
	bits, err := ir.Eval(in.Op, in.K, in.ArgK, in.Imm, src[0], src[1], src[2])
	return bits, err == nil
}

// uniform returns the value of an operand that is no register.
func (s *static) uniform(operand ir.Operand, pred bool) uint64 {
	if pred {
		if operand == ir.PredTrue {
			return 1
		}
		return 0
	}
	uniform := &s.p.Uniforms[^operand]
	if uniform.Leaf >= 0 {
		return s.g.Leaves[uniform.Leaf]
	}
	return uniform.Bits
}

func (s *static) special(in *ir.Inst, thread thread) uint64 {
	// One warp of scratch state stands for all: a special depends on the place of the thread, and on nothing in its registers.
	s.block.ID, s.scratch.Index = thread.block, thread.index/simt.Lanes
	lane := thread.index % simt.Lanes
	one := *in
	one.Dst[0] = 0
	s.scratch.Special(&one, 1<<lane, 0, 0)
	return s.scratch.Regs[0][lane]
}

// guarded reports whether a thread executes a guarded instruction; ok is false if that is unknown.
func (s *static) guarded(pc int32, thread thread) (yes, ok bool) {
	in := &s.p.Code[pc]
	if in.Guard == ir.NoGuard {
		return true, true
	}
	v, ok := s.value(use{pc, guard}, thread)
	return (v&1 != 0) != in.GuardNot, ok
}

// branches are the conditional branches and exits whose conditions are known for each thread.
func (s *static) branches() (list []int32) {
	for pc := range s.p.Code {
		in := &s.p.Code[pc]
		if in.Guard == ir.NoGuard || in.Op != ir.OpBra && in.Op != ir.OpExit {
			continue
		}
		// What can be computed for one thread most often can for all; ways asks again for each.
		if _, ok := s.guarded(int32(pc), thread{}); ok {
			list = append(list, int32(pc))
		}
	}
	return list
}

// ways returns which ways a thread takes at the branches.
func (s *static) ways(branches []int32, thread thread) choices {
	out := make(choices, len(branches))
	for _, pc := range branches {
		switch yes, ok := s.guarded(pc, thread); {
		case !ok:
			out[pc] = 3
		case yes:
			out[pc] = 2
		default:
			out[pc] = 1
		}
	}
	return out
}
