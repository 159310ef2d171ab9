package nearfar

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Peers is what a GPU and the others of its group have of each other. A GPU alone has a group of its own.
type Peers struct {
	GPU, Others uint32 // the number of the GPU, and how many others there are
	// First and End (exclusive) are the words of the bitmaps whose vertices the GPU has: it alone changes their values. Begins are the first vertices of all GPUs.
	First, End uint32
	Begins     []uint32
	Degrees    []uint32 // row offsets of all outgoing arcs of all vertices
	// Inbox has two halves, which exchanges use in turn, with a pair for each vertex of the graph: the near list. The part of each GPU begins at its first vertex. Heard has two parts with heardWords for each GPU, which the
	// exchanges of all blocks use in turn, and two for those of one block alone. Other blocks may not have read the last part of all blocks when one block has long gone on alone, so these have turns of their own.
	Inbox []uint64
	Heard []uint32
	// The same of the other GPUs, in their memories.
	Inboxes [scheduler.MostPeers][]uint64
	Hearing [scheduler.MostPeers][]uint32
}

// The words that a GPU tells all of them in an exchange.
const (
	verticesHeard = iota // near ones that it has sent
	arcsHeard            // all outgoing arcs of these
	phaseHeard           // the least phase of those that are far, or one below it
	_                    // so that one store tells them
	heardWords
)

// HeardWords is the size of Heard for each GPU.
const HeardWords = 4 * heardWords

// peer is what another GPU has.
type peer struct {
	inbox []uint64
	heard []uint32
}

// each calls f for each other GPU. The loop is unrolled, so that each index is a constant and what others have are parameters of the kernel and not copies in local memory.
func (p *Peers) each(f func(peer)) {
	for k := range uint32(scheduler.MostPeers) {
		if k < p.Others {
			f(peer{p.Inboxes[k], p.Hearing[k]})
		}
	}
}

// vertices returns the number of vertices of the graph.
func (p *Peers) vertices() uint32 { return gpu.Len(p.Degrees) - 1 }

// half returns the first place of the half of the inbox that an exchange uses.
func (p *Peers) half(turn uint32) uint32 { return turn % 2 * p.vertices() }

// told returns where the words that a GPU tells in an exchange are in a part of Heard.
func (p *Peers) told(part, of uint32) uint32 { return (part*(p.Others+1) + of) * heardWords }

// ofAll and ofOne return the part of Heard that an exchange uses.
func (s *search[A, W, V]) ofAll() uint32 { return s.meets % 2 }
func (s *search[A, W, V]) ofOne() uint32 { return 2 + s.turn%2 }

// front is the near list as all GPUs have told, in shared memory.
type front struct {
	upTo, first           [scheduler.MostPeers + 1]uint32 // vertices up to each GPU's own, and what is added to their number for the place in the inbox
	vertices, arcs, phase uint32
	own                   uint32 // vertices of the GPU
}

// place returns where a vertex of the near list is in the inbox.
func (f *front) place(i, others uint32) uint32 {
	k := uint32(0)
	for k < others && i >= f.upTo[k] {
		k++
	}
	return i + f.first[k]
}

// tell tells all GPUs what this one has sent, and clears the counters for the next exchange. One thread calls it, when all blocks have sent.
func (s *search[A, W, V]) tell(part uint32) {
	c := s.m.Counts
	vertices, arcs, least := gpu.Load(&c[nearCount]), gpu.Load(&c[arcsCount]), gpu.Load(&c[phaseCount+s.splits%2])
	gpu.Store(&c[nearCount], 0)
	gpu.Store(&c[arcsCount], 0)
	gpu.Store(&c[piecesCount], 0)
	gpu.Store(&c[phaseCount+(s.splits+1)%2], scheduler.NoPhase)
	s.announce(part, vertices, arcs, least)
}

// announce stores what the GPU tells in the memory of all GPUs.
func (s *search[A, W, V]) announce(part, vertices, arcs, least uint32) {
	p := &s.p
	words := [4]uint32{verticesHeard: vertices, arcsHeard: arcs, phaseHeard: least}
	at := p.told(part, p.GPU)
	gpu.Store4(p.Heard, at, words)
	p.each(func(o peer) { gpu.Store4(o.heard, at, words) })
}

// hear finds the next near list from what all GPUs have told. One thread of each block calls it.
func (s *search[A, W, V]) hear(part uint32) {
	p := &s.p
	f := &s.block.front
	f.vertices, f.arcs, f.phase = 0, 0, scheduler.NoPhase
	for k := uint32(0); k <= p.Others; k++ {
		words := gpu.Load4(p.Heard, p.told(part, k))
		f.first[k] = p.half(s.turn) + p.Begins[k] - f.vertices
		f.vertices += words[verticesHeard]
		f.arcs += words[arcsHeard]
		f.phase = min(f.phase, words[phaseHeard])
		f.upTo[k] = f.vertices
		if k == p.GPU {
			f.own = words[verticesHeard]
		}
	}
}

// meet is the barrier of all GPUs after which the next near list is known.
func (s *search[A, W, V]) meet(t gpu.Thread) {
	s.meets++
	s.group.WaitTellingThen(t, func() { s.tell(s.ofAll()) }, func() { s.hear(s.ofAll()) })
	s.enter()
}

// enter goes on to the near list that was heard of.
func (s *search[A, W, V]) enter() {
	f := &s.block.front
	s.vertices, s.arcs, s.phase = f.vertices, f.arcs, f.phase
	s.allVertices += uint64(s.vertices)
	s.allArcs += uint64(s.arcs)
	s.pairs += uint64(f.own)
}
