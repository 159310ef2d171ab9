package function

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/race"
)

// Products of warpgroups are added when a warp begins them, and pending until it has waited for them (package async): a kernel that reads
// sums before, or changes what is read, ends with a fault.

// product executes what is about a warp's products but for the product itself, and returns its fault.
func (r *run) product(s *slot, w *simt.Warp, in *ir.Inst) *device.Fault {
	if !in.Op.IsGroupMMA() {
		s.async.SumsGroup(w, in)
		if r.race != nil {
			race.Sums(&s.race, w.Index, in)
		}
		return nil
	}
	if f := w.CheckProduct(in); f != nil {
		return f
	}
	list, n := w.Matrices(in)
	for i := 0; i < n && !r.d.opts.AllowUnwritten; i++ {
		from := simt.MatrixLoad(in, list[i].Root)
		for at := range list[i].Pieces {
			if f := s.written.DefinedBytes(w, &from, 0, at, 16); f != nil && !r.mayRace(f) {
				return f
			}
		}
	}
	if r.race != nil {
		race.Product(&s.race, w.Index, w.PC, list[:n])
	}
	if !r.d.opts.Lax {
		return s.async.Product(w, in, r.judges())
	}
	return nil
}
