package simdx

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// This file has Khorasani's filter, a baseline (section 4, from his dissertation): a scan with
// coalesced loads and votes like the ballot filter's, but the warp gets its place in a list by
// an atomic, so that the lists are not sorted, and one thread writes what the whole warp has
// found. It takes one pass. Online vertex refinement (the slides of Warp Segmentation) reserves
// its places in the same way.

// reserveByVotes adds the vertices that pick picks among n elements to lists whose lengths
// are the counters of their set. All lanes of a warp must call it together.
func reserveByVotes(t gpu.Thread, counts []uint32, out lists, n uint32, pick func(i uint32) (v uint32, ok bool), expand func(v uint32) entry) {
	arcs := uint32(0)
	for first := t.Global() - t.Lane(); first < n; first += t.Stride() {
		class := uint32(classes) // none
		entries := uint32(0)
		if i := first + t.Lane(); i < n {
			if v, ok := pick(i); ok {
				e := expand(v)
				class, entries = out.shape.class(e.End-e.Begin), out.shape.pieces(e.End-e.Begin)
				arcs += e.End - e.Begin
			}
		}
		for list := range uint32(classes) {
			votes := t.Ballot(gpu.FullMask, class == list)
			if votes == 0 {
				continue
			}
			room := uint32(0)
			if class == list {
				room = entries
			}
			_, room = scheduler.PrefixSum(t, room)
			if t.Lane() > 0 {
				continue
			}
			at := gpu.AtomicAdd(&counts[list], room)
			for lane := range uint32(gpu.WarpSize) {
				if votes>>lane&1 == 0 {
					continue
				}
				v, _ := pick(first + lane)
				e := expand(v)
				for p := range out.shape.pieces(e.End - e.Begin) {
					out.put(list, at, out.shape.piece(e, p))
					at++
				}
			}
		}
	}
	scheduler.Tally(t, arcs, &counts[arcsCount])
}

// ReserveByVotes is the filter without fusion. It makes the lists of the frontier of Run.Step,
// whose counters are 0, of the marked vertices.
func ReserveByVotes(t gpu.Thread, row []uint32, m Memory, run Run) {
	n, pick := picked(m, run)
	reserveByVotes(t, m.set(run.Step), m.lists(run.Step, m.Push), n, pick, func(v uint32) entry { return whole(row, v) })
}
