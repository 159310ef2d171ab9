package waitfor

import (
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// round is what a group of lanes does in one period of the loop that it is in.
type round struct {
	recurs bool // the group returns to the same state
	length int  // instructions executed
	reads  []readWord
	steps  []int32
	in     []bool // by instruction: it is executed
	// last has, for each executed instruction, what it read when it was executed last.
	last map[int32]*step
}

// step is the last execution of an instruction in a round.
type step struct {
	lanes  uint32 // of all executions
	src    []simt.Row
	preds  [5]uint32
	addr   *simt.Row // of a load, store or atomic
	value  *simt.Row // what it read
	varies bool      // its operands differ from execution to execution
	wrote  bool      // it changed what a lane found in memory that others see
	values []string  // that the word of the first lane had before and after
}

// readWord is a word that lanes of a round read, and that may change.
type readWord struct {
	pc    int32
	lane  int
	addr  uint64
	value uint64
}

// The limits of the execution of a loop, for one group and for all; each group has at least minSteps. maxReads limits
// how many words a round notes.
const (
	maxSteps = 1 << 18
	allSteps = 1 << 22
	minSteps = 1 << 12
	maxReads = 1 << 10
)

// The same limits for a launch that its caller ended: whoever presses Ctrl-C waits for this explanation.
const (
	briefMaxSteps = 1 << 14
	briefAllSteps = 1 << 19
	briefMinSteps = 1 << 7
)

// steps returns how many steps the loop of one more group may take.
func (x *reader) steps() int {
	if x.Brief {
		return max(min(briefMaxSteps, briefAllSteps-x.stepped), briefMinSteps)
	}
	return max(min(maxSteps, allSteps-x.stepped), minSteps)
}

// replay executes a group of lanes on a copy of its warp, until it is in the same state twice, and
// then once more to see what it does. It writes nothing but the copy; other threads do not run.
type replay struct {
	snap  *Snapshot
	w     *simt.Warp
	lanes uint32
	mine  map[uint64]byte // bytes that it has written, by address
	taken int             // steps
}

// newReplay prepares a group; mine are bytes that memory is to have in place of its own, by address.
func newReplay(snapshot *Snapshot, warp *Warp, group *Group, mine map[uint64]byte) *replay {
	copied := *warp.Warp
	// The group alone: other lanes of its warp stay where they are, as they do while it spins.
	copied.Path, copied.Stack, copied.Parts = group.Path, slices.Clone(group.Stack), nil
	copied.Regs, copied.Preds, copied.Local = slices.Clone(warp.Regs), slices.Clone(warp.Preds), slices.Clone(warp.Local)
	out := &replay{snap: snapshot, w: &copied, lanes: group.Mask, mine: mine}
	if mine == nil {
		out.mine = map[uint64]byte{}
	}
	for _, pc := range warp.Pending {
		out.arrive(&copied.Grid.Prog.Code[pc])
	}
	return out
}

// arrive gives the lanes the result of an access in flight, as if it had read memory now. Its
// address is still in the registers, unless a later instruction has overwritten them; then the
// access most likely is invalid, and stays in flight.
func (r *replay) arrive(in *ir.Inst) {
	var addrs simt.Row
	mask := r.w.Guarded(in)
	if r.w.Addresses(in, mask, &addrs); r.w.Check(in, mask, &addrs) != nil {
		return
	}
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if simt.SpaceOf(addrs[lane]) == ir.Local {
			continue
		}
		data := r.read(in, lane, addrs[lane])
		if in.Op == ir.OpLoad {
			r.w.WriteBack(in, lane, data, 0)
		} else {
			r.w.AtomicResult(in, lane, simt.Load(data, 0, in.Mem.Kind))
		}
	}
}

// state is what determines what a group does next, if memory does not change.
type state struct {
	path  simt.Path
	stack []simt.Path
	regs  []simt.Row
	preds []uint32
}

func (r *replay) state() state {
	return state{r.w.Path, slices.Clone(r.w.Stack), slices.Clone(r.w.Regs), slices.Clone(r.w.Preds)}
}

func (r *replay) same(s *state) bool {
	return r.w.Path == s.path && slices.Equal(r.w.Stack, s.stack) && slices.Equal(r.w.Preds, s.preds) && slices.Equal(r.w.Regs, s.regs)
}

// round finds the loop of the group, in at most so many steps. If the state does not recur, such as in a loop that
// counts, the round is all that it executes in the second half of these steps: the outermost loop that it is in.
func (r *replay) round(most int) *round {
	var kept state
	// Brent's algorithm: a state is kept, and a new one after twice as many visits, so that a period of any length is found
	// with one state in memory.
	have, visits, renew := false, 0, 1
	recurs := false
	stopped := false
	for range most {
		from := r.w.PC
		if !r.step(nil) {
			stopped = true
			break
		}
		// Each round of a loop goes back at least once. Comparing there alone is as good, and much cheaper.
		if r.w.PC > from {
			continue
		}
		if have && r.same(&kept) {
			recurs = true
			break
		}
		if visits++; visits >= renew {
			kept, have, renew = r.state(), true, 2*visits
		}
	}
	out := &round{recurs: recurs, in: make([]bool, len(r.w.Grid.Prog.Code)), last: map[int32]*step{}}
	// It came to a barrier, to a collective with lanes that are not there, or to its end: it is in no loop that it can run
	// alone.
	if !have || stopped {
		return out
	}
	head := r.w.PC
	// The round is executed once more, now with notes: most groups recur so early that this costs nothing.
	start := r.state()
	for range most {
		if !r.step(out) {
			break
		}
		if r.w.PC == head && recurs && r.same(&start) {
			break
		}
	}
	return out
}

// step executes an instruction. It returns false if the group cannot go on alone, or has left its
// lanes.
func (r *replay) step(out *round) bool {
	warp := r.w
	code := warp.Grid.Prog.Code
	if int(warp.PC) >= len(code) || warp.Mask&r.lanes == 0 {
		return false
	}
	pc, in := warp.PC, &code[warp.PC]
	mask := warp.Guarded(in)
	r.taken++
	var noted *step
	if out != nil {
		noted = out.note(warp, pc, in, mask)
	}
	switch in.Op.Action() {
	case ir.ActALU:
		if warp.ALU(in, mask) != 0 {
			return false
		}
	case ir.ActBranch:
		warp.Branch(in, mask)
		return true
	case ir.ActJump:
		warp.Jump(in.Target)
		return true
	case ir.ActExit:
		warp.Exit(mask)
		return warp.Mask&r.lanes != 0
	case ir.ActLoad, ir.ActStore, ir.ActAtomic:
		if !r.access(in, mask, noted) {
			return false
		}
		if out != nil && in.Op != ir.OpStore {
			out.read(warp, pc, in, mask, noted)
		}
	// A clock goes on by one with each step, so that a loop that waits for a time ends.
	case ir.ActSpecial, ir.ActClock:
		warp.Special(in, mask, uint64(r.taken), 0)
	case ir.ActWarp:
		// It waits there for lanes that are elsewhere.
		if warp.Missing(in, mask) != 0 || in.Op.OfSums() {
			return false
		}
		warp.Collective(in, mask)
	// Alone and in program order a group has nothing to wait for at a fence, and time does not matter.
	case ir.ActFence, ir.ActSleep:
	default: // a barrier or a trap
		return false
	}
	warp.Next()
	return true
}

// read notes the words that an instruction has read, unless they are of the thread alone.
func (r *round) read(w *simt.Warp, pc int32, in *ir.Inst, mask uint32, step *step) {
	for m := mask; m != 0 && len(r.reads) < maxReads; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		addr := step.addr[lane]
		if simt.SpaceOf(addr) == ir.Local {
			continue
		}
		known := func(o readWord) bool { return o.addr == addr && o.lane == lane && o.pc == pc }
		// The value of the last read is what the loop went on with.
		if i := slices.IndexFunc(r.reads, known); i >= 0 {
			r.reads[i].value = step.value[lane]
		} else {
			r.reads = append(r.reads, readWord{pc, lane, addr, step.value[lane]})
		}
	}
}

// note records what an instruction reads.
func (r *round) note(warp *simt.Warp, pc int32, in *ir.Inst, mask uint32) *step {
	noted, again := r.last[pc]
	if !again {
		noted = &step{src: make([]simt.Row, in.NSrc)}
		if in.Op.Addressed() {
			noted.addr, noted.value = new(simt.Row), new(simt.Row)
		}
		r.last[pc], r.in[pc] = noted, true
		r.steps = append(r.steps, pc)
	}
	noted.lanes |= mask
	r.length++
	for operand := range noted.src {
		if in.SrcPred(operand) {
			p := warp.Pred(in.Src[operand])
			noted.varies = noted.varies || again && p != noted.preds[operand]
			noted.preds[operand] = p
			continue
		}
		row := warp.Row(in.Src[operand])
		noted.varies = noted.varies || again && *row != noted.src[operand]
		noted.src[operand] = *row
	}
	return noted
}

// access executes a load, store or atomic.
func (r *replay) access(in *ir.Inst, mask uint32, step *step) bool {
	warp := r.w
	var addrs simt.Row
	warp.Addresses(in, mask, &addrs)
	if in.Op.OnMatrix() || warp.Check(in, mask, &addrs) != nil {
		return false
	}
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		addr := warp.Grid.InCluster(warp.Block.ID, addrs[lane])
		// Local memory is of the thread, and part of the copy.
		if simt.SpaceOf(addr) == ir.Local {
			switch in.Op {
			case ir.OpLoad:
				warp.LoadLane(in, lane, addr)
			case ir.OpStore:
				warp.StoreLane(in, lane, addr)
			}
			continue
		}
		data := r.read(in, lane, addr)
		kind := in.Mem.Kind
		old := simt.Load(data, 0, kind)
		if step != nil {
			step.addr[lane], step.value[lane] = addr, old
		}
		switch in.Op {
		case ir.OpLoad:
			warp.WriteBack(in, lane, data, 0)
			continue
		case ir.OpStore:
			for v := range int(in.Mem.Vec) {
				simt.Store(data, v*kind.Bytes(), kind, warp.StoreValue(in, v, lane))
			}
		default:
			v, cmp := warp.AtomicOperands(in, lane)
			simt.Store(data, 0, kind, simt.AtomicApply(in.Op, kind, old, v, cmp))
			warp.AtomicResult(in, lane, old)
		}
		// The values that a report shows are those of one lane; all others would only repeat them.
		if step != nil && lane == bits.TrailingZeros32(step.lanes) {
			step.values = distinct(distinct(step.values, number(kind, old)), number(kind, simt.Load(data, 0, kind)))
		}
		for i, b := range r.read(in, lane, addr)[:in.Mem.Bytes()] {
			// A store of what is there already does not count as a change: others cannot see it.
			if b != data[i] && step != nil {
				step.wrote = true
			}
			r.mine[addr+uint64(i)] = data[i]
		}
	}
	return true
}

// read returns the bytes that a lane's access reads, with what the group has written itself.
func (r *replay) read(in *ir.Inst, lane int, addr uint64) []byte {
	size := in.Mem.Bytes()
	buf := make([]byte, 16) // aligned for every access
	data, off, _ := r.w.Resolve(lane, addr)
	copy(buf[:size], data[off:])
	// The copy in L1 is what the load would get, even if memory has another value by now.
	if cached := r.snap.cached(r.w.Block.SM, in, addr); cached != nil {
		copy(buf[:size], cached)
	}
	// What the group has written itself it reads back, in program order.
	for i := range size {
		if b, ok := r.mine[addr+uint64(i)]; ok {
			buf[i] = b
		}
	}
	return buf
}
