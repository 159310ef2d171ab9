package kernel

import (
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// access is an access to memory that a simulated machine counts as a step.
type access struct {
	block, warp int
	lanes       uint32
	all         bool // the warp's other lanes have exited
}

// place makes a strand's lanes the active ones of its warp.
func place(w *simt.Warp, x *strand) { w.Path = simt.Path{PC: x.pc, Recon: -1, Mask: x.mask} }

// take takes the step that a strand is before: an access, or coming to a barrier
// or collective.
func (s *System) take(b *block, w *simt.Warp, x *strand) error {
	place(w, x)
	in := &s.g.Prog.Code[x.pc]
	if meets(in) {
		return s.arrive(b, w, x)
	}
	x.moving = true
	err := s.access(b, w, in, w.Guarded(in))
	x.pc++
	return err
}

// arrive lets a strand come to a barrier or collective. At a named barrier it moves
// on if it need not wait; all else is left to settle.
func (s *System) arrive(b *block, w *simt.Warp, x *strand) error {
	in := &s.g.Prog.Code[x.pc]
	x.moving, x.arrived = false, true
	if in.Op.Action() != ir.ActNamed {
		return nil
	}
	if in.Op.SetsRegisters() {
		return s.setRegisters(b, w, in, x)
	}
	err := s.count(b, w, in, x.mask)
	if err == nil && in.Op != ir.OpBarSync {
		x.leave()
	}
	return err
}

// leave lets a strand go on after a barrier or collective.
func (x *strand) leave() { x.pc, x.moving, x.arrived = x.pc+1, true, false }

// access executes what accesses memory, or waits for copies.
func (s *System) access(b *block, w *simt.Warp, in *ir.Inst, mask uint32) error {
	switch in.Op.Action() {
	case ir.ActCopy, ir.ActBulk:
		return s.begin(b, w, in, mask)
	case ir.ActCopies:
		s.groups(b, w, in, mask)
		return nil
	}
	if f := s.undisturbed(w, in, mask); f != nil {
		return f
	}
	var at simt.Row // before the result may be where the address was
	w.Addresses(in, mask, &at)
	if err := s.memory(w, in, mask); err != nil || mask == 0 {
		return err
	}
	switch {
	case in.Op == ir.OpMBarInit:
		s.initialised(w, mask, &at)
	case in.Op.AwaitsCopies():
		return s.announce(b, w, in, mask, &at)
	}
	return nil
}

// memory executes a load, store or atomic.
func (s *System) memory(w *simt.Warp, in *ir.Inst, mask uint32) error {
	if s.taken != nil && mask != 0 && !s.local(w, in, mask) {
		*s.taken = append(*s.taken, access{w.Block.ID, w.Index, w.Mask, w.Mask == w.Live()})
	}
	switch in.Op.Action() {
	case ir.ActLoad:
		if f := w.LoadAll(in, mask); f != nil {
			return f
		}
	case ir.ActStore:
		if _, f := w.StoreAll(in, mask); f != nil {
			return f
		}
	case ir.ActAtomic:
		if _, f := w.AtomicAll(in, mask); f != nil {
			return f
		}
	}
	return nil
}

// local reports whether an access is to local memory.
func (s *System) local(w *simt.Warp, in *ir.Inst, mask uint32) bool {
	addr := w.Row(in.Src[0])[bits.TrailingZeros32(mask)] + uint64(in.Imm)
	return simt.SpaceOf(addr) == ir.Local
}

// settle lets the strands of a gang that are moving go on until each is before a
// step, waits for others, or has ended.
func (s *System) settle(g *gang) error {
	for again := true; again; {
		again = false
		for _, b := range g.blocks {
			more, err := s.goOn(b)
			if err != nil {
				return err
			}
			again = again || more
		}
		if g.cluster != nil && g.cluster.Open() {
			again = true
		}
	}
	if f := s.leaves(g); f != nil {
		return f
	}
	return nil
}

// goOn lets the strands of a block that are moving go on, and opens its barrier
// if all have come. It reports whether there may be more to do.
func (s *System) goOn(b *block) (again bool, err error) {
	for i, w := range b.Warps {
		for j := 0; j < len(b.strands[i]); j++ {
			if x := &b.strands[i][j]; s.over(b, w, x) {
				x.leave()
			}
			for b.strands[i][j].moving {
				if err := s.run(b, w, j); err != nil {
					return false, err
				}
				if j >= len(b.strands[i]) {
					break
				}
			}
		}
		joined, err := s.join(b, w)
		if err != nil {
			return false, err
		}
		again = again || joined
	}
	opened, err := s.barrier(b)
	return again || opened, err
}

// run lets a strand of a warp go on. If it diverges, the new strand is moving; if
// it ends, it is removed.
func (s *System) run(b *block, w *simt.Warp, j int) error {
	list := &b.strands[w.Index]
	for range maxLocal {
		x := &(*list)[j]
		place(w, x)
		in := &s.g.Prog.Code[x.pc]
		mask := w.Guarded(in)
		switch in.Op.Action() {
		case ir.ActALU:
			if zero := s.code[x.pc].Do(w, in, mask); zero != 0 {
				return w.DivideFault(in, bits.TrailingZeros32(zero))
			}
		case ir.ActBranch:
			rest := x.mask &^ mask
			if mask == 0 {
				break
			}
			if rest == 0 {
				x.pc = in.Target
				continue
			}
			x.mask, x.pc = rest, x.pc+1
			return s.add(b, w, strand{pc: in.Target, mask: mask, moving: true})
		case ir.ActJump:
			x.pc = in.Target
			continue
		case ir.ActLoad, ir.ActStore, ir.ActAtomic, ir.ActCopy, ir.ActBulk:
			if mask != 0 && s.visible[x.pc] && !s.local(w, in, mask) {
				x.moving = false
				return nil
			}
			if err := s.access(b, w, in, mask); err != nil {
				return err
			}
		case ir.ActCopies:
			if s.awaits(b, w, in, mask) && (s.visible[x.pc] || in.Op == ir.OpBulkWait) {
				x.moving, x.arrived = false, in.Op == ir.OpBulkWait
				return nil
			}
			s.groups(b, w, in, mask)
		case ir.ActSums:
			if f := s.accessSums(b, w, in, mask); f != nil {
				return f
			}
		case ir.ActExit:
			w.Exited |= mask
			if x.mask &^= mask; x.mask == 0 {
				*list = slices.Delete(*list, j, j+1)
				return nil
			}
		case ir.ActTrap:
			if mask != 0 {
				return w.TrapFault(in, bits.TrailingZeros32(mask))
			}
		case ir.ActWarp, ir.ActNamed, ir.ActBarrier, ir.ActCluster:
			switch {
			case mask == 0:
			case !meets(in):
				w.Collective(in, mask)
			case s.gathers(x.pc):
				x.moving = false
				return nil
			default:
				return s.arrive(b, w, x)
			}
		case ir.ActSpecial:
			w.Special(in, mask, 0, 0)
		}
		x.pc++
	}
	in := &s.g.Prog.Code[(*list)[j].pc]
	at := "it"
	if f := s.g.At(in); len(f) > 0 {
		at = f[0].String()
	}
	return s.unsupported("%s is in a loop of more than %d instructions that accesses no memory which others see", at, maxLocal)
}

// add adds a strand to a warp, in a free slot.
func (s *System) add(b *block, w *simt.Warp, x strand) error {
	list := &b.strands[w.Index]
	if s.as == Lanes {
		*list = append(*list, s.apart(x)...)
		return nil
	}
	for x.slot = 0; slices.ContainsFunc(*list, func(o strand) bool { return o.slot == x.slot }); x.slot++ {
	}
	if x.slot >= s.slots {
		return s.unsupported("the lanes of a warp diverge into more than %d groups; use smaller blocks, or fewer", s.slots)
	}
	*list = append(*list, x)
	return nil
}

// apart returns a strand, as one for each of its lanes if lanes are the threads.
func (s *System) apart(x strand) (list []strand) {
	if s.as != Lanes {
		return []strand{x}
	}
	for m := x.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		x.slot, x.mask = lane, 1<<lane
		list = append(list, x)
	}
	return list
}

// join merges strands of a warp that are at the same instruction, and executes
// collectives for which all lanes have come. It reports whether a strand is
// moving again.
func (s *System) join(b *block, w *simt.Warp) (moving bool, err error) {
	list := &b.strands[w.Index]
	slices.SortFunc(*list, func(x, y strand) int { return x.slot - y.slot })
	if s.as != Lanes {
		for i := range *list {
			x := &(*list)[i]
			for k := len(*list) - 1; k > i; k-- {
				if o := &(*list)[k]; o.pc == x.pc && o.arrived == x.arrived && !o.moving && !x.moving {
					x.mask |= o.mask
					*list = slices.Delete(*list, k, k+1)
				}
			}
			if i+1 >= len(*list) {
				break
			}
		}
	}
	for _, x := range *list {
		if x.moving {
			return true, nil
		}
		in := &s.g.Prog.Code[x.pc]
		if act := in.Op.Action(); !x.arrived || act != ir.ActWarp && act != ir.ActCluster {
			continue
		}
		here := uint32(0)
		for _, o := range *list {
			if o.pc == x.pc && o.arrived {
				here |= o.mask
			}
		}
		ready := s.group(w, in, here)
		if ready == 0 {
			continue
		}
		if gone, err := s.collective(b, w, x.pc, ready); gone || err != nil {
			return gone, err
		}
	}
	return false, nil
}

// collective executes a collective in lanes that have come to it, which then go
// on together. At the barrier of a cluster they may have to wait: then nothing
// changes, and gone is false.
func (s *System) collective(b *block, w *simt.Warp, pc int32, lanes uint32) (gone bool, err error) {
	list := &b.strands[w.Index]
	in := &s.g.Prog.Code[pc]
	together := strand{pc: pc, mask: lanes}
	place(w, &together)
	if lane, named, ok := w.MaskMisuse(in, lanes); !ok {
		return false, w.Fault(in, lane, "mask %08x of %s does not name the thread's own lane %d, or a lane that it names gives another mask", named, in.Op, lane)
	}
	if in.Op.Aligned() && lanes != simt.Full {
		return false, w.Unaligned(in, lanes)
	}
	if in.Op.IsGroupMMA() {
		if err := s.beginProduct(b, w, in); err != nil {
			return false, err
		}
	}
	if in.Op.Action() != ir.ActCluster {
		s.groups(b, w, in, lanes)
		w.Collective(in, w.Guarded(in))
	} else if goes, f := s.atCluster(w, in, lanes); f != nil {
		return false, f
	} else if !goes {
		return false, nil
	}
	for i := range *list {
		(*list)[i].mask &^= lanes
	}
	*list = slices.DeleteFunc(*list, func(x strand) bool { return x.mask == 0 })
	together.leave()
	return true, s.add(b, w, together)
}

// group returns lanes of a mask that are at a collective and can execute it:
// those that name the same lanes, which have all come. 0 if there are none.
func (s *System) group(w *simt.Warp, in *ir.Inst, mask uint32) uint32 {
	switch {
	case in.Op.OfSums() && mask != w.Live():
		return 0
	case !in.Op.Masked() || w.Missing(in, mask) == 0:
		return mask
	}
	named := w.Row(in.Src[0])
	for m := mask; m != 0; m &= m - 1 {
		first := bits.TrailingZeros32(m)
		same := uint32(0)
		for o := mask; o != 0; o &= o - 1 {
			if lane := bits.TrailingZeros32(o); uint32(named[lane]) == uint32(named[first]) {
				same |= 1 << lane
			}
		}
		if w.Missing(in, same) == 0 {
			return same
		}
	}
	return 0
}

// count counts a warp at a named barrier. If that opens, all that wait at it go on.
func (s *System) count(b *block, w *simt.Warp, in *ir.Inst, mask uint32) error {
	id, open, f := b.named.Arrive(w, in, mask)
	if f != nil {
		return f
	}
	if !open {
		return nil
	}
	for i, other := range b.Warps {
		for j := range b.strands[i] {
			x := &b.strands[i][j]
			at := &s.g.Prog.Code[x.pc]
			if x.arrived && at.Op == ir.OpBarSync && int(other.Row(at.Src[1])[bits.TrailingZeros32(x.mask)]) == id {
				x.leave()
			}
		}
	}
	return nil
}

// barrier opens the block's barrier if all threads that have not ended wait at
// it, at instructions of the same kind.
func (s *System) barrier(b *block) (opened bool, err error) {
	kind, votes, threads := ir.OpInvalid, 0, 0
	for i, w := range b.Warps {
		for _, x := range b.strands[i] {
			in := &s.g.Prog.Code[x.pc]
			if !x.arrived || !in.Op.IsBlockBarrier() || kind != ir.OpInvalid && kind != in.Op {
				return false, nil
			}
			kind = in.Op
			threads += bits.OnesCount32(x.mask)
			if in.NSrc > 0 {
				votes += bits.OnesCount32(x.mask & w.Pred(in.Src[0]))
			}
		}
	}
	if kind == ir.OpInvalid {
		return false, nil
	}
	for i, w := range b.Warps {
		for j := range b.strands[i] {
			x := &b.strands[i][j]
			s.voted(w, &s.g.Prog.Code[x.pc], x.mask, votes, threads)
			x.leave()
		}
	}
	return true, nil
}

// voted writes the result of a barrier with a vote.
func (s *System) voted(w *simt.Warp, in *ir.Inst, mask uint32, votes, threads int) {
	holds := false
	switch in.Op {
	case ir.OpBarCount:
		for m := mask; m != 0; m &= m - 1 {
			w.Regs[in.Dst[0]][bits.TrailingZeros32(m)] = uint64(votes)
		}
		return
	case ir.OpBarAnd:
		holds = votes == threads
	case ir.OpBarOr:
		holds = votes > 0
	default:
		return
	}
	all := uint32(0)
	if holds {
		all = simt.Full
	}
	w.SetPred(in.Dst[0], all, mask)
}
