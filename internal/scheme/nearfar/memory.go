package nearfar

import "github.com/weft-gpu/weft/gpu"

// Memory is the memory that all blocks of a GPU share.
type Memory struct {
	// Marks and Far are bitmaps of the GPU's vertices: vertex v is bit v%32 of word v/32. Marks has those that an iteration has improved, until their values are sent, and Far those that are to be
	// visited in a later phase.
	Marks, Far []uint32
	Pieces     []uint32 // parts of long rows
	Counts     []uint32 // CountWords
	Barrier    []uint32 // one word
	Status     []uint32 // what the run tells the host
	History    []uint32 // HistoryWords for each iteration, as far as there is room
}

// piece is a part of a long row. place is that of the vertex, with its value, in the inbox.
type piece struct{ place, begin, end uint32 }

// PieceArcs is the largest number of arcs of a piece: a warp has all of them under way in one wave.
const PieceArcs = wave * gpu.WarpSize

// PieceWords is the size of a piece in memory.
const PieceWords = 4

// The elements of Memory.Counts.
const (
	nearCount   = iota // vertices that the GPU has sent since it last told how many
	arcsCount          // all outgoing arcs of these
	piecesCount        // places of Pieces that were reserved
	phaseCount         // two words, which splits use in turn: the least phase of a vertex in Far, or one below it
	_
	// What one block did alone: iterations, and two words each.
	aloneCount
	aloneVerticesCount
	_
	aloneArcsCount
	_
	alonePairsCount
	_
	CountWords
)

// PhaseWords are the first element of Counts that is NoPhase before, and the one after the last. All others are 0.
const (
	FirstPhaseWord = phaseCount
	EndPhaseWord   = phaseCount + 2
)

// The elements of Status.
const (
	EndStatus       = iota // Finished or TooMany
	IterationStatus        // iterations that ran
	AloneStatus            // of these, those that one block ran alone
	PhaseStatus            // phases that began, with the first one
	ActiveStatus           // vertices of the last near list, of all GPUs
	VerticesStatus         // vertices of all near lists: two words, the lower one first
	_
	ArcsStatus // arcs of these: two words
	_
	PairsStatus // vertices that the GPU has sent to each other one: two words
	_
	StatusWords
)

// Why a run ended.
const (
	Finished = 1 + iota // no vertex is near or far
	TooMany             // Run.Limit
)

// The elements of an iteration in History.
const (
	VerticesHistory = iota // of its near list
	ArcsHistory            // of these
	PhaseHistory
	HowHistory    // 0: all blocks, 1: one block alone
	CyclesHistory // until all GPUs know the next near list, in the first block
	HistoryWords
)

// piece returns a piece.
func (m Memory) piece(i uint32) piece {
	w := gpu.Load4(m.Pieces, PieceWords*i)
	return piece{w[0], w[1], w[2]}
}

// put sets a piece.
func (m Memory) put(i uint32, p piece) {
	gpu.Store4(m.Pieces, PieceWords*i, [4]uint32{p.place, p.begin, p.end, 0})
}

// store2 stores a number in two words, the lower one first.
func store2(p []uint32, at uint32, x uint64) {
	gpu.Store(&p[at], uint32(x))
	gpu.Store(&p[at+1], uint32(x>>32))
}

// load2 loads such a number.
func load2(p []uint32, at uint32) uint64 {
	return uint64(gpu.Load(&p[at])) | uint64(gpu.Load(&p[at+1]))<<32
}
