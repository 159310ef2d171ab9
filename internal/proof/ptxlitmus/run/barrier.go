package run

import (
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/proof/ptxlitmus"
)

// barriers says how the barriers of a test become named barriers of a block. Instructions of a test meet if they have
// the same instance and the same ID, so each such pair is a barrier of its own. A barrier of a test without a count is
// for all threads of its block that come to barriers at all: those without one have ended, and nobody waits for them.
type barriers struct {
	used bool
	// together is set if instances can share warps, one in each lane: each thread comes to the same barriers in
	// the same order in every instance. Otherwise an instance has warps of its own, since a warp arrives as a whole.
	together bool
	first    map[int32]int32 // by instance: the number of the barrier with ID low
	low      map[int32]int32 // by instance: the smallest ID
	members  map[int]int32   // by block of the test: the threads that come to barriers
	calls    map[int][]call  // by block of the test: the barriers that its threads may wait at
	dynamic  bool            // a number or count is not known before the test runs
}

// call is a barrier's number and for how many threads.
type call struct{ number, threads int32 }

// barriersOf assigns numbers to the barriers of a test.
func barriersOf(t *ptxlitmus.Test) (*barriers, error) {
	b := &barriers{together: true, first: map[int32]int32{}, low: map[int32]int32{}, members: map[int]int32{}, calls: map[int][]call{}}
	high := map[int32]int32{}
	open := map[int32]bool{} // by instance: an ID is in a register
	var order []int32
	for i := range t.Threads {
		th := &t.Threads[i]
		member := false
		for pc := range th.Code {
			in := &th.Code[pc]
			if !isBarrier(in.Op) {
				continue
			}
			b.used, member = true, true
			id, known := value(t, i, in.ID)
			if in.Count != nil {
				_, constant := value(t, i, in.Count)
				b.dynamic = b.dynamic || !constant
			}
			b.dynamic = b.dynamic || !known
			b.together = b.together && !b.dynamic && always(th.Code, pc)
			if _, ok := b.low[in.Instance]; !ok {
				order = append(order, in.Instance)
				b.low[in.Instance], high[in.Instance] = id, id
			}
			b.low[in.Instance], high[in.Instance] = min(b.low[in.Instance], id), max(high[in.Instance], id)
			open[in.Instance] = open[in.Instance] || !known
		}
		if member {
			b.members[th.CTA]++
		}
	}
	if err := b.number(order, high, open); err != nil {
		return nil, err
	}
	return b, b.collect(t)
}

// number gives each instance its range of barriers. One whose IDs are in registers takes IDs from 0, and shares what
// is left with the others like it.
func (b *barriers) number(order []int32, high map[int32]int32, open map[int32]bool) error {
	need, opens := int32(0), int32(0)
	for _, n := range order {
		if open[n] {
			b.low[n] = min(b.low[n], 0)
			opens++
		}
		need += high[n] - b.low[n] + 1
	}
	if need < 0 || need > ir.Barriers-1 {
		return fmt.Errorf("its barriers need %d numbers; a block has barriers 1 to %d here", need, ir.Barriers-1)
	}
	next, spare := int32(1), int32(0)
	if opens > 0 {
		spare = (ir.Barriers - 1 - need) / opens
	}
	for _, n := range order {
		b.first[n] = next
		next += high[n] - b.low[n] + 1
		if open[n] {
			next += spare
		}
	}
	return nil
}

// collect lists the barriers at which threads may wait, and rejects what PTX leaves undefined: one barrier with
// different numbers of threads.
func (b *barriers) collect(t *ptxlitmus.Test) error {
	for i := range t.Threads {
		cta := t.Threads[i].CTA
		for pc := range t.Threads[i].Code {
			in := &t.Threads[i].Code[pc]
			if !isBarrier(in.Op) {
				continue
			}
			count, constant := b.threads(t, i, in)
			if !constant {
				continue // nobody can release it
			}
			if count < 1 || count > simt.MaxThreads/simt.Lanes {
				return fmt.Errorf("line %d: a barrier of %d threads", in.Pos.Line, count)
			}
			first, last := b.first[in.Instance], int32(ir.Barriers-1)
			if id, known := value(t, i, in.ID); known {
				first += id - b.low[in.Instance]
				last = first
			}
			for n := first; n <= last; n++ {
				other := slices.IndexFunc(b.calls[cta], func(c call) bool { return c.number == n })
				if other < 0 {
					b.calls[cta] = append(b.calls[cta], call{n, count})
				} else if c := b.calls[cta][other]; c.threads != count {
					return fmt.Errorf("line %d: a barrier of %d threads, which another line may use for %d: PTX leaves that undefined", in.Pos.Line, count, c.threads)
				}
			}
		}
	}
	return nil
}

// threads returns for how many threads a barrier is, if that is known before the test runs.
func (b *barriers) threads(t *ptxlitmus.Test, thread int, in *ptxlitmus.Instr) (n int32, known bool) {
	if in.Count == nil {
		return b.members[t.Threads[thread].CTA], true
	}
	return value(t, thread, in.Count)
}

func isBarrier(op ptxlitmus.Op) bool { return op == ptxlitmus.BarSync || op == ptxlitmus.BarArrive }

// value returns the value of an operand that never changes: a constant, or a register that the thread does not write;
// 0 for nil.
func value(t *ptxlitmus.Test, thread int, o *ptxlitmus.Operand) (v int32, known bool) {
	switch {
	case o == nil:
		return 0, true
	case o.Reg == "":
		return o.Const, true
	}
	for i := range t.Threads[thread].Code {
		if t.Threads[thread].Code[i].Dst == o.Reg {
			return 0, false
		}
	}
	return initial(t, thread, o.Reg), true
}

// initial returns the value with which a register starts.
func initial(t *ptxlitmus.Test, thread int, reg string) int32 {
	for _, r := range t.Registers {
		if r.Thread != thread || r.Reg != reg {
			continue
		}
		for i := range t.Locations {
			if t.Locations[i].Name == r.Loc {
				return ptxlitmus.Address(i)
			}
		}
		return r.Value
	}
	return 0
}

// next returns the instructions that can follow instruction pc of code; len(code) is the end.
func next(code []ptxlitmus.Instr, pc int) []int {
	switch in := &code[pc]; in.Op {
	case ptxlitmus.Goto:
		return []int{in.Target}
	case ptxlitmus.Branch:
		return []int{pc + 1, in.Target}
	}
	return []int{pc + 1}
}

// always reports whether a thread executes instruction pc exactly once.
func always(code []ptxlitmus.Instr, pc int) bool {
	return !reaches(code, 0, len(code), pc) && !reaches(code, pc+1, pc, len(code))
}

// reaches reports whether a path leads from one instruction to another without passing a third.
func reaches(code []ptxlitmus.Instr, from, to, without int) bool {
	seen := make([]bool, len(code)+1)
	work := []int{from}
	for len(work) > 0 {
		pc := work[len(work)-1]
		work = work[:len(work)-1]
		if pc == without || seen[pc] {
			continue
		}
		if pc == to {
			return true
		}
		seen[pc] = true
		if pc < len(code) {
			work = append(work, next(code, pc)...)
		}
	}
	return false
}

// loops reports whether a thread of the test has a loop.
func loops(t *ptxlitmus.Test) bool {
	for i := range t.Threads {
		code := t.Threads[i].Code
		for pc := range code {
			for _, n := range next(code, pc) {
				if n <= pc {
					return true
				}
			}
		}
	}
	return false
}
