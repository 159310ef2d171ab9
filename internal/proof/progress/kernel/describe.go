package kernel

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/mbarrier"
	"github.com/weft-gpu/weft/internal/proof/progress"
	"github.com/weft-gpu/weft/sim/policy"
)

// Describe says where in the source a step is, which element it accesses, and
// what it reads and writes: of the first lane, if there are several.
func (s *System) Describe(m progress.Move) progress.Step {
	if m.Unit >= s.strandUnits() {
		return s.describeEnd(m)
	}
	b, w, x := s.restore(m.From, m.Unit)
	place(w, x)
	in := &s.g.Prog.Code[x.pc]
	mask := w.Guarded(in)
	switch act := in.Op.Action(); {
	case meets(in):
		return s.describeArrival(in, m)
	case act == ir.ActCopy, act == ir.ActBulk, act == ir.ActCopies:
		return s.describeCopy(b, w, in, m)
	}
	var addrs simt.Row
	w.Addresses(in, mask, &addrs)
	lane := bits.TrailingZeros32(mask)
	addr := addrs[lane]
	out := progress.Step{Thread: m.Thread, At: s.where(in), Code: fmt.Sprintf("%s %s", verb(in.Op), s.element(b, addr))}
	var who []string // of the model's thread
	if s.clustered() {
		who = append(who, fmt.Sprintf("block %d", b.ID))
	}
	if n := bits.OnesCount32(mask) - 1; n > 0 {
		who = append(who, fmt.Sprintf("lane %d, and %d more", lane, n))
	} else if s.as != Lanes && s.g.Threads > 1 {
		who = append(who, fmt.Sprintf("thread %d", w.Index*simt.Lanes+lane))
	}
	if len(who) > 0 {
		out.Code += " (" + strings.Join(who, ", ") + ")"
	}
	old := s.value(w, in, lane, addr)
	if _, err := s.Step(m.From, m.Unit, nil); err != nil {
		out.Effect = err.Error()
		return out
	}
	now := s.value(w, in, lane, addr)
	switch {
	case in.Op == ir.OpLoad:
		out.Effect = "reads " + old
	case in.Op.Stores():
		out.Effect = "writes " + now
	case old == now:
		out.Effect = "reads " + old + ", which stays"
	default:
		out.Effect = "reads " + old + ", writes " + now
	}
	out.Effect += s.follows(b, w, m)
	return out
}

// describeArrival describes a step to a barrier or collective.
func (s *System) describeArrival(in *ir.Inst, m progress.Move) progress.Step {
	out := progress.Step{Thread: m.Thread, At: s.where(in), Code: "comes to " + in.Op.String()}
	if m.From != m.To {
		out.Effect = "so that others need not wait for it"
	}
	return out
}

// follows says what became of the unit of a move, if it is not before another
// step.
func (s *System) follows(b *block, w *simt.Warp, m progress.Move) string {
	for _, x := range b.strands[w.Index] {
		if x.slot != m.Unit%s.slots {
			continue
		}
		switch s.g.Prog.Code[x.pc].Op.Action() {
		case ir.ActBarrier, ir.ActNamed:
			return ": waits at a barrier"
		case ir.ActCluster:
			return ": waits at the barrier of the cluster"
		case ir.ActCopies:
			if x.arrived {
				return ": waits for its copies"
			}
		case ir.ActWarp:
			return ": waits for lanes of its warp"
		}
		return ""
	}
	switch {
	case !b.done():
		return ""
	case s.clustered():
		return fmt.Sprintf(": block %d ends", b.ID)
	}
	return ": ends"
}

// value returns the value of the element of an access, as text.
func (s *System) value(w *simt.Warp, in *ir.Inst, lane int, addr uint64) string {
	data, off, _ := w.Resolve(lane, addr)
	k := in.Mem.Kind
	if data == nil || off+k.Bytes() > len(data) {
		return "?"
	}
	v := simt.Load(data, off, k)
	switch {
	case in.Op.IsMBarrier():
		b := mbarrier.State(v)
		if !b.Valid() {
			return "no mbarrier"
		}
		return phase(b)
	case k == ir.F32:
		return fmt.Sprint(math.Float32frombits(uint32(v)))
	case k == ir.F64:
		return fmt.Sprint(math.Float64frombits(v))
	case k == ir.S64:
		return fmt.Sprint(int64(v))
	case k.Signed():
		return fmt.Sprint(int32(v))
	}
	return fmt.Sprint(v)
}

// element returns the name of an address that a thread of a block accesses: "lock[0]".
func (s *System) element(b *block, addr uint64) string {
	if simt.SpaceOf(addr) == ir.Shared {
		rank, own, named := ir.SharedOf(addr)
		memory := "shared memory"
		if named && rank != b.Rank {
			memory += fmt.Sprintf(" of block %d", b.ID-b.Rank+rank)
		}
		off := int(own &^ ir.SharedWindow)
		for i := range s.g.Shared {
			if v := &s.g.Shared[i]; off >= v.Off && off < v.Off+v.Size {
				return fmt.Sprintf("%s[%d] in %s", v.Name, (off-v.Off)/max(v.ElemSize, 1), memory)
			}
		}
		return memory
	}
	a, off := s.g.Mem.Lookup(addr)
	if a == nil {
		return fmt.Sprintf("address %#x", addr)
	}
	return fmt.Sprintf("%s[%d]", a.Name, off/a.Elem.Bytes())
}

// verb returns what an op does to an element.
func verb(op ir.Op) string {
	switch op {
	case ir.OpLoad:
		return "load"
	case ir.OpStore:
		return "store"
	}
	return strings.Replace(op.String(), "atom", "atomic", 1)
}

// Schedule returns a counterexample as a schedule that a simulated machine can
// follow.
func (s *System) Schedule(x *progress.Counterexample) *policy.Schedule {
	turns := func(taken []access) (list []policy.Turn) {
		for _, a := range taken {
			t := policy.Turn{Block: a.block, Warp: a.warp}
			if !a.all {
				for m := a.lanes; m != 0; m &= m - 1 {
					t.Lanes = append(t.Lanes, bits.TrailingZeros32(m))
				}
			}
			list = policy.AppendTurn(list, t)
		}
		return list
	}
	accesses := func(moves []progress.Move) []access {
		list := &[]access{}
		s.taken = list
		defer func() { s.taken = nil }()
		for _, m := range moves {
			if _, err := s.Step(m.From, m.Unit, nil); err != nil {
				break // not reached: the step was taken before
			}
		}
		return *list
	}
	out := &policy.Schedule{
		Steps: turns(append(append([]access{}, *s.start...), accesses(x.Prefix)...)), Loop: turns(accesses(x.Cycle)),
	}
	placed := map[int]bool{}
	for _, t := range append(append([]policy.Turn{}, out.Steps...), out.Loop...) {
		if !placed[t.Block] {
			placed[t.Block] = true
			out.Dispatch = append(out.Dispatch, t.Block)
		}
	}
	return out
}
