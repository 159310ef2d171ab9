package bitmap

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// team is a search on one of several GPUs.
type team[A scheduler.Algorithm[V], V gpu.Num] struct {
	s          search[A, V]
	group, one scheduler.GroupBarrier // of all blocks, and of one block of each GPU
	turn       uint32                 // exchanges so far
	pairs      uint32                 // vertices that were sent to each other GPU, with their values
	values     uint32                 // values that the thread has sent alone
	words      uint32                 // how often the words of the GPU's range were sent
}

// SearchGroup is Search on one GPU of a group: one launch on each of them, whose blocks are all resident. A GPU reaches the vertices of its range alone. It has their
// incoming arcs: in, with the rows of these vertices, for a pull, and out, with those outgoing arcs of each vertex of the graph that lead to them, for a push. So all GPUs process one
// frontier, no vertex is found twice, and no update is sent: in an exchange, GPUs tell each other what they have found (Buluç and Madduri, Parallel Breadth-First Search on Distributed Memory
// Systems, SC 2011: the arcs divided by their targets).
//
//weft:block 768
func SearchGroup[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, out, in scheduler.Graph, values []V, m Memory, run Run, peers Peers[V], group, one scheduler.GroupBarrier) {
	began := t.Clock()
	x := team[A, V]{s: search[A, V]{alg: alg, out: out, in: in, values: values, m: m, seen: gpu.Shared[seen](t), degrees: peers.Degrees, first: peers.First, end: peers.End, group: true, peers: peers},
		group: group, one: one}
	arcs := peers.Degrees[run.Problem.Vertices]
	r := rounds{m: m, run: run, at: whole(t), barrier: scheduler.GridBarrier{Words: m.Barrier}, iteration: 1, left: arcs}
	c := open(t, m)
	x.s.seen.clear(t)
	t.Sync()
	c.begin(1)
	x.s.begin(run)
	x.s.start(t, &c, run.Problem)
	c.flush(t)
	r.meet(t)
	x.group.Wait(t) // before others store values here
	m.started(t, began)
	listed, began := true, t.Clock()
	for how := uint32(howPush); r.front.vertices > 0 && r.iteration <= r.run.Limit; {
		x.s.goOn(r.iteration)
		pull := r.run.pays(t, r.at, r.front, r.left, how == howPull)
		r.m.clear(t, r.at, r.step+2)
		c.begin(r.step + 1)
		if !listed && !pull {
			x.s.list(t, &r, &c)
			c.flush(t)
			r.front.pieces = r.read(t).front.pieces
			if x.wide(t, &r) {
				x.group.Wait(t) // others may still read the words that this GPU will store in their memory
			}
			how, listed = howPush, true
			continue
		}
		iteration, front := r.iteration, r.front
		if pull {
			how, listed = howPull, false
			x.pull(t, &r, &c)
		} else {
			how, listed = x.push(t, &r, &c)
		}
		if how != howAlone {
			r.iteration++
		}
		if t.Global() == 0 && how != howAlone {
			record(m, iteration, front, how, uint32(t.Clock()-began))
		}
		began = t.Clock()
	}
	r.finish(t, arcs)
	x.count(t, r)
}

// pull is an iteration that pulls.
func (x *team[A, V]) pull(t gpu.Thread, r *rounds, c *collector) {
	x.s.pull(t, r, c)
	c.flush(t)
	own := r.read(t).front
	if own.pieces > 0 {
		r.m.clear(t, r.at, r.step+2)
		c.begin(r.step + 1)
		r.front.pieces = own.pieces
		x.s.pullPieces(t, r, c)
		c.flush(t)
		more := r.read(t).front
		own.vertices += more.vertices
		own.arcs += more.arcs
	}
	if x.s.alg.EarlyEnd() && !r.run.Alike && t.Global() == 0 {
		x.values += own.vertices // settle has stored them
	}
	r.pulls++
	r.side = 1 - r.side
	x.publish(t, r.side, !x.s.alg.EarlyEnd() && !r.run.Alike)
	x.meet(t, r, func() frontier { return own })
}

// push is an iteration that pushes, or several by one block of each GPU alone. It returns which, and whether what was found is listed.
func (x *team[A, V]) push(t gpu.Thread, r *rounds, c *collector) (how uint32, listed bool) {
	wide := false
	if x.fits(r, c, r.front) {
		how = howAlone
		if t.Block() == 0 {
			x.pushAlone(t, r, c)
		}
	} else {
		how, wide = howPush, x.wide(t, r)
		x.s.inbox = x.half(x.turn+1) + x.s.peers.Begins[x.s.peers.GPU]
		x.s.push(t, r, r.front.pieces, false, wide, c)
	}
	switch {
	case wide:
		r.barrier.Wait(t)
		r.side = 1 - r.side
		x.s.gather(t, r, c)
		c.flush(t)
		r.step++
		x.publish(t, r.side, !r.run.Alike)
		x.meet(t, r, r.found)
		return howWide, false
	case how == howPush:
		x.post(t, c, false)
		c.next(t)
		r.step++
		x.meet(t, r, r.found)
	default: // one block has met those of the other GPUs
		n := r.read(t)
		r.passed(n.alone)
		x.turn += n.alone.iterations
		r.enter(n.front)
	}
	if r.front.vertices > 0 {
		r.m.clear(t, r.at, r.step+2)
		c.begin(r.step + 1)
		x.receive(t, r.side, r.at.warp(t), r.at.warps(t), !r.run.pays(t, r.at, r.front, r.left, false), c)
		c.flush(t)
		r.front.pieces = r.read(t).front.pieces
	}
	return how, true
}

// wide reports whether a push by all blocks is wide: also if not any update will do, so that values are final only behind a barrier of the GPU.
func (x *team[A, V]) wide(t gpu.Thread, r *rounds) bool {
	return !x.s.alg.EarlyEnd() || r.isWide(t, r.front)
}

// groupArcs is how many times as many arcs as on one GPU a block of each may process alone: each has a part of them, and all blocks of several GPUs take longer to meet.
const groupArcs = 4

// fits reports whether one block of each GPU may process a frontier alone. All GPUs know alike how many vertices it has and how many arcs these have; of pieces each has others, but not more.
func (x *team[A, V]) fits(r *rounds, c *collector, f frontier) bool {
	f.pieces = f.vertices + f.arcs/PieceArcs
	f.arcs /= groupArcs
	return r.fits(c, f)
}

// pushAlone is pushRounds for one block of each GPU: they meet without all others as long as the frontier fits. What they find last is for all blocks.
func (x *team[A, V]) pushAlone(t gpu.Thread, r *rounds, c *collector) {
	pieces := r.front.pieces
	for i := t.Idx(); i < pieces; i += t.BlockDim() {
		*c.own(true, i) = x.s.m.get(r.step, i)
	}
	t.Sync()
	front, left, before := r.front, r.left, done{}
	turn := x.turn
	for {
		began := t.Clock()
		x.s.goOn(r.iteration + before.iterations)
		x.turn++
		x.s.inbox = x.half(x.turn) + x.s.peers.Begins[x.s.peers.GPU]
		x.s.push(t, r, pieces, true, false, c)
		x.post(t, c, true)
		f := c.block.found[c.fill]
		if t.Idx() == 0 {
			x.tell(frontier{0, f.vertices, f.arcs})
		}
		total := gpu.Shared[frontier](t)
		x.one.BlocksThen(t, func() { *total = x.hear() })
		if t.Idx() == 0 {
			record(x.s.m, r.iteration+before.iterations, front, howAlone, uint32(t.Clock()-began))
		}
		before.iterations++
		front = *total
		left -= total.arcs
		if total.vertices == 0 || r.iteration+before.iterations > r.run.Limit || !x.fits(r, c, front) || r.run.pays(t, r.at, front, left, false) {
			c.did(t, before)
			c.passOn(t, *total)
			c.next(t)
			break
		}
		before.vertices += total.vertices
		before.arcs += total.arcs
		c.next(t)
		x.receive(t, r.side, t.Warp(), t.BlockDim()/gpu.WarpSize, true, c)
		pieces = c.meet(t).pieces
		c.next(t)
	}
	x.turn = turn // push adds them, in all blocks
}
