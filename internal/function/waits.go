package function

import (
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
	"github.com/weft-gpu/weft/internal/diagnosis/waitfor"
)

// graph explains why the launch does not end, unless it is not to be explained. decided says that nothing that its threads
// read can change any more, brief that the caller ended it.
func (r *run) graph(decided, brief bool) *device.WaitGraph {
	if r.g.Launch.Unexplained {
		return nil
	}
	s := r.frozen(decided)
	s.Brief = brief
	return waitfor.Explain(s)
}

// frozen returns the state of the launch.
func (r *run) frozen(decided bool) *waitfor.Snapshot {
	s := &waitfor.Snapshot{
		Device: r.d.Name(), Grid: r.g, Warps: r.waitingWarps(), Decided: decided, Livelock: r.recurred || r.stands, Likely: r.stands,
		Started: func(block int) bool { return block < r.next },
		Owed:    r.owed,
		Fit: func(registers int) (device.Occupancy, error) {
			l := r.g.Launch
			l.Regs = registers
			return r.d.Fit(l)
		},
	}
	switch {
	case r.d.remote != nil:
		s.NoTry = "launches of several GPUs are not run again"
	case r.race != nil:
		s.NoTry = "a launch that is checked for races is not run again"
	case r.ctx.Err() != nil:
		s.NoTry = "the launch was ended by its caller"
	default:
		s.Try = func(c remedy.Change) remedy.Verdict { return r.try(r.ctx, c) }
		s.Again = func(h *waitfor.History) error { return r.record(r.ctx, h) }
	}
	s.Occupancy, _ = r.d.Fit(r.g.Launch) // it has succeeded before
	if g := r.d.remote; g != nil {
		gpu := r.d.mem.GPU()
		s.GPU, s.Others = &gpu, g.others(r, decided)
	}
	return s
}

// waitingWarps returns the warps with live lanes, and where these are.
func (r *run) waitingWarps() (list []waitfor.Warp) {
	order := slices.Clone(r.slots)
	slices.SortFunc(order, func(a, b *slot) int { return a.ID - b.ID })
	for _, s := range order {
		if !s.running {
			continue
		}
		for i, w := range s.Warps {
			if w.Done() {
				continue
			}
			st, out := &s.warps[i], waitfor.Warp{Warp: w}
			if st.split == nil {
				out.Groups = r.groupsOf(s, w, &strand{path: w.Path, stack: w.Stack, parked: st.arrived != 0})
			}
			for _, part := range st.split {
				if part.path.Mask != 0 {
					out.Groups = append(out.Groups, r.groupsOf(s, w, part)...)
				}
			}
			list = append(list, out)
		}
	}
	return list
}

// groupsOf returns the lanes of a part of a warp that are in place, and those
// that wait for them on its stack.
func (r *run) groupsOf(s *slot, w *simt.Warp, part *strand) []waitfor.Group {
	g := waitfor.Group{Path: part.path, Stack: part.stack, Kind: device.WaitTurn}
	switch id := s.warps[w.Index].named; {
	case id == simt.Pool:
		g.Kind = device.WaitRegisters
		g.Expected, g.Arrived = s.named.Lacks(w, &r.c.prog.Code[part.path.PC])
	case id != 0:
		g.Kind, g.Barrier = device.WaitNamed, id
		g.Arrived, g.Expected = int(s.named.Barriers[id].Arrived), int(s.named.Barriers[id].Threads)
	case s.warps[w.Index].clustered:
		g.Kind = device.WaitCluster
		g.Arrived, g.Expected = s.Cluster.Come()
	case part.gathering:
		g.Kind, g.Missing = device.WaitWarp, w.Missing(&r.c.prog.Code[part.path.PC], part.path.Mask)
	case part.parked:
		g.Kind = device.WaitBarrier
		g.Arrived, g.Expected, g.Mixed = r.atBarrier(s)
	}
	return append([]waitfor.Group{g}, waitfor.Parked(part.path.Mask, w.Exited, part.stack, len(r.c.prog.Code))...)
}

// atBarrier returns how many threads wait at a block's barrier, how many it
// waits for, and whether they are at different kinds.
func (r *run) atBarrier(s *slot) (arrived, expected int, mixed bool) {
	kind := ir.OpInvalid
	for i, w := range s.Warps {
		arrived += count(s.warps[i].arrived)
		expected += count(w.Live())
	}
	r.eachWaiting(s, func(_ *simt.Warp, p *simt.Path) {
		op := r.c.prog.Code[p.PC].Op
		mixed = mixed || kind != ir.OpInvalid && kind != op
		kind = op
	})
	return arrived, expected, mixed
}
