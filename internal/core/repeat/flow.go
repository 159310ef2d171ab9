package repeat

import (
	"math/bits"
	"sync"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Flow is how values flow between the registers of a program. A warp has a row for each register and, after these, for
// each predicate; see ir.Program.
type Flow struct {
	rows  int
	insts []flowInst
	shift uint // instructions are recorded in groups of 1<<shift
	// live has the rows that matter to a lane that is about to execute an instruction. Most launches never need them.
	live func() []ir.Rows
	// cycles are the loops of the program; fewer still need them.
	cycles func() *cycles
}

// flowInst is what an instruction reads and writes.
type flowInst struct {
	rows   [ir.MaxRows]uint16 // destinations, then sources and guard
	numDst uint8
	num    uint8
	acts   bool // its operands decide what the warp does: where it goes on, what it reads, or what others see of it
	clock  bool // its result differs from time to time
}

// recorded is the largest number of groups of instructions that are recorded for a warp.
const recorded = 1 << 14

// NewFlow analyzes a program.
func NewFlow(p *ir.Program) *Flow {
	f := &Flow{rows: p.NumRegs + p.NumPreds, insts: make([]flowInst, len(p.Code)), live: sync.OnceValue(p.Liveness)}
	f.cycles = sync.OnceValue(func() *cycles { return f.newCycles(p) })
	for len(p.Code)>>f.shift > recorded {
		f.shift++
	}
	for i := range p.Code {
		in, x := &p.Code[i], &f.insts[i]
		use := func(pred bool, row int32) {
			if row < 0 { // a constant
				return
			}
			if pred {
				row += int32(p.NumRegs)
			}
			x.rows[x.num] = uint16(row)
			x.num++
		}
		for _, d := range in.Dst[:in.NDst] {
			use(in.K == ir.Pred, d)
		}
		x.numDst = x.num
		for j := range int(in.NSrc) {
			use(in.SrcPred(j), int32(in.Src[j]))
		}
		use(true, int32(in.Guard))
		x.acts, x.clock = acts(in.Op), in.Op == ir.OpReadSpecial
	}
	return f
}

// acts reports whether the operands of an instruction matter even if nobody uses its result. Those of a sleep do not:
// it only takes time.
func acts(op ir.Op) bool {
	switch op.Action() {
	case ir.ActALU:
		return ir.Ops[op].Faults
	case ir.ActSpecial, ir.ActClock, ir.ActSleep:
		return false
	}
	return true
}

// mergeLive adds the rows that matter to lanes at one of the places.
func (f *Flow) mergeLive(live ir.Rows, places []int32) {
	all := f.live()
	for _, pc := range places {
		if int(pc) < len(all) {
			for i, word := range all[pc] {
				live[i] |= word
			}
		}
	}
}

// relevant sets the rows that decide what a warp does as long as it executes only the given instructions: those that
// feed, over any number of these instructions, a branch, a mask, an address, a value that is written, or a collective.
// clock reports that a clock feeds one of them.
func (f *Flow) relevant(executed []uint64, rel []bool) (clock bool) {
	clear(rel)
	for again := true; again; {
		again = false
		// Backwards, since most values are used behind where they are computed.
		for g := len(executed) - 1; g >= 0; g-- {
			for word := executed[g]; word != 0; {
				top := 63 - bits.LeadingZeros64(word)
				word &^= 1 << top
				first := (g<<6 + top) << f.shift
				for i := min(first+1<<f.shift, len(f.insts)) - 1; i >= first; i-- {
					x := &f.insts[i]
					needed := x.acts
					for _, r := range x.rows[:x.numDst] {
						needed = needed || rel[r]
					}
					if !needed {
						continue
					}
					clock = clock || x.clock
					for _, r := range x.rows[x.numDst:x.num] {
						again = again || !rel[r]
						rel[r] = true
					}
				}
			}
		}
	}
	return clock
}
