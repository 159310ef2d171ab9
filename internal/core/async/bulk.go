package async

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/tensormap"
)

// BulkCopy returns the fault of a lane's copy in bulk of n bytes to shared memory that a pending one makes undefined. to is
// simt.Destination of in.
func (p *Pending) BulkCopy(w *simt.Warp, in, to *ir.Inst, lane int, from, dst, n uint64) *device.Fault {
	if f := p.ReadsBulk(w, in, lane, nil, from, n); f != nil {
		return f
	}
	return p.SendTo(w, to, lane, dst, n)
}

// BoxCopy returns the fault of a lane's copy of a box to shared memory that a pending one makes undefined. The tensor begins at from.
func (p *Pending) BoxCopy(w *simt.Warp, in, to *ir.Inst, lane int, box *tensormap.Box, from, dst uint64) *device.Fault {
	if f := p.ReadsBulk(w, in, lane, box, from, box.Bytes()); f != nil {
		return f
	}
	return p.SendTo(w, to, lane, dst, box.Bytes())
}

// ReadsBulk returns the fault of a lane's copy that reads n bytes of global memory, or those of a box, which a pending store makes undefined.
func (p *Pending) ReadsBulk(w *simt.Warp, in *ir.Inst, lane int, box *tensormap.Box, from, n uint64) *device.Fault {
	origin := simt.Origin(in)
	if box == nil {
		return p.stored(w, origin, lane, from, n)
	}
	for run := range box.Runs {
		if !run.Inside {
			continue
		}
		if f := p.stored(w, origin, lane, from+run.From, run.Bytes); f != nil {
			return f
		}
	}
	return nil
}
