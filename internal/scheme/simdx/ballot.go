package simdx

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// This file has the ballot filter (section 4): a scan that collects vertices in lists that
// are sorted and have each vertex once. Each warp scans a range of its own, 32 neighboring
// elements at a time, and the ranges follow each other. First all of them are counted, then,
// after a barrier of the grid, written: the counts of all ranges before say where.

// ranges are the elements that a warp scans.
type ranges struct{ first, end uint32 }

// rangeOf returns the range of a warp if n elements are divided among all warps.
func rangeOf(t gpu.Thread, n uint32) ranges {
	warps := t.Stride() / gpu.WarpSize
	strips := (n + gpu.WarpSize - 1) / gpu.WarpSize
	each := (strips + warps - 1) / warps * gpu.WarpSize
	first := min(t.Global()/gpu.WarpSize*each, n)
	return ranges{first, min(first+each, n)}
}

// count is the first half of the filter, over n elements: pick returns the vertex of an
// element and whether it is collected, and expand returns its entry. The counts go to
// m.Parts: first one for each block, then for each warp that of the warps before it in its
// block. All threads of the block must call it.
func count(t gpu.Thread, m Memory, shape Shape, n uint32, pick func(i uint32) (v uint32, ok bool), expand func(v uint32) entry) {
	var own frontier
	r := rangeOf(t, n)
	for i := r.first + t.Lane(); i < r.end; i += gpu.WarpSize {
		if v, ok := pick(i); ok {
			e := expand(v)
			own.add(shape, e.End-e.Begin)
		}
	}
	parts := gpu.Shared[[gpu.WarpSize]frontier](t)
	if own = own.overWarp(t); t.Lane() == 0 {
		parts[t.Warp()] = own
	}
	t.Sync()
	if t.Warp() == 0 {
		var part frontier
		warps := t.BlockDim() / gpu.WarpSize
		if t.Lane() < warps {
			part = parts[t.Lane()]
		}
		below, all := part.below(t)
		if t.Lane() < warps {
			putPart(m, t.GridDim()+t.Block()*warps+t.Lane(), below)
		}
		if t.Lane() == 0 {
			putPart(m, t.Block(), all)
		}
	}
	t.Sync() // the next call may overwrite parts
}

// partWords is the size of a count in Parts.
const partWords = 4

func putPart(m Memory, i uint32, f frontier) {
	gpu.Store4(m.Parts, partWords*i, [4]uint32{f.Small, f.Medium, f.Large, f.Arcs})
}

func part(m Memory, i uint32) frontier {
	w := gpu.Load4(m.Parts, partWords*i)
	return frontier{w[0], w[1], w[2], w[3]}
}

// write is the second half: it writes the lists, and returns their sizes in all threads. It
// must be called with what count was called with, after a barrier of the grid. All lanes of
// a warp must call it together.
func write(t gpu.Thread, m Memory, out lists, n uint32, pick func(i uint32) (v uint32, ok bool), expand func(v uint32) entry) (all frontier) {
	before, all := blocksBefore(t, m)
	at := before.plus(part(m, t.GridDim()+t.Global()/gpu.WarpSize))
	r := rangeOf(t, n)
	for first := r.first; first < r.end; first += gpu.WarpSize {
		var e entry
		class := uint32(classes) // none
		if i := first + t.Lane(); i < r.end {
			if v, ok := pick(i); ok {
				e = expand(v)
				class = out.shape.class(e.End - e.Begin)
			}
		}
		at.Small += place(t, out, small, at.Small, e, class)
		at.Medium += place(t, out, medium, at.Medium, e, class)
		at.Large += spread(t, out, at.Large, e, class)
	}
	return all
}

// blocksBefore returns what the blocks before this one have counted, and what all have. All
// lanes of a warp must call it together.
func blocksBefore(t gpu.Thread, m Memory) (before, all frontier) {
	for b := t.Lane(); b < t.GridDim(); b += gpu.WarpSize {
		p := part(m, b)
		all = all.plus(p)
		if b < t.Block() {
			before = before.plus(p)
		}
	}
	all = all.overWarp(t)
	return before.overWarp(t), all
}

// place writes the entries of those lanes whose class is the given one to a list, from an
// index on, in lane order, and returns their number.
func place(t gpu.Thread, out lists, class, at uint32, e entry, own uint32) uint32 {
	votes := t.Ballot(gpu.FullMask, own == class)
	if own == class {
		out.put(class, at+gpu.PopCount(votes&(1<<t.Lane()-1)), e)
	}
	return gpu.PopCount(votes)
}

// spread does the same for the large list, in which a vertex may have several entries.
func spread(t gpu.Thread, out lists, at uint32, e entry, own uint32) uint32 {
	if !t.Any(gpu.FullMask, own == large) {
		return 0
	}
	pieces := uint32(0)
	if own == large {
		pieces = out.shape.pieces(e.End - e.Begin)
	}
	below, all := scheduler.PrefixSum(t, pieces)
	for p := range pieces {
		out.put(large, at+below+p, out.shape.piece(e, p))
	}
	return all
}
