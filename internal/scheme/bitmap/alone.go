package bitmap

import "github.com/weft-gpu/weft/gpu"

// aloneArcs is how many arcs a frontier that one block processes alone may have, for each piece that it may have. One SM takes an H200 15 us for 3,700 arcs, and all
// SMs take 8 for 59,000.
const aloneArcs = 4

// fits reports whether one block may process a frontier alone: without the barrier of all blocks, and without a way through global memory.
func (r *rounds) fits(c *collector, f frontier) bool {
	return f.pieces <= min(r.run.Alone, c.room()) && f.arcs <= aloneArcs*r.run.Alone
}

// pushRounds pushes the frontier, and if it fits, which alone says, goes on in this block as long as the next one does: that which does not, or has
// no vertex, is for all blocks. A wide push finds no list.
func (s *search[A, V]) pushRounds(t gpu.Thread, r *rounds, alone, wide bool, c *collector) {
	if alone {
		for i := t.Idx(); i < r.front.pieces; i += t.BlockDim() {
			*c.own(true, i) = s.m.get(r.step, i)
		}
		t.Sync()
	}
	front, left, before := r.front, r.left, done{}
	for {
		began := t.Clock()
		s.goOn(r.iteration + before.iterations)
		s.push(t, r, front.pieces, alone, wide, c)
		if wide {
			return
		}
		f := c.meet(t)
		if !alone {
			c.move(t, f)
			return
		}
		if t.Idx() == 0 {
			record(s.m, r.iteration+before.iterations, front, howAlone, uint32(t.Clock()-began))
		}
		before.iterations++
		front = frontier{f.pieces, f.vertices, f.arcs}
		left -= f.arcs
		if f.vertices == 0 || f.full != ^uint32(0) || r.iteration+before.iterations > r.run.Limit || !r.fits(c, front) || r.run.pays(t, r.at, front, left, false) {
			c.did(t, before)
			c.move(t, f)
			return
		}
		before.vertices += f.vertices
		before.arcs += f.arcs
		c.next(t)
	}
}
