package sim

import (
	"math"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/shared"
)

// pipe is an execution pipeline of a sub-core.
type pipe uint8

const (
	pipeALU     pipe = counter.PipeALU
	pipeIMAD    pipe = counter.PipeIMAD
	pipeFP32    pipe = counter.PipeFP32
	pipeFP64    pipe = counter.PipeFP64
	pipeSFU     pipe = counter.PipeSFU
	pipeVote    pipe = counter.PipeVote
	pipeShuffle pipe = counter.PipeShuffle
	pipeSpecial pipe = counter.PipeSpecial
	pipeShared  pipe = counter.PipeAtomic // the sub-core's path to shared memory; what counts as its work are atomics
	pipeTensor  pipe = counter.PipeTensor
	pipeNone    pipe = counter.NumPipes // control: never busy
	numPipes         = pipeNone + 1
)

// action is the effect of issuing an instruction.
type action uint8

const (
	actALU action = iota
	actConstant
	actBranch
	actJump
	actExit
	actCollective
	actSums
	actSpecial
	actMemory
	actCopy
	actCopies
	actFence
	actBarrier
	actNamed
	actCluster
	actSleep
	actTrap
)

// decoded is an instruction with everything the pipeline needs to know about it.
type decoded struct {
	in       *ir.Inst
	alu      *simt.ALUOp
	action   action
	poll     bool // see polls
	release  bool // waits until the SM's earlier accesses are done
	awaits   bool // waits until the warp's earlier loads are done
	pipe     pipe
	one      bool        // an atomic that one lane performs for the warp
	casLoop  bool        // see isCASLoop
	shared   shared.Kind // how shared memory serves the access
	numDst   uint8       // number of destinations, which come first in uses
	numUses  uint8
	issues   uint8  // machine instructions, issued one after the other
	sends    uint8  // cycles for which an access takes the sub-core's path to the load-store unit
	latency  uint32 // for memory instructions: in addition to the access
	interval uint32
	// uses are the scoreboard entries of the destinations, then of the sources and the guard.
	uses [ir.MaxRows]uint16
}

// decode prepares a program for a machine.
func decode(p *ir.Program, cfg *config.GPU) []decoded {
	code := make([]decoded, len(p.Code))
	remote := p.NamesBlocks()
	var low *lowering
	if cfg.Issue.Lowering == "sass" {
		low = newLowering(p, cfg)
	}
	for i := range p.Code {
		in, inst := &p.Code[i], &code[i]
		inst.in, inst.issues = in, 1
		use := func(pred bool, o int32) {
			if o < 0 {
				return
			}
			// In the scoreboard predicates follow the rows of registers.
			if pred {
				o += int32(p.NumRegs)
			}
			inst.uses[inst.numUses] = uint16(o)
			inst.numUses++
		}
		for j := range in.NDst {
			if !immediate(in) || !unread(p, i, in.Dst[j]) {
				use(in.K == ir.Pred, in.Dst[j])
			}
		}
		inst.numDst = inst.numUses
		for j := range int(in.NSrc) {
			use(in.SrcPred(j), int32(in.Src[j]))
		}
		use(true, int32(in.Guard))
		inst.action = actions[in.Op.Action()]
		if inst.action == actALU {
			inst.alu = simt.DecodeALU(in)
		}
		inst.release = inst.action == actMemory && in.Mem.Scope > ir.ScopeBlock && (in.Mem.Order == ir.Release || in.Mem.Order == ir.AcqRel)
		// An H200 makes a fence of the device before it (results/hw/asynchronous/sends.cu), but none before a relaxed one (arrivals.cu there).
		inst.release = inst.release || remote && in.ArrivesInCluster() && in.Mem.Order != ir.Relaxed
		// All accesses of a block pass through one L1 in order. Of those before a release of block scope only loads, which may
		// have missed, can be late.
		inst.awaits = in.Mem.Scope == ir.ScopeBlock && (inst.action == actFence || inst.action == actMemory && (in.Mem.Order == ir.Release || in.Mem.Order == ir.AcqRel))
		inst.awaits = inst.awaits || in.Op == ir.OpCopyWait || in.Op == ir.OpBulkWait || in.Op == ir.OpBulkWaitRead || in.Op == ir.OpGroupMMAWait
		inst.poll = polls(in)
		if inst.action == actMemory {
			inst.shared, inst.casLoop = sharedKind(p, in), isCASLoop(in)
		}
		if path := cfg.LSU.Path; path > 0 && (inst.action == actMemory || inst.action == actCopy) {
			inst.sends = uint8(min((simt.Lanes*sentBytes(in)+path-1)/path, math.MaxUint8))
		}
		if low != nil && constantOperand(p, in) {
			inst.action, inst.sends = actConstant, 0
		}
		inst.pipe = pipeOf(in, inst.action)
		inst.latency, inst.interval = pipeTiming(inst.pipe, in, cfg)
		if low != nil {
			inst.lower(low, i, cfg)
		}
	}
	if low != nil {
		phaseBits(p, code)
	}
	if low != nil && cfg.Cadence.IMAD <= cfg.Cadence.ALU { // IMAD is as fast as IADD3: since Volta
		balance(p, code)
	}
	return code
}

// sentBytes returns how many bytes a lane sends to the load-store unit: its address, and what is stored or combined there.
func sentBytes(in *ir.Inst) int {
	const address, register = 8, 4
	each := max(in.Mem.Bytes(), register)
	switch {
	case in.Op == ir.OpLoad:
		return address
	case in.Op.Action() == ir.ActCopy: // an address in shared memory
		return address + register
	case in.Op == ir.OpAtomCAS:
		return address + 2*each
	}
	return address + each
}

// immediate reports whether an instruction changes its registers when it issues, unlike one that reads global memory.
func immediate(in *ir.Inst) bool {
	return actions[in.Op.Action()] != actMemory || in.Mem.Space == ir.Shared
}

// unread reports whether a result of instruction i is overwritten before anything reads it, such as matrices of a load that nobody uses:
// ptxas writes it to the zero register, for which nothing waits. What follows a branch is not looked at.
func unread(p *ir.Program, i int, dst int32) bool {
	pred := p.Code[i].K == ir.Pred
	for k := i + 1; k < min(i+unreadReach, len(p.Code)); k++ {
		in := &p.Code[k]
		if in.Op == ir.OpBra || in.Op == ir.OpJmp || in.Op == ir.OpExit || pred && int32(in.Guard) == dst {
			return false
		}
		for j := range int(in.NSrc) {
			if in.SrcPred(j) == pred && int32(in.Src[j]) == dst {
				return false
			}
		}
		for _, other := range in.Dst[:in.NDst] {
			if other == dst && (in.K == ir.Pred) == pred {
				return in.Guard < 0
			}
		}
	}
	return false
}

// unreadReach is for how many instructions unread looks.
const unreadReach = 64

// balance distributes additions, moves and shifts to the left, which ptxas emits as IADD3, MOV and SHF or as IMAD, over both pipes, so that they are equally
// loaded in each basic block.
func balance(p *ir.Program, code []decoded) {
	starts := make([]bool, len(code)+1)
	for i := range p.Code {
		if in := &p.Code[i]; in.Op == ir.OpBra || in.Op == ir.OpJmp {
			starts[in.Target], starts[i+1] = true, true
		}
	}
	either := func(d *decoded) bool {
		if d.pipe != pipeALU {
			return false
		}
		switch d.in.Op {
		case ir.OpAdd, ir.OpSub, ir.OpMov:
			return true
		case ir.OpShl: // IMAD.SHL, by a constant
			by := d.in.Src[1]
			return d.issues == 1 && by < 0 && p.Uniforms[^by].Leaf < 0
		}
		return false
	}
	for from, to := 0, 0; from < len(code); from = to {
		// First what has no choice, over the whole block, so that the others fill up what it leaves.
		load := [numPipes]uint32{}
		for to = from; to < len(code) && (to == from || !starts[to]); to++ {
			if d := &code[to]; !either(d) {
				load[d.pipe] += d.interval
			}
		}
		for i := from; i < to; i++ {
			inst := &code[i]
			if !either(inst) {
				continue
			}
			if load[pipeIMAD] < load[pipeALU] {
				inst.pipe = pipeIMAD
			}
			load[inst.pipe] += inst.interval
		}
	}
}

// lower adds the cost of the machine instructions of operation i.
func (d *decoded) lower(low *lowering, i int, cfg *config.GPU) {
	d.issues = uint8(low.count(i))
	switch {
	case low.folded(d.in):
		d.latency, d.interval = 1, 1
	case d.action == actConstant:
		d.issues = 1 // where it is one: see takeConstants
	case d.action == actMemory:
		if d.one = d.in.Op.IsAtomic() && low.aggregates(d.in); d.one {
			// A vote, a population count and, if there is a result, a shuffle.
			d.latency += uint32(cfg.Latency.Vote + cfg.Latency.SFU)
			if d.in.NDst > 0 {
				d.latency += uint32(cfg.Latency.Shuffle + cfg.Latency.ALU)
			}
		}
	case d.pipe == pipeALU || d.pipe == pipeIMAD || d.pipe == pipeVote:
		if d.in.Op != ir.OpAnd && d.in.Op != ir.OpOr && d.in.Op != ir.OpXor && d.in.Op != ir.OpMov {
			d.latency += uint32(d.issues - 1) // the halves of these operations do not wait for each other
		}
		d.interval *= uint32(d.issues)
	}
}

// actions maps the action of an op in the IR to the action of the pipeline.
var actions = [ir.NumActions]action{
	ir.ActALU: actALU, ir.ActSpecial: actSpecial, ir.ActClock: actSpecial, ir.ActLoad: actMemory, ir.ActStore: actMemory, ir.ActAtomic: actMemory,
	ir.ActSums: actSums, ir.ActCopy: actCopy, ir.ActBulk: actCopy, ir.ActCopies: actCopies,
	ir.ActFence: actFence, ir.ActBarrier: actBarrier, ir.ActNamed: actNamed, ir.ActCluster: actCluster, ir.ActWarp: actCollective, ir.ActSleep: actSleep, ir.ActTrap: actTrap,
	ir.ActBranch: actBranch, ir.ActJump: actJump, ir.ActExit: actExit,
}

func pipeOf(in *ir.Inst, a action) pipe {
	switch a {
	case actSpecial:
		return pipeSpecial
	case actCollective:
		switch ir.Ops[in.Op].Class {
		case ir.ClassShuffle:
			return pipeShuffle
		case ir.ClassTensor:
			if in.Op.OfSums() && !in.Op.IsGroupMMA() || in.Op == ir.OpFragment {
				return pipeNone
			}
			return pipeTensor
		}
		return pipeVote
	case actConstant:
		return pipeALU
	case actALU, actSums:
	default:
		return pipeNone
	}
	k := in.ArgK
	if k == ir.Void {
		k = in.K
	}
	if (in.Op == ir.OpCvt || in.Op == ir.OpCalc1) && k.Float() && !in.K.Float() {
		return pipeSFU // to an integer; a conversion to floating point uses the ALU
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

func pipeTiming(pipe pipe, in *ir.Inst, cfg *config.GPU) (latency, interval uint32) {
	latencies, intervals := &cfg.Latency, &cfg.Cadence
	pair := func(a, b int) (uint32, uint32) { return uint32(a), uint32(b) }
	switch pipe {
	case pipeIMAD:
		return pair(latencies.IMAD, intervals.IMAD)
	case pipeFP32:
		return pair(latencies.FP32, intervals.FP32)
	case pipeFP64:
		return pair(latencies.FP64, intervals.FP64)
	case pipeSFU:
		switch {
		case in.Op == ir.OpSqrt:
			return pair(latencies.Sqrt, intervals.Sqrt)
		case ir.Ops[in.Op].Class == ir.ClassDiv && in.K == ir.F32:
			return pair(latencies.FDiv, intervals.FDiv)
		case ir.Ops[in.Op].Class == ir.ClassDiv:
			return pair(latencies.Div, intervals.Div)
		}
		return pair(latencies.SFU, intervals.SFU)
	case pipeVote:
		return pair(latencies.Vote, intervals.Vote)
	case pipeShuffle:
		return pair(latencies.Shuffle, intervals.Shuffle)
	case pipeSpecial:
		return pair(latencies.Special, intervals.Special)
	case pipeTensor:
		if in.Op.IsGroupMMA() {
			return groupTiming(in)
		}
		return tensorTiming(ir.MMA(in.Imm).Variant(), cfg.TensorCore())
	case pipeNone, pipeShared:
		return 0, 1
	}
	return pair(latencies.ALU, intervals.ALU)
}
