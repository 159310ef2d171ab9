package trial

import (
	"github.com/weft-gpu/weft/internal/proof/progress"
	"github.com/weft-gpu/weft/sim/policy"
)

// Schedule returns a counterexample as a schedule for a simulated machine on
// which the threads of the test are blocks: each step of the test is one access
// to memory of a block. Blocks are placed in the order of their first steps.
func Schedule(x *progress.Counterexample) *policy.Schedule {
	s := &policy.Schedule{Steps: turns(x.Prefix), Loop: turns(x.Cycle)}
	placed := progress.Set(0)
	for _, m := range append(x.Prefix[:len(x.Prefix):len(x.Prefix)], x.Cycle...) {
		if !placed.Has(m.Thread) {
			s.Dispatch = append(s.Dispatch, m.Thread)
			placed |= 1 << m.Thread
		}
	}
	return s
}

// turns returns moves as turns of blocks.
func turns(moves []progress.Move) (list []policy.Turn) {
	for _, m := range moves {
		list = policy.AppendTurn(list, policy.Turn{Block: m.Thread})
	}
	return list
}
