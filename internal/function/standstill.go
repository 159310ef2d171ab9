package function

import (
	"fmt"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// standstillLeast is the number of warp instructions for which a launch without
// a budget must not get on before it is given up; where a recurrence of its
// whole state could still be shown, standstillProof times as many.
const (
	standstillLeast = 1 << 24
	standstillProof = 8
)

// standsStill ends a launch without a budget that looks like a livelock; see
// repeat.Standstill.
func (r *run) standsStill() error {
	s := &r.standstill
	if r.insts < standstillLeast/16 || r.d.opts.Budget > 0 || r.live == 0 {
		return nil
	}
	if !s.Began() {
		used := r.g.Mem.UsedByAll()
		if used > livelockMost {
			return nil
		}
		s.Begin(0, int(used/8))
	}
	if s.Least = standstillLeast; r.unrepeatable() == "" {
		s.Least *= standstillProof
	}
	effort := r.insts * wordsPerInstruction
	if !s.Due(r.insts, effort) {
		return nil
	}
	s.Sample(r.insts, effort)
	s.Part(0, func(rec *repeat.Record) {
		rec.Int(r.next)
		rec.Int(r.live)
		r.g.Mem.Each(func(a *simt.Allocation) { rec.Bytes(a.Data) })
	})
	for i, b := range r.slots {
		if !b.running {
			continue
		}
		s.Part(1+i, func(rec *repeat.Record) { rec.Bytes(b.Shared) })
		for k, w := range b.Warps {
			if !w.Done() {
				s.Warp(i*r.g.Warps+k, r.c.flow, &strandedAt{warpAt{w}, b.warps[k].split})
			}
		}
	}
	if r.stands = s.Stands(); !r.stands {
		return nil
	}
	u := r.undecided()
	u.Still = fmt.Sprintf("%s of its %s warp instructions", format.Thousands(s.Gap()), format.Thousands(r.insts))
	return u
}

// strandedAt is a warp with its parts.
type strandedAt struct {
	warpAt
	parts []*strand
}

// Position implements repeat.State.
func (a *strandedAt) Position() uint64 {
	x := a.warpAt.Position()
	for _, part := range a.parts {
		w := *a.w
		w.Path, w.Stack = part.path, part.stack
		x = x*31 + (&warpAt{&w}).Position()
	}
	return x
}

// AppendPlaces implements repeat.State.
func (a *strandedAt) AppendPlaces(to []int32) []int32 {
	if len(a.parts) == 0 {
		return a.warpAt.AppendPlaces(to)
	}
	for _, part := range a.parts {
		to = append(to, part.path.PC)
		for _, p := range part.stack {
			to = append(to, p.PC)
		}
	}
	return to
}

// Local implements repeat.WarpState. Position has it already.
func (a *strandedAt) Local() []byte { return nil }
