package function

import (
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// The parts of a split warp come to a collective one after the other. Since
// Volta each lane waits there until all that its mask names have come (PTX ISA,
// shfl.sync and bar.warp.sync); that they came on different paths does not
// matter. Lanes of a warp that is not split are either together or have been
// sent elsewhere by the program, which a strict device reports.

// gathers reports whether the lanes in place, part of a split warp, have to wait
// at a collective for lanes of other parts. They are a part of their own then.
func (st *warpState) gathers(w *simt.Warp, in *ir.Inst, mask uint32) bool {
	if st.cur == nil {
		return false
	}
	away := w.Missing(in, mask)
	if away == 0 {
		return false
	}
	others := uint32(0)
	for _, part := range st.split {
		if part != st.cur {
			others |= part.lanes(w)
		}
	}
	if away&^others != 0 { // they are on the other side of a branch of this part
		return false
	}
	st.detach(w).gathering = true
	return true
}

// lanes are those of a part that have not exited.
func (part *strand) lanes(w *simt.Warp) uint32 {
	all := part.path.Mask
	for _, p := range part.stack {
		all |= p.Mask
	}
	return all &^ w.Exited
}

// gather lets the parts go on for which all lanes have come that their masks
// name: those at one instruction together. Barriers of a warp need not be the
// same instruction. It reports whether there were any.
func (r *run) gather(s *slot, w *simt.Warp) (any bool) {
	code, st := w.Grid.Prog.Code, &s.warps[w.Index]
	for _, part := range st.split {
		if !part.gathering || part.path.Mask == 0 {
			continue
		}
		in := &code[part.path.PC]
		together := uint32(0)
		for _, other := range st.split {
			if other.gathering && (other.path.PC == part.path.PC || in.Op == ir.OpWarpBar && code[other.path.PC].Op == ir.OpWarpBar) {
				together |= other.path.Mask
			}
		}
		away := w.Missing(in, part.path.Mask)
		if away&^together != 0 {
			continue
		}
		any = true
		apart := false
		for _, other := range st.split {
			switch {
			case other == part || !other.gathering || other.path.Mask&away == 0:
			case other.path.PC == part.path.PC:
				part.path.Mask |= other.path.Mask
				other.path.Mask = 0
			default: // at another barrier of the warp, which opens now
				other.gathering, apart = false, true
				other.path.PC++
			}
		}
		part.gathering = false
		if apart { // it would wait for them again
			if r.race != nil {
				s.race.SyncWarp(w, in, part.path.Mask)
			}
			part.path.PC++
		}
	}
	return any
}
