package unionfind

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// exchange is a GPU that hooks arcs between the vertices of different GPUs, and tells the others of it.
type exchange struct {
	p     *Peers
	near  []uint32 // row offsets of the arcs between vertices of the GPU
	list  []uint32 // has room for all of its vertices
	box   *outbox
	least uint32 // the smallest root of the largest trees
	turn  uint32 // exchanges so far
}

// outbox is what a block has in shared memory: pairs until it sends them together, with one atomic for all, since one for each would be a queue at one word, and for each warp, vertices until it has found enough of
// them for all of its lanes. A pair for which there is no room is sent at once.
type outbox struct {
	pairs       [outboxPairs]uint64
	count, base uint32
	vertices    [warpVertices * gpu.MaxBlock / gpu.WarpSize]uint32
}

const (
	outboxPairs  = 512
	warpVertices = 2 * gpu.WarpSize // those that a warp had before, less than it has lanes, and new ones
)

// newExchange returns an exchange with an empty outbox.
func newExchange(t gpu.Thread, p *Peers, near, list []uint32) exchange {
	x := exchange{p: p, near: near, list: list, box: gpu.Shared[outbox](t), least: p.least()}
	if t.Idx() == 0 {
		x.box.count = 0
	}
	t.Sync()
	return x
}

// link puts the trees of two vertices together in the forest of all vertices, and tells all GPUs which root it has hooked. It returns an ancestor of both.
func (x *exchange) link(a, b uint32) uint32 {
	return x.p.All.link(a, b, func(root, under uint32) { x.send(root, under) })
}

// send tells all other GPUs that two vertices are in one tree.
func (x *exchange) send(v, parent uint32) {
	at, pair := gpu.AtomicAdd(&x.box.count, 1, gpu.BlockScope), uint64(v)<<32|uint64(parent)
	if at < outboxPairs {
		x.box.pairs[at] = pair
		return
	}
	at = x.p.Places[x.p.GPU] + gpu.AtomicAdd(&x.p.Counts[SentCount], 1)
	x.p.each(func(o peer) { o.inbox[at] = pair })
}

// flush sends what is in the outbox. All threads of the block call it together.
func (x *exchange) flush(t gpu.Thread) {
	t.Sync()
	n := min(x.box.count, outboxPairs)
	if t.Idx() == 0 && n > 0 {
		x.box.base = x.p.Places[x.p.GPU] + gpu.AtomicAdd(&x.p.Counts[SentCount], n)
	}
	t.Sync()
	for i := t.Idx(); i < n; i += t.BlockDim() {
		at, pair := x.box.base+i, x.box.pairs[i]
		x.p.each(func(o peer) { o.inbox[at] = pair })
	}
	t.Sync()
	if t.Idx() == 0 {
		x.box.count = 0
	}
	t.Sync()
}

// meet is a barrier of all blocks of all GPUs, after which the forest of all vertices has what the others have sent, as far as this thread joins it.
func (x *exchange) meet(t gpu.Thread, group *scheduler.GroupBarrier) {
	p, turn := x.p, x.turn
	x.turn++
	x.flush(t)
	group.WaitTelling(t, func() { p.tell(pairsHeard+turn, gpu.Load(&p.Counts[SentCount])) })
	for k := uint32(0); k <= p.Others; k++ {
		if k == p.GPU {
			continue
		}
		heard, from := p.Heard[HeardWords*k:], uint32(0)
		if turn > 0 {
			from = gpu.Load(&heard[pairsHeard+turn-1])
		}
		to := gpu.Load(&heard[pairsHeard+turn])
		for i := from + t.Global(); i < to; i += t.Stride() {
			v, parent := scheduler.GetPair[uint32](p.Inbox, p.Places[k]+i)
			p.All.Link(v, parent)
		}
	}
}

// wide returns the list of the vertices whose arcs are hooked next.
func (x *exchange) wide() Wide {
	at := listCount + Counts*x.turn
	return Wide{x.list, x.p.Counts[at : at+Counts]}
}
