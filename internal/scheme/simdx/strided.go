package simdx

import "github.com/weft-gpu/weft/gpu"

// This file has the strided filter, a baseline (section 8; Liu and Huang's Enterprise has
// it): the ballot filter's scan, but each thread scans neighboring vertices of its own, so
// that the lanes of a warp access words that are far from each other. Its lists are sorted
// and have each vertex once, too.

// rangeOfThread returns the range of a thread if n elements are divided among all threads.
func rangeOfThread(t gpu.Thread, n uint32) ranges {
	each := (n + t.Stride() - 1) / t.Stride()
	first := min(t.Global()*each, n)
	return ranges{first, min(first+each, n)}
}

// countStrided is the first half. The counts go to m.Parts: one for each block, then for each
// thread that of the threads before it in its block. All threads of the block must call it.
func countStrided(t gpu.Thread, m Memory, shape Shape, n uint32, pick func(i uint32) (v uint32, ok bool), expand func(v uint32) entry) {
	var own frontier
	r := rangeOfThread(t, n)
	for i := r.first; i < r.end; i++ {
		if v, ok := pick(i); ok {
			e := expand(v)
			own.add(shape, e.End-e.Begin)
		}
	}
	below, sum := own.below(t)
	parts := gpu.Shared[[gpu.WarpSize]frontier](t)
	if t.Lane() == 0 {
		parts[t.Warp()] = sum
	}
	t.Sync()
	if t.Warp() == 0 {
		var part frontier
		warps := t.BlockDim() / gpu.WarpSize
		if t.Lane() < warps {
			part = parts[t.Lane()]
		}
		before, all := part.below(t)
		if t.Lane() < warps {
			parts[t.Lane()] = before
		}
		if t.Lane() == 0 {
			putPart(m, t.Block(), all)
		}
	}
	t.Sync()
	putPart(m, t.GridDim()+t.Global(), parts[t.Warp()].plus(below))
	t.Sync() // the next call may overwrite parts
}

// writeStrided is the second half, after a barrier of the grid. All lanes of a warp must call
// it together.
func writeStrided(t gpu.Thread, m Memory, out lists, n uint32, pick func(i uint32) (v uint32, ok bool), expand func(v uint32) entry) (all frontier) {
	before, all := blocksBefore(t, m)
	at := before.plus(part(m, t.GridDim()+t.Global()))
	r := rangeOfThread(t, n)
	for i := r.first; i < r.end; i++ {
		if v, ok := pick(i); ok {
			at.put(out, expand(v))
		}
	}
	return all
}

// put writes the entries of a vertex to its list, from where f says on, and goes on behind
// them.
func (f *frontier) put(out lists, whole entry) {
	class := out.shape.class(whole.End - whole.Begin)
	for p := range out.shape.pieces(whole.End - whole.Begin) {
		out.put(class, f.step(class), out.shape.piece(whole, p))
	}
}

// CountStrided and WriteStrided are the two halves without fusion, which make the lists of
// the frontier of Run.Step, of the marked vertices. Their grids are equal.
func CountStrided(t gpu.Thread, row []uint32, m Memory, run Run) {
	n, pick := picked(m, run)
	countStrided(t, m, m.Push, n, pick, func(v uint32) entry { return whole(row, v) })
}

// WriteStrided is the second half; see CountStrided.
func WriteStrided(t gpu.Thread, row []uint32, m Memory, run Run) {
	n, pick := picked(m, run)
	all := writeStrided(t, m, m.lists(run.Step, m.Push), n, pick, func(v uint32) entry { return whole(row, v) })
	m.announce(t, run.Step, all)
}
