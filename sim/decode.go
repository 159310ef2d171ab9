package sim

import (
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/simt"
	"github.com/weft-gpu/weft/sim/config"
)

// pipe is an execution pipeline of a sub-core.
type pipe uint8

const (
	pipeALU pipe = iota
	pipeIMAD
	pipeFP32
	pipeFP64
	pipeSFU
	pipeVote
	pipeShuffle
	pipeSpecial
	pipeAtomic // shared atomics: the sub-core's way to the shared memory
	pipeNone   // control: never busy
	numPipes
)

// action is what issuing an instruction does.
type action uint8

const (
	actALU action = iota
	actBranch
	actJump
	actExit
	actCollective
	actSpecial
	actMemory
	actFence
	actBarrier
	actSleep
	actTrap
)

// decoded is an instruction with what the pipeline has to know about it.
type decoded struct {
	in       *ir.Inst
	alu      *simt.ALUOp
	action   action
	poll     bool // see polls
	release  bool // waits until the warp's accesses before it are done
	pipe     pipe
	numDst   uint8 // the first of uses
	numUses  uint8
	latency  uint32
	interval uint32
	// uses are the scoreboard entries of destinations, then of sources and guard.
	uses [12]uint16
}

// decode prepares a program for a machine.
func decode(p *ir.Program, cfg *config.GPU) []decoded {
	code := make([]decoded, len(p.Code))
	for i := range p.Code {
		in, d := &p.Code[i], &code[i]
		d.in = in
		use := func(pred bool, o int32) {
			if o < 0 {
				return
			}
			if pred {
				o += int32(p.NumRegs)
			}
			d.uses[d.numUses] = uint16(o)
			d.numUses++
		}
		for j := range in.NDst {
			use(in.K == ir.Pred, in.Dst[j])
		}
		d.numDst = d.numUses
		for j := range int(in.NSrc) {
			use(in.SrcPred(j), int32(in.Src[j]))
		}
		use(true, int32(in.Guard))
		d.action = actionOf(in)
		if d.action == actALU {
			d.alu = simt.DecodeALU(in)
		}
		d.release = d.action == actMemory && in.Mem.Scope > ir.ScopeBlock && (in.Mem.Order == ir.Release || in.Mem.Order == ir.AcqRel)
		d.poll = polls(in)
		d.pipe = pipeOf(in, d.action)
		d.latency, d.interval = timing(d.pipe, in, cfg)
	}
	return code
}

func actionOf(in *ir.Inst) action {
	switch in.Op {
	case ir.OpBra:
		return actBranch
	case ir.OpJmp:
		return actJump
	case ir.OpExit:
		return actExit
	case ir.OpTrap:
		return actTrap
	case ir.OpSleep:
		return actSleep
	case ir.OpFence:
		return actFence
	case ir.OpSpecial, ir.OpReadSpecial:
		return actSpecial
	case ir.OpLoad, ir.OpStore:
		return actMemory
	}
	switch {
	case in.Op.IsAtomic():
		return actMemory
	case in.Op.IsBlockBarrier():
		return actBarrier
	case in.Op >= ir.OpWarpBar && in.Op <= ir.OpActiveMask:
		return actCollective
	}
	return actALU
}

func pipeOf(in *ir.Inst, a action) pipe {
	switch a {
	case actSpecial:
		return pipeSpecial
	case actCollective:
		if in.Op >= ir.OpShfl && in.Op <= ir.OpShflXor {
			return pipeShuffle
		}
		return pipeVote
	case actALU:
	default:
		return pipeNone
	}
	k := in.ArgK
	if k == ir.Void {
		k = in.K
	}
	switch ir.ClassOf(in.Op, k) {
	case ir.ClassIMAD:
		return pipeIMAD
	case ir.ClassFP32:
		return pipeFP32
	case ir.ClassFP64:
		return pipeFP64
	case ir.ClassSFU, ir.ClassDiv:
		return pipeSFU
	}
	return pipeALU
}

func timing(p pipe, in *ir.Inst, cfg *config.GPU) (latency, interval uint32) {
	l, c := &cfg.Latency, &cfg.Cadence
	pair := func(a, b int) (uint32, uint32) { return uint32(a), uint32(b) }
	switch p {
	case pipeIMAD:
		return pair(l.IMAD, c.IMAD)
	case pipeFP32:
		return pair(l.FP32, c.FP32)
	case pipeFP64:
		return pair(l.FP64, c.FP64)
	case pipeSFU:
		if ir.Ops[in.Op].Class == ir.ClassDiv {
			return pair(l.Div, c.Div)
		}
		return pair(l.SFU, c.SFU)
	case pipeVote:
		return pair(l.Vote, c.Vote)
	case pipeShuffle:
		return pair(l.Shuffle, c.Shuffle)
	case pipeSpecial:
		return pair(l.Special, c.Special)
	case pipeNone, pipeAtomic:
		return 1, 1
	}
	return pair(l.ALU, c.ALU)
}
