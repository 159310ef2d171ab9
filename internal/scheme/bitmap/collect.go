package bitmap

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// found is what a block has found of the next frontier, in shared memory.
type found struct {
	pieces         uint32 // places that were asked for among its own
	full           uint32 // the first place behind which there was no room
	vertices, arcs uint32
}

// block is what a block has in shared memory besides pieces. Of the three frontiers, which change places, one is filled while others still read that before it
// and the third one is cleared: so a barrier of the block is enough between two iterations of one block alone.
type block struct {
	found [sets]found
	base  uint32 // where the block's pieces go
}

// collector is the next frontier, as one thread sees it. A block keeps its pieces in shared memory until the end of the iteration, and
// then reserves room for all of them with one atomic: an atomic of each warp would make thousands of warps wait for one word.
type collector struct {
	m      Memory
	block  *block
	fill   uint32  // the frontier of block to fill
	both   []piece // two lists of pieces in shared memory
	list   uint32  // the one to fill
	counts []uint32
	step   uint32
	// Where a block has no room any more, a warp reserves several places of the frontier in global memory at once: free up to freeEnd (exclusive) are those that it has not
	// filled, and more is how many it takes the next time.
	free, freeEnd, more uint32
}

// places are those that a warp has reserved: some that follow each other, and others that do too. here says whether they are in shared memory.
type places struct {
	here               bool
	first, some, other uint32
}

// at returns place i.
func (p places) at(i uint32) uint32 {
	if i < p.some {
		return p.first + i
	}
	return p.other + i - p.some
}

// open returns the next frontier before the first iteration. All threads of the block must call it, and a barrier of the block must follow.
func open(t gpu.Thread, m Memory) collector {
	c := collector{m: m, block: gpu.Shared[block](t), both: gpu.DynamicShared[piece](t)}
	if t.Idx() < sets {
		c.block.found[t.Idx()] = found{full: ^uint32(0)}
	}
	return c
}

// begin prepares the frontier of a step.
func (c *collector) begin(step uint32) { c.step, c.counts = step, c.m.set(step) }

// room returns how many pieces a block has room for in shared memory.
func (c *collector) room() uint32 { return gpu.Len(c.both) / 2 }

// own returns a piece in shared memory: of the list to fill, or of the other one, which was filled before.
func (c *collector) own(before bool, i uint32) *piece {
	list := c.list
	if before {
		list = 1 - list
	}
	return &c.both[list*c.room()+i]
}

// rows are arcs of vertices of a lane. ok says which of them there are.
type rows struct {
	v, begin, end [wave]uint32
	ok            [wave]bool
}

// load sets all arcs of those vertices that there are. The loads are under way together.
func (x *rows) load(row []uint32) {
	for k := range uint32(wave) {
		if x.ok[k] {
			x.begin[k], x.end[k] = row[x.v[k]], row[x.v[k]+1]
		}
	}
}

// count records that these vertices are in the frontier. All lanes of a warp must call it together.
func (c *collector) count(t gpu.Thread, x rows) {
	arcs, vertices := uint32(0), uint32(0)
	for k := range uint32(wave) {
		vertices += gpu.PopCount(t.Ballot(gpu.FullMask, x.ok[k]))
		if x.ok[k] {
			arcs += x.end[k] - x.begin[k]
		}
	}
	if vertices > 0 {
		c.tally(t, vertices, arcs)
	}
}

// tally records that the lanes of a warp have found so many vertices, with so many arcs of each lane's own. All lanes must call it together.
func (c *collector) tally(t gpu.Thread, vertices, arcs uint32) {
	if arcs = sumOver(t, arcs); t.Lane() == 0 {
		gpu.AtomicAdd(&c.block.found[c.fill].vertices, vertices, gpu.BlockScope)
		gpu.AtomicAdd(&c.block.found[c.fill].arcs, arcs, gpu.BlockScope)
	}
}

// add puts the arcs of vertices into the frontier. All lanes of a warp must call it together, with vertices of their own.
func (c *collector) add(t gpu.Thread, x rows) {
	var pieces [wave]uint32
	own := uint32(0)
	for k := range uint32(wave) {
		if x.ok[k] {
			pieces[k] = (x.end[k] - x.begin[k] + PieceArcs - 1) / PieceArcs
			own += pieces[k]
		}
	}
	if !t.Any(gpu.FullMask, own > 0) {
		return
	}
	at, all := scheduler.PrefixSum(t, own)
	to := c.reserve(t, all, c.mostMore(t))
	var place [wave]uint32
	for k := range uint32(wave) {
		place[k] = at
		if pieces[k] > 0 {
			c.put(to, at, piece{x.v[k], x.begin[k], min(x.end[k], x.begin[k]+PieceArcs), 0})
		}
		at += pieces[k]
	}
	// Not a loop, so that the arrays stay in registers.
	c.cut(t, to, place[0], pieces[0], piece{x.v[0], x.begin[0], x.end[0], 0})
	c.cut(t, to, place[1], pieces[1], piece{x.v[1], x.begin[1], x.end[1], 0})
	c.cut(t, to, place[2], pieces[2], piece{x.v[2], x.begin[2], x.end[2], 0})
	c.cut(t, to, place[3], pieces[3], piece{x.v[3], x.begin[3], x.end[3], 0})
}

// cut puts all pieces but the first one of those lanes' vertices that have several; at is the place of the first. The lanes get equal parts of
// these pieces: a lane with a vertex of many arcs would keep all others waiting. All must call it together.
func (c *collector) cut(t gpu.Thread, to places, at, pieces uint32, own piece) {
	more := max(pieces, 1) - 1
	if !t.Any(gpu.FullMask, more > 0) {
		return
	}
	upTo := scheduler.SumUpTo(t, more)
	all := gpu.Shfl(t, gpu.FullMask, upTo, gpu.WarpSize-1)
	for i := t.Lane(); i-t.Lane() < all; i += gpu.WarpSize {
		of := scheduler.ArcOwner(t, i, upTo)
		n := i + 1 - gpu.Shfl(t, gpu.FullMask, upTo-more, of)
		first, v := gpu.Shfl(t, gpu.FullMask, at, of), gpu.Shfl(t, gpu.FullMask, own.vertex, of)
		begin, end := gpu.Shfl(t, gpu.FullMask, own.begin, of), gpu.Shfl(t, gpu.FullMask, own.end, of)
		if i < all {
			c.put(to, first+n, piece{v, begin + n*PieceArcs, min(end, begin+(n+1)*PieceArcs), 0})
		}
	}
}

// firstMore is how many places a warp takes at first, where it takes several at once. It takes twice as many each time, up to its part of the spare ones.
const firstMore = 256

// reserve reserves n places for a warp, in shared memory if there is room, and if not, may reserve up to most others that stay empty. All lanes must call it together.
func (c *collector) reserve(t gpu.Thread, n, most uint32) places {
	if c.more == 0 {
		var first uint32
		if t.Lane() == 0 {
			first = gpu.AtomicAdd(&c.block.found[c.fill].pieces, n, gpu.BlockScope)
		}
		first = gpu.Shfl(t, gpu.FullMask, first, 0)
		if first+n <= c.room() {
			return places{true, first, n, 0}
		}
		if t.Lane() == 0 {
			gpu.AtomicMin(&c.block.found[c.fill].full, first, gpu.BlockScope)
		}
		c.more = min(firstMore, most)
	}
	p := places{false, c.free, min(n, c.freeEnd-c.free), 0}
	c.free += p.some
	if p.some < n {
		// One atomic for many vertices: those of all warps on the one word follow each other, some nanoseconds each.
		take := max(n-p.some, c.more)
		if t.Lane() == 0 {
			p.other = gpu.AtomicAdd(&c.counts[piecesCount], take)
		}
		p.other = gpu.Shfl(t, gpu.FullMask, p.other, 0)
		c.free, c.freeEnd = p.other+n-p.some, p.other+take
		c.more = max(min(2*c.more, most), 1)
	}
	return p
}

// mostMore returns how many places a warp may reserve and leave empty.
func (c *collector) mostMore(t gpu.Thread) uint32 { return c.m.Spare / (t.Stride() / gpu.WarpSize) }

// giveUp fills the places that the warp has reserved and not used with empty pieces.
func (c *collector) giveUp(t gpu.Thread) {
	for i := c.free + t.Lane(); i < c.freeEnd; i += gpu.WarpSize {
		c.m.put(c.step, i, piece{vertex: noVertex})
	}
	c.free, c.freeEnd, c.more = 0, 0, 0
}

// put sets a piece, at place i of those that were reserved.
func (c *collector) put(to places, i uint32, p piece) {
	if to.here {
		*c.own(false, to.first+i) = p
	} else {
		c.m.put(c.step, to.at(i), p)
	}
}

// meet returns what the threads of the block have found. All of them must call it.
func (c *collector) meet(t gpu.Thread) found {
	t.Sync()
	return c.block.found[c.fill]
}

// next goes on to the frontier after that which was filled.
func (c *collector) next(t gpu.Thread) {
	c.fill, c.list = (c.fill+1)%sets, 1-c.list
	if t.Idx() == 0 {
		c.block.found[(c.fill+1)%sets] = found{full: ^uint32(0)}
	}
}

// here returns how many of the pieces that a block has found are in shared memory.
func (f found) here() uint32 { return min(f.pieces, f.full) }

// did tells all blocks what this one did alone before it made the frontier.
func (c *collector) did(t gpu.Thread, before done) {
	if t.Idx() == 0 {
		set := c.counts
		gpu.Store(&set[aloneIterationsCount], before.iterations)
		gpu.Store(&set[aloneVerticesCount], before.vertices)
		gpu.Store(&set[aloneArcsCount], before.arcs)
	}
}

// passOn tells all blocks of the frontier that one block knows after it was alone.
func (c *collector) passOn(t gpu.Thread, f frontier) {
	if t.Idx() == 0 {
		gpu.Store(&c.counts[verticesCount], f.vertices)
		gpu.Store(&c.counts[arcsCount], f.arcs)
	}
}

// flush moves what the block has found to the frontier of the step. All threads of the block must call it, and a barrier of all blocks must follow.
func (c *collector) flush(t gpu.Thread) { c.move(t, c.meet(t)) }

// move is flush behind meet.
func (c *collector) move(t gpu.Thread, f found) {
	c.giveUp(t)
	// Two threads, so that their atomics are on the way together.
	if t.Idx() == 0 && f.here() > 0 {
		c.block.base = gpu.AtomicAdd(&c.counts[piecesCount], f.here())
	}
	if t.Idx() == gpu.WarpSize%t.BlockDim() && f.vertices > 0 {
		gpu.AtomicAdd(&c.counts[verticesCount], f.vertices)
		gpu.AtomicAdd(&c.counts[arcsCount], f.arcs)
	}
	t.Sync()
	for i := t.Idx(); i < f.here(); i += t.BlockDim() {
		c.m.put(c.step, c.block.base+i, *c.own(false, i))
	}
	c.next(t)
}

// sumOver returns the sum of x over the lanes of a warp.
func sumOver(t gpu.Thread, x uint32) uint32 {
	return scheduler.Reduce(t, scheduler.WarpPerVertex{}, x, 0, func(a, b uint32) uint32 { return a + b })
}
