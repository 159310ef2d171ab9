package unionfind

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Peers is what a GPU of a group and the others have of each other, and what the GPU has of the vertices of others.
type Peers struct {
	GPU, Others uint32   // the number of the GPU, and how many others there are
	Begins      []uint32 // the first vertices of all GPUs, multiples of 32
	// FarRow and FarCol are the arcs from the GPU's vertices, which have the numbers from 0 on, to those of others, which have those of the whole graph.
	FarRow, FarCol []uint32
	// Bridges is a sample of these arcs: the numbers of both ends in the whole graph.
	Bridges []uint32
	// All is a forest of all vertices. Largest is a bitmap of those that are in the largest tree of their GPU.
	All     Forest
	Largest []uint32
	// Inbox has pairs of vertices that are in one tree: those that a GPU has found begin at its element of Places. Heard has heardWords for each GPU.
	Inbox  []uint64
	Places []uint32
	Heard  []uint32
	Counts []uint32 // FarCounts words
	// The same of the other GPUs, in their memories.
	Largests, Hearing [scheduler.MostPeers][]uint32
	Inboxes           [scheduler.MostPeers][]uint64
}

// The words that a GPU tells all of them.
const (
	rootHeard  = iota // the root of its largest tree; none if it has no tree
	pairsHeard        // pairs that it has sent up to the end of the first exchange, and of the next ones
	HeardWords = pairsHeard + exchanges
)

// exchanges is the largest number of exchanges of pairs.
const exchanges = 2

// none is the root of no tree.
const none = ^uint32(0)

// The elements of Peers.Counts.
const (
	SentCount  = iota                         // pairs that were sent to each other GPU
	listCount                                 // Wide.Counts of the first exchange, and of the next one
	clockCount = listCount + exchanges*Counts // when each part of the run ended, on the clock of the first block's SM, after when it began
	FarCounts  = clockCount + parts + 1
)

// The parts of a run.
const (
	ownPart      = iota // the GPU's own components
	tellPart            // all GPUs know the largest trees
	hookPart            // the arcs between vertices of different GPUs
	exchangePart        // what GPUs send each other
	settlePart          // values
	parts
)

// peer is what another GPU has.
type peer struct {
	largest, heard []uint32
	inbox          []uint64
}

// each calls f for each other GPU. The loop is unrolled, so that each index is a constant and what others have are parameters of the kernel and not copies in local memory.
func (p *Peers) each(f func(peer)) {
	for k := range uint32(scheduler.MostPeers) {
		if k < p.Others {
			f(p.at(k))
		}
	}
}

// at returns what the other GPU with a number has.
func (p *Peers) at(k uint32) peer { return peer{p.Largests[k], p.Hearing[k], p.Inboxes[k]} }

// own returns the vertices of the GPU.
func (p *Peers) own() owned { return owned{p.Begins[p.GPU], gpu.Len(p.FarRow) - 1} }

// inLargest reports whether a vertex is in the largest tree of its GPU.
func (p *Peers) inLargest(v uint32) bool {
	return p.Largest[v/gpu.WarpSize]>>(v%gpu.WarpSize)&1 != 0
}

// root returns the root of the largest tree of a GPU.
func (p *Peers) root(k uint32) uint32 { return gpu.Load(&p.Heard[HeardWords*k+rootHeard]) }

// above returns an ancestor of a vertex from which its root is looked for: the root of the largest tree of its GPU, if it is there.
func (p *Peers) above(v uint32) uint32 {
	if !p.inLargest(v) {
		return v
	}
	k := uint32(0)
	for k < p.Others && p.Begins[k+1] <= v {
		k++
	}
	return p.root(k)
}

// tell tells all GPUs a word of the own one. One thread calls it.
func (p *Peers) tell(word, x uint32) {
	at := HeardWords*p.GPU + word
	p.Heard[at] = x
	p.each(func(o peer) { o.heard[at] = x })
}

// least returns the smallest root of the largest trees; none if there are no such trees.
func (p *Peers) least() uint32 {
	root := none
	for k := uint32(0); k <= p.Others; k++ {
		root = min(root, p.root(k))
	}
	return root
}

// begin records when the run began.
func (p *Peers) begin(t gpu.Thread) {
	if t.Global() == 0 {
		p.Counts[clockCount] = uint32(t.Clock())
	}
}

// clock records when a part ended.
func (p *Peers) clock(t gpu.Thread, part uint32) {
	if t.Global() == 0 {
		p.Counts[clockCount+1+part] = uint32(t.Clock())
	}
}
