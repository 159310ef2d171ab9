package ptx

import (
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// divergence finds the instructions that some threads of a warp execute without the others, because they stand behind
// a branch that depends on nothing but the index of the thread or its lane. A branch that depends on anything else,
// such as a word of memory, is taken to be the same for a warp that comes to a barrier behind it, as CUDA asks for.
type divergence struct {
	p            *ir.Program
	succs, preds [][]int32
	// flat is set if blocks have one dimension, so that Thread.Idx()/32 is the same for a warp.
	flat bool
	// walk has the instructions of a walk from one to others, in the order in which they were met, and seen the number of the last walk that met each:
	// a kernel of some thousand instructions has a thousand walks.
	walk []int32
	seen []int32
	last int32
}

// apart returns for each instruction whether it stands behind such a branch, before its sides meet again. Where one side
// leaves the kernel without a barrier, only that side does: nobody waits for threads that exit.
func apart(p *ir.Program) []bool {
	d := &divergence{p: p, succs: make([][]int32, len(p.Code)), preds: make([][]int32, len(p.Code)), seen: make([]int32, len(p.Code)), flat: true}
	for pc := range p.Code {
		if s := ir.Special(p.Code[pc].Imm); p.Code[pc].Op == ir.OpSpecial && (s == ir.TIDY || s == ir.TIDZ) {
			d.flat = false
		}
		d.succs[pc] = d.next(int32(pc))
		for _, to := range d.succs[pc] {
			d.preds[to] = append(d.preds[to], int32(pc))
		}
	}
	var meet []int32
	out := make([]bool, len(p.Code))
	for pc := range p.Code {
		in := &p.Code[pc]
		if in.Op != ir.OpBra || d.dependence(int32(pc), in.Guard, true, 0) != byLane {
			continue
		}
		// Recon is where the other side begins if one side exits.
		if !d.mark(int32(pc), in.Recon, out) {
			continue
		}
		if meet == nil {
			meet = ir.NewGraph(d.succs).PostDominators()
		}
		d.mark(int32(pc), meet[pc], out)
	}
	return out
}

// next returns the instructions that may follow one.
func (d *divergence) next(pc int32) (list []int32) {
	in := &d.p.Code[pc]
	if in.Op == ir.OpBra || in.Op == ir.OpJmp {
		list = append(list, in.Target)
	}
	ends := in.Op == ir.OpJmp || in.Guard == ir.NoGuard && (in.Op == ir.OpExit || in.Op == ir.OpTrap)
	if !ends && int(pc)+1 < len(d.p.Code) {
		list = append(list, pc+1)
	}
	return list
}

// mark marks the instructions between a branch and the place where its sides meet. It reports whether one of them is a
// barrier of the block.
func (d *divergence) mark(branch, meet int32, out []bool) (barrier bool) {
	d.begin()
	d.meet(d.succs[branch], meet)
	for i := 0; i < len(d.walk); i++ {
		pc := d.walk[i]
		out[pc] = true
		barrier = barrier || d.p.Code[pc].Op.IsBlockBarrier()
		d.meet(d.succs[pc], meet)
	}
	return barrier
}

// begin begins a walk.
func (d *divergence) begin() {
	d.walk = d.walk[:0]
	d.last++
}

// meet adds the instructions of a list that the walk has not met yet, but for one.
func (d *divergence) meet(list []int32, but int32) {
	for _, pc := range list {
		if pc != but && d.seen[pc] != d.last {
			d.seen[pc] = d.last
			d.walk = append(d.walk, pc)
		}
	}
}

// dependence is what a value depends on.
type dependence uint8

const (
	alike  dependence = iota // the same for a warp
	byLane                   // the index of the thread
	other                    // anything else
)

// deepest is how many operations lie between a condition and the index of the thread at most.
const deepest = 8

// dependence returns what an operand of an instruction depends on.
func (d *divergence) dependence(pc int32, o ir.Operand, pred bool, depth int) dependence {
	if o < 0 {
		return alike
	}
	at, ok := d.definition(pc, int32(o), pred)
	if !ok || depth > deepest {
		return other
	}
	switch in := &d.p.Code[at]; {
	case in.Op == ir.OpSpecial:
		switch ir.Special(in.Imm) {
		case ir.TID, ir.LaneID, ir.TIDY, ir.TIDZ:
			return byLane
		}
		return alike
	case in.Op.Action() != ir.ActALU:
		return other
	case d.warpIndex(at, in):
		return alike
	default:
		sum := alike
		for i := range int(in.NSrc) {
			sum = max(sum, d.dependence(at, in.Src[i], in.SrcPred(i), depth+1))
		}
		return sum
	}
}

// definition returns the instruction that wrote a register row or predicate that another one reads, if it is known.
func (d *divergence) definition(pc, row int32, pred bool) (at int32, ok bool) {
	d.begin()
	d.meet(d.preds[pc], -1)
	for next := 0; next < len(d.walk); next++ {
		i := d.walk[next]
		if in := &d.p.Code[i]; writes(in, row, pred) {
			if ok && at != i || in.Guard != ir.NoGuard {
				return 0, false
			}
			at, ok = i, true
			continue
		}
		d.meet(d.preds[i], -1)
	}
	return at, ok
}

func writes(in *ir.Inst, row int32, pred bool) bool {
	for _, dst := range in.Dst[:in.NDst] {
		if dst == row && (in.K == ir.Pred) == pred {
			return true
		}
	}
	return false
}

// warpIndex reports whether an instruction divides the index of the thread in its block by a multiple of the warp size.
func (d *divergence) warpIndex(pc int32, in *ir.Inst) bool {
	if !d.flat || in.NSrc < 2 || in.Src[0] < 0 || in.Src[1] >= 0 || in.SrcPred(0) {
		return false
	}
	at, ok := d.definition(pc, int32(in.Src[0]), false)
	u := d.p.Uniforms[^in.Src[1]]
	if of := &d.p.Code[at]; !ok || of.Op != ir.OpSpecial || ir.Special(of.Imm) != ir.TID || u.Leaf >= 0 {
		return false
	}
	switch by := uint32(u.Bits); in.Op {
	case ir.OpShr:
		return by >= 5
	case ir.OpDiv:
		return by > 0 && by%32 == 0
	case ir.OpAnd:
		return by%32 == 0
	}
	return false
}
