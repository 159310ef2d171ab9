package function

import (
	"github.com/weft-gpu/weft/internal/core/simt"
)

// A warp executes its diverged lanes one path after the other, by the
// reconvergence stack. That is not enough if lanes wait for lanes of their own
// warp on another path: at a barrier, or by spinning. Since Volta such kernels
// work on hardware, and they work as plain Go. A warp is therefore split when
// this happens: its parts then take turns like warps. Parts merge again when a
// barrier opens for them at the same place.

// strand is a part of a split warp that is not in place.
type strand struct {
	path   simt.Path
	stack  []simt.Path
	parked bool // at the barrier
	// gathering is set if it waits at a collective for lanes of other parts.
	gathering bool
	loop      loopWatch
}

// waits reports whether a part waits for others.
func (part *strand) waits() bool { return part.parked || part.gathering }

// strands runs each part of a split warp for one slice.
func (r *run) strands(s *slot, w *simt.Warp) error {
	st := &s.warps[w.Index]
	parts := st.split
	for _, part := range parts {
		if part.waits() || part.path.Mask == 0 {
			continue
		}
		w.Path, w.Stack, st.cur = part.path, part.stack, part
		err := r.step(s, w)
		part.path, part.stack = w.Path, w.Stack
		if err != nil {
			return err
		}
	}
	if r.gather(s, w) {
		r.changed()
	}
	st.join(w)
	return nil
}

// join removes the parts that have ended. If only one is left, it becomes the
// warp again.
func (st *warpState) join(w *simt.Warp) {
	st.cur, st.split = nil, st.alive()
	switch len(st.split) {
	case 0:
		st.split = nil
	case 1:
		w.Path, w.Stack, st.loop = st.split[0].path, st.split[0].stack, st.split[0].loop
		st.split = nil
	}
}

// alive returns the parts that have lanes left, in order.
func (st *warpState) alive() []*strand {
	live := st.split[:0]
	for _, part := range st.split {
		if part.path.Mask != 0 {
			live = append(live, part)
		}
	}
	return live
}

// arrive makes the active lanes wait at the barrier. If other lanes of the warp
// (or of the part in place) are elsewhere, it splits the warp so that these can
// continue.
func (st *warpState) arrive(w *simt.Warp) {
	st.arrived |= w.Mask
	if st.cur == nil && st.arrived == w.Live() {
		return
	}
	st.detach(w).parked = true
}

// detach makes the active lanes a separate part and leaves the rest in place.
func (st *warpState) detach(w *simt.Warp) *strand {
	part := &strand{path: w.Detach()}
	first := st.cur == nil
	st.split = append(st.split, part)
	if first {
		st.split = append(st.split, &strand{path: w.Path, stack: w.Stack})
		w.Stack = nil
	}
	return part
}

// release lets the parts continue after an open barrier; parts at the same
// place merge.
func (st *warpState) release(w *simt.Warp) {
	for _, part := range st.split {
		part.parked = false
		part.path.PC++
	}
	for i, part := range st.split {
		for _, other := range st.split[:i] {
			if other.path.Mask != 0 && other.path.PC == part.path.PC {
				other.path.Mask |= part.path.Mask
				part.path.Mask = 0
				break
			}
		}
	}
	st.join(w)
}

// splitDiverged splits, in every warp, the spinning paths from those that wait
// for them. It reports whether there were any.
func (r *run) splitDiverged() (any bool) {
	for _, s := range r.slots {
		if !s.running {
			continue
		}
		for i, w := range s.Warps {
			st := &s.warps[i]
			if w.Done() || st.waits(w) {
				continue
			}
			if st.split == nil {
				if w.Mask != w.Live() {
					st.detach(w)
					any = true
				}
				continue
			}
			for _, part := range st.split {
				if len(part.stack) == 0 || part.waits() {
					continue
				}
				w.Path, w.Stack, st.cur = part.path, part.stack, part
				st.detach(w)
				part.path, part.stack = w.Path, w.Stack
				any = true
			}
			st.join(w)
		}
	}
	return any
}
