package function

import (
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// barrier opens the block's barrier if every thread that has not exited waits
// at it.
func (r *run) barrier(s *slot) (opened bool) {
	waiting := false
	for i, w := range s.Warps {
		if s.warps[i].arrived != w.Live() {
			return false
		}
		waiting = waiting || !w.Done()
	}
	if !waiting {
		return false
	}
	var v ballot
	kind := ir.OpInvalid
	same := true
	r.eachWaiting(s, func(w *simt.Warp, p *simt.Path) {
		in := &r.c.prog.Code[p.PC]
		same = same && (kind == ir.OpInvalid || kind == in.Op)
		kind = in.Op
		v.threads += count(p.Mask)
		if in.NSrc > 0 {
			v.votes += count(p.Mask & w.Pred(in.Src[0]))
		}
	})
	if !same {
		return false // a hang, which stalled reports
	}
	s.meeting.Open()
	if r.race != nil {
		s.race.Sync()
	}
	r.eachWaiting(s, func(w *simt.Warp, p *simt.Path) {
		v.give(w, &r.c.prog.Code[p.PC], p.Mask)
	})
	for i, w := range s.Warps {
		st := &s.warps[i]
		st.arrived = 0
		switch {
		case w.Done():
		case st.split == nil:
			w.Next()
		default:
			st.release(w)
		}
	}
	return true
}

// named counts a warp at a named barrier. If the barrier is complete, the
// threads that wait at it continue. named reports whether the warp itself must
// wait.
func (r *run) named(s *slot, w *simt.Warp, in *ir.Inst, mask uint32) (waits bool, f error) {
	if in.Op.SetsRegisters() {
		return r.setRegisters(s, w, in)
	}
	id, open, fault := s.named.Arrive(w, in, mask)
	if r.race != nil && fault == nil {
		s.race.Arrive(w.Index, id)
	}
	switch {
	case fault != nil:
		return false, fault
	case open:
		if r.race != nil {
			r.pass(s, w, in, id)
		}
		for i, other := range s.Warps {
			if st := &s.warps[i]; st.named == id {
				st.named = 0
				other.Next()
			}
		}
	case in.Op == ir.OpBarSync:
		s.warps[w.Index].named = id
		return true, nil
	}
	return false, nil
}

// setRegisters changes how many registers a warp has. Those that wait for some come again when others have been given back.
func (r *run) setRegisters(s *slot, w *simt.Warp, in *ir.Inst) (waits bool, f error) {
	waits, frees, fault := s.named.Set(w, in)
	switch {
	case fault != nil:
		return false, fault
	case waits:
		s.warps[w.Index].named = simt.Pool
	case frees:
		for i := range s.warps {
			if st := &s.warps[i]; st.named == simt.Pool {
				st.named = 0
			}
		}
	}
	return waits, nil
}

// pass shows the race detector which warps a named barrier lets continue.
func (r *run) pass(s *slot, w *simt.Warp, in *ir.Inst, id int) {
	for i := range s.warps {
		if s.warps[i].named == id || i == w.Index && in.Op == ir.OpBarSync {
			s.race.Pass(i, id)
		}
	}
	s.race.Opened(id)
}

// eachWaiting calls f for every group of threads that waits at the barrier.
func (r *run) eachWaiting(s *slot, f func(w *simt.Warp, p *simt.Path)) {
	for i, w := range s.Warps {
		st := &s.warps[i]
		if st.split == nil {
			if st.arrived != 0 {
				f(w, &w.Path)
			}
			continue
		}
		for _, part := range st.split {
			if part.parked {
				f(w, &part.path)
			}
		}
	}
}

// ballot holds the results of the barriers with a vote.
type ballot struct{ votes, threads int }

func (v ballot) give(w *simt.Warp, in *ir.Inst, mask uint32) {
	switch in.Op {
	case ir.OpBarCount:
		d := &w.Regs[in.Dst[0]]
		for l := range d {
			if mask>>l&1 != 0 {
				d[l] = uint64(v.votes)
			}
		}
	case ir.OpBarAnd:
		w.SetPred(in.Dst[0], all(v.votes == v.threads), mask)
	case ir.OpBarOr:
		w.SetPred(in.Dst[0], all(v.votes > 0), mask)
	}
}

func all(p bool) uint32 {
	if p {
		return simt.Full
	}
	return 0
}
