package wolf

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Plan says which edges are a block, and which blocks and edges an iteration processes. It is one
// of [Blocks], [Listed] and [Every].
type Plan interface {
	// edges calls body for each edge of the thread's edge block that is assigned to this thread.
	edges(t gpu.Thread, list Edges, body func(e uint32))
	// slot returns the first slot of an edge block, or after the last block the number of slots.
	slot(block uint32) uint32
	// vertex returns the destination of a slot.
	vertex(slot uint32) uint32
	// works reports whether an edge block has work in this iteration.
	works(act Activity, block uint32) bool
	// sends reports whether the edges of u are processed in this iteration.
	sends(act Activity, u uint32) bool
	// wake marks the edge blocks of v's edges with an iteration.
	wake(stamps []uint32, iteration uint32, g scheduler.Graph, v uint32)
}

// Blocks are edge blocks of a list that is ordered by source. Thread block b processes the Size
// edges from b*Size on, or what is left of them. A block without an active source is skipped. The
// rest is for the shared variant: the slots of edge block b are First[b] <= i < First[b+1].
type Blocks struct {
	Size   uint32
	First  []uint32 // edge blocks + 1
	Vertex []uint32 // the destination of each slot
}

func (b Blocks) edges(t gpu.Thread, list Edges, body func(e uint32)) {
	begin := t.Block() * b.Size
	end := begin + min(b.Size, list.Count-begin)
	for e := begin + t.Idx(); e < end; e += t.BlockDim() {
		body(e)
	}
}

func (b Blocks) slot(block uint32) uint32 { return b.First[block] }

func (b Blocks) vertex(slot uint32) uint32 { return b.Vertex[slot] }

func (Blocks) works(act Activity, block uint32) bool { return act.awake(block) }

func (Blocks) sends(act Activity, u uint32) bool { return act.active(u) }

// wake finds the blocks by the rows of the graph. They are neighbors, since the edges are ordered
// by source; mostly it is one.
func (b Blocks) wake(stamps []uint32, iteration uint32, g scheduler.Graph, v uint32) {
	begin, end := g.Row[v], g.Row[v+1]
	if begin == end {
		return
	}
	for block := begin / b.Size; block <= (end-1)/b.Size; block++ {
		gpu.Store(&stamps[block], iteration)
	}
}

// Listed are edge blocks of a list in any order, and of any size: block b has the edges
// Begin[b] <= e < Begin[b+1]. A block without an active source is skipped; the blocks with edges
// of vertex v are Home[i], HomeRow[v] <= i < HomeRow[v+1].
type Listed struct {
	Begin, First, Vertex []uint32
	HomeRow, Home        []uint32
}

func (b Listed) edges(t gpu.Thread, list Edges, body func(e uint32)) {
	part(t, b.Begin, body)
}

func (b Listed) slot(block uint32) uint32 { return b.First[block] }

func (b Listed) vertex(slot uint32) uint32 { return b.Vertex[slot] }

func (Listed) works(act Activity, block uint32) bool { return act.awake(block) }

func (Listed) sends(act Activity, u uint32) bool { return act.active(u) }

func (b Listed) wake(stamps []uint32, iteration uint32, g scheduler.Graph, v uint32) {
	for i := b.HomeRow[v]; i < b.HomeRow[v+1]; i++ {
		gpu.Store(&stamps[b.Home[i]], iteration)
	}
}

// Every is Listed without activity, as in the chapter: every iteration processes every edge.
type Every struct {
	Begin, First, Vertex []uint32
}

func (b Every) edges(t gpu.Thread, list Edges, body func(e uint32)) {
	part(t, b.Begin, body)
}

func (b Every) slot(block uint32) uint32 { return b.First[block] }

func (b Every) vertex(slot uint32) uint32 { return b.Vertex[slot] }

func (Every) works(act Activity, block uint32) bool { return true }

func (Every) sends(act Activity, u uint32) bool { return true }

func (Every) wake(stamps []uint32, iteration uint32, g scheduler.Graph, v uint32) {}

// part calls body for each edge of the thread's block that is assigned to this thread; begin has
// where blocks begin.
func part(t gpu.Thread, begin []uint32, body func(e uint32)) {
	for e := begin[t.Block()] + t.Idx(); e < begin[t.Block()+1]; e += t.BlockDim() {
		body(e)
	}
}
