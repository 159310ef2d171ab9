package bitmap

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Memory is the memory that all blocks of a run share.
type Memory struct {
	// First and Second are bitmaps of the vertices that were reached, of Words words each: vertex v is bit v%32 of word v/32. A push sets
	// bits in both of them, so that they are the same, or if it is wide, in one; a pull reads one, by plain loads, since nobody sets bits in it then, and writes the other one.
	First, Second []uint32
	Words         uint32
	Queue         []uint32 // two frontiers of Room pieces each, which change places
	Room          uint32
	Spare         uint32   // of these, pieces that warps may leave empty
	Counts        []uint32 // three sets of counters, which change places
	Barrier       []uint32 // one word
	Status        []uint32 // what the run tells the host
	History       []uint32 // HistoryWords for each iteration, as far as there is room
}

// piece is a part of the outgoing arcs of a vertex of the frontier. A vertex without arcs has none. An empty one is of noVertex.
type piece struct{ vertex, begin, end, _ uint32 }

// PieceArcs is the largest number of arcs of a piece: a warp sends them in one wave.
const PieceArcs = wave * gpu.WarpSize

// pieceWords is the size of a piece in Queue.
const pieceWords = 4

// The counters of a frontier. One set is read, the next one filled, and the third one cleared for the iteration after: so no barrier
// is needed to clear them.
const (
	piecesCount = iota
	verticesCount
	arcsCount
	// What one block alone did before it made the frontier.
	aloneIterationsCount
	aloneVerticesCount
	aloneArcsCount
	setWords
	sets = 3
)

// CountWords is the size of Counts.
const CountWords = sets * setWords

// The elements of Status.
const (
	EndStatus        = iota // Finished or TooMany
	IterationStatus         // iterations that ran
	PullStatus              // of these, those that pulled
	VerticesStatus          // vertices of all frontiers
	ArcsStatus              // arcs of these
	ActiveStatus            // vertices of the last frontier
	AloneStatus             // iterations that one block ran alone
	ListedStatus            // of Components: arcs in the first round
	RoundStatus             // rounds
	RoundArcsStatus         // arcs of all rounds
	SweepStatus             // sweeps of all blocks
	AloneRoundStatus        // rounds that one block ran alone
	SearchStatus            // cycles of the searches, in the first block
	CollectStatus           // cycles until the first round
	PeelStatus              // cycles of the rounds
	PairsStatus             // vertices with their values that a GPU of a group sent to each other one
	ValuesStatus            // values alone that it sent
	StartStatus             // cycles before the first iteration, in the first block
	RangeStatus             // how often it sent the words of a bitmap for its range
	StatusWords             // the number of elements
)

// Why a run ended.
const (
	Finished = 1 + iota // no vertex is active
	TooMany             // Run.Limit
)

// The elements of an iteration in History.
const (
	VerticesHistory = iota // of its frontier
	ArcsHistory            // of these
	HowHistory             // 0: push, 1: pull, 2: push by one block alone, 3: wide push
	CyclesHistory          // between the barriers before and after it, in the first block, with the list of its frontier if it needs one
	HistoryWords
)

// reached returns one of the two bitmaps.
func (m Memory) reached(side uint32) []uint32 {
	if side == 0 {
		return m.First
	}
	return m.Second
}

// set returns the counters of the frontier of a step.
func (m Memory) set(step uint32) []uint32 {
	first := step % sets * setWords
	return m.Counts[first : first+setWords]
}

// clear clears the counters of a step.
func (m Memory) clear(t gpu.Thread, at part, step uint32) {
	if at.global(t) < setWords {
		gpu.Store(&m.set(step)[at.global(t)], 0)
	}
}

// get returns a piece of the frontier of a step.
func (m Memory) get(step, i uint32) piece {
	w := gpu.Load4(m.Queue, pieceWords*(step%2*m.Room+i))
	return piece{w[0], w[1], w[2], 0}
}

// put sets a piece of the frontier of a step.
func (m Memory) put(step, i uint32, p piece) {
	gpu.Store4(m.Queue, pieceWords*(step%2*m.Room+i), [4]uint32{p.vertex, p.begin, p.end, 0})
}

// isReached reports whether a bitmap has a vertex, while other threads may set bits.
func isReached(reached []uint32, v uint32) bool {
	return gpu.Load(&reached[v/gpu.WarpSize])>>(v%gpu.WarpSize)&1 != 0
}

// reach sets the bit of a vertex, and reports whether it was clear.
func reach(reached []uint32, v uint32) bool {
	bit := uint32(1) << (v % gpu.WarpSize)
	return gpu.AtomicOr(&reached[v/gpu.WarpSize], bit)&bit == 0
}

// frontier is the size of a frontier.
type frontier struct{ pieces, vertices, arcs uint32 }

// news are the counters of a step.
type news struct {
	front frontier
	alone done
}

// done is what iterations did.
type done struct{ iterations, vertices, arcs uint32 }

// part is the blocks that run a search: how many there are, and which of them this one is.
type part struct{ block, blocks uint32 }

// whole returns all blocks of the grid.
func whole(t gpu.Thread) part { return part{t.Block(), t.GridDim()} }

// global and stride are Global and Stride of a thread in a grid of these blocks alone.
func (p part) global(t gpu.Thread) uint32 { return p.block*t.BlockDim() + t.Idx() }
func (p part) stride(t gpu.Thread) uint32 { return p.blocks * t.BlockDim() }

// warp is the number of a warp among all of these blocks. Numbers that follow each other are of different blocks: a little work is then on many SMs.
func (p part) warp(t gpu.Thread) uint32  { return t.Warp()*p.blocks + p.block }
func (p part) warps(t gpu.Thread) uint32 { return p.stride(t) / gpu.WarpSize }

// rounds is where a run is. It is the same in all threads.
type rounds struct {
	m         Memory
	run       Run
	at        part // the blocks that run it
	barrier   scheduler.GridBarrier
	step      uint32   // of the frontier front
	side      uint32   // the bitmap that has all vertices that were reached
	front     frontier // of the next iteration
	iteration uint32   // the next one, from 1
	left      uint32   // arcs of vertices that were in no frontier up to front
	pulls     uint32
	alone     uint32 // iterations
	vertices  uint32 // of all frontiers up to front
}

// meet is the barrier of all blocks after which the frontier of the next step is known.
func (r *rounds) meet(t gpu.Thread) {
	n := r.read(t)
	r.passed(n.alone)
	r.enter(n.front)
}

// read is the barrier of all blocks of the GPU, and returns what they have counted for the next step.
func (r *rounds) read(t gpu.Thread) news {
	n := gpu.Shared[news](t)
	r.step++
	r.barrier.WaitThen(t, func() {
		set := r.m.set(r.step)
		*n = news{frontier{gpu.Load(&set[piecesCount]), gpu.Load(&set[verticesCount]), gpu.Load(&set[arcsCount])},
			done{gpu.Load(&set[aloneIterationsCount]), gpu.Load(&set[aloneVerticesCount]), gpu.Load(&set[aloneArcsCount])}}
	})
	return *n
}

// passed counts what one block did alone.
func (r *rounds) passed(d done) {
	r.iteration += d.iterations
	r.alone += d.iterations
	r.vertices += d.vertices
	r.left -= d.arcs
}

// enter goes on to a frontier.
func (r *rounds) enter(f frontier) {
	r.front = f
	r.vertices += f.vertices
	r.left -= f.arcs
}
