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
func newReplay(s *Snapshot, w *Warp, g *Group, mine map[uint64]byte) *replay {
	c := *w.Warp
	c.Path, c.Stack, c.Parts = g.Path, slices.Clone(g.Stack), nil
	c.Regs, c.Preds, c.Local = slices.Clone(w.Regs), slices.Clone(w.Preds), slices.Clone(w.Local)
	r := &replay{snap: s, w: &c, lanes: g.Mask, mine: mine}
	if mine == nil {
		r.mine = map[uint64]byte{}
	}
	for _, pc := range w.Pending {
		r.arrive(&c.Grid.Prog.Code[pc])
	}
	return r
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
	have, visits, renew := false, 0, 1
	recurs := false
	stopped := false
	for range most {
		from := r.w.PC
		if !r.step(nil) {
			stopped = true
			break
		}
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
	if !have || stopped {
		return out
	}
	head := r.w.PC
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
	w := r.w
	code := w.Grid.Prog.Code
	if int(w.PC) >= len(code) || w.Mask&r.lanes == 0 {
		return false
	}
	pc, in := w.PC, &code[w.PC]
	mask := w.Guarded(in)
	r.taken++
	var s *step
	if out != nil {
		s = out.note(w, pc, in, mask)
	}
	switch in.Op.Action() {
	case ir.ActALU:
		if w.ALU(in, mask) != 0 {
			return false
		}
	case ir.ActBranch:
		w.Branch(in, mask)
		return true
	case ir.ActJump:
		w.Jump(in.Target)
		return true
	case ir.ActExit:
		w.Exit(mask)
		return w.Mask&r.lanes != 0
	case ir.ActLoad, ir.ActStore, ir.ActAtomic:
		if !r.access(in, mask, s) {
			return false
		}
		if out != nil && in.Op != ir.OpStore {
			out.read(w, pc, in, mask, s)
		}
	case ir.ActSpecial, ir.ActClock:
		w.Special(in, mask, uint64(r.taken), 0)
	case ir.ActWarp:
		if w.Missing(in, mask) != 0 {
			return false
		}
		w.Collective(in, mask)
	case ir.ActFence, ir.ActSleep:
	default: // a barrier or a trap
		return false
	}
	w.Next()
	return true
}

// read notes the words that an instruction has read, unless they are of the thread alone.
func (r *round) read(w *simt.Warp, pc int32, in *ir.Inst, mask uint32, s *step) {
	for m := mask; m != 0 && len(r.reads) < maxReads; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		addr := s.addr[lane]
		if simt.SpaceOf(addr) == ir.Local {
			continue
		}
		known := func(o readWord) bool { return o.addr == addr && o.lane == lane && o.pc == pc }
		if i := slices.IndexFunc(r.reads, known); i >= 0 {
			r.reads[i].value = s.value[lane]
		} else {
			r.reads = append(r.reads, readWord{pc, lane, addr, s.value[lane]})
		}
	}
}

// note records what an instruction reads.
func (r *round) note(w *simt.Warp, pc int32, in *ir.Inst, mask uint32) *step {
	s, again := r.last[pc]
	if !again {
		s = &step{src: make([]simt.Row, in.NSrc)}
		if in.Op.Addressed() {
			s.addr, s.value = new(simt.Row), new(simt.Row)
		}
		r.last[pc], r.in[pc] = s, true
		r.steps = append(r.steps, pc)
	}
	s.lanes |= mask
	r.length++
	for i := range s.src {
		if in.SrcPred(i) {
			p := w.Pred(in.Src[i])
			s.varies = s.varies || again && p != s.preds[i]
			s.preds[i] = p
			continue
		}
		row := w.Row(in.Src[i])
		s.varies = s.varies || again && *row != s.src[i]
		s.src[i] = *row
	}
	return s
}

// access executes a load, store or atomic.
func (r *replay) access(in *ir.Inst, mask uint32, s *step) bool {
	w := r.w
	var addrs simt.Row
	w.Addresses(in, mask, &addrs)
	if w.Check(in, mask, &addrs) != nil {
		return false
	}
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		addr := addrs[lane]
		if simt.SpaceOf(addr) == ir.Local {
			switch in.Op {
			case ir.OpLoad:
				w.LoadLane(in, lane, addr)
			case ir.OpStore:
				w.StoreLane(in, lane, addr)
			}
			continue
		}
		data := r.read(in, lane, addr)
		k := in.Mem.Kind
		old := simt.Load(data, 0, k)
		if s != nil {
			s.addr[lane], s.value[lane] = addr, old
		}
		switch in.Op {
		case ir.OpLoad:
			w.WriteBack(in, lane, data, 0)
			continue
		case ir.OpStore:
			for v := range int(in.Mem.Vec) {
				simt.Store(data, v*k.Bytes(), k, w.StoreValue(in, v, lane))
			}
		default:
			v, cmp := w.AtomicOperands(in, lane)
			simt.Store(data, 0, k, simt.AtomicApply(in.Op, k, old, v, cmp))
			w.AtomicResult(in, lane, old)
		}
		if s != nil && lane == bits.TrailingZeros32(s.lanes) {
			s.values = distinct(distinct(s.values, number(k, old)), number(k, simt.Load(data, 0, k)))
		}
		for i, b := range r.read(in, lane, addr)[:in.Mem.Bytes()] {
			if b != data[i] && s != nil {
				s.wrote = true
			}
			r.mine[addr+uint64(i)] = data[i]
		}
	}
	return true
}

// read returns the bytes that a lane's access reads, with what the group has written itself.
func (r *replay) read(in *ir.Inst, lane int, addr uint64) []byte {
	n := in.Mem.Bytes()
	buf := make([]byte, 16) // aligned for every access
	data, off, _ := r.w.Resolve(lane, addr)
	copy(buf[:n], data[off:])
	if cached := r.snap.cached(r.w.Block.SM, in, addr); cached != nil {
		copy(buf[:n], cached)
	}
	for i := range n {
		if b, ok := r.mine[addr+uint64(i)]; ok {
			buf[i] = b
		}
	}
	return buf
}
