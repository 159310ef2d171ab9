package bitmap

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Peers is what a GPU of a group and the others have of each other.
type Peers[V gpu.Num] struct {
	GPU, Others uint32 // the number of the GPU, and how many others there are
	// First and End (exclusive) are the words of the bitmaps whose vertices the GPU has: it alone reaches them. Begins are the first vertices of all GPUs.
	First, End uint32
	Begins     []uint32
	Degrees    []uint32 // row offsets of all outgoing arcs of all vertices; those of out are of the arcs to the GPU's own vertices
	// Inbox has two halves, which exchanges use in turn, with a pair for each vertex of the graph: those that a GPU has found begin at its first vertex. Heard has as
	// many halves, with heardWords for each GPU.
	Inbox []uint64
	Heard []uint32
	// The same of the other GPUs, in their memories, and their bitmaps and values.
	Inboxes         [scheduler.MostPeers][]uint64
	Hearing         [scheduler.MostPeers][]uint32
	Firsts, Seconds [scheduler.MostPeers][]uint32
	Values          [scheduler.MostPeers][]V
}

// The words that a GPU tells all of them in an exchange.
const (
	verticesHeard = iota // that it has found
	arcsHeard            // all outgoing arcs of these
	heardWords
)

// HeardWords is the size of Heard for each GPU.
const HeardWords = 2 * heardWords

// peer is what another GPU has.
type peer[V gpu.Num] struct {
	inbox         []uint64
	heard         []uint32
	first, second []uint32
	values        []V
}

// each calls f for each other GPU. The loop is unrolled, so that each index is a constant and what others have are parameters of the kernel and not copies in local memory.
func (p *Peers[V]) each(f func(peer[V])) {
	for k := range uint32(scheduler.MostPeers) {
		if k < p.Others {
			f(p.at(k))
		}
	}
}

// at returns what the other GPU with a number has.
func (p *Peers[V]) at(k uint32) peer[V] {
	return peer[V]{p.Inboxes[k], p.Hearing[k], p.Firsts[k], p.Seconds[k], p.Values[k]}
}

// vertices returns the number of vertices of the graph.
func (p *Peers[V]) vertices() uint32 { return gpu.Len(p.Degrees) - 1 }
