package nearfar

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Run says what a run does.
type Run struct {
	Limit   uint32 // the last iteration that may run
	Long    bool   // whether there are rows of more than PieceArcs arcs
	Stride  uint32 // elements of the arcs' arrays for each arc: 2 if targets and weights take turns in one array
	Alone   uint32 // vertices of a near list that one block of each GPU may visit alone
	Problem scheduler.Problem
}

// wave is how many arcs or vertices a lane has under way together: a thread that waits for one after another takes as many times the latency of memory.
const wave = 4

// block is what a block has in shared memory besides pieces.
type block struct {
	front front
	// sent are vertices that warps of the block are about to send, and where the first of them goes. Two of them change places.
	sent   [2]batch
	arcs   uint32 // of near vertices that it has sent
	least  uint32 // phase of its far vertices
	pieces uint32 // places that were asked for among those in shared memory
	full   uint32 // the first place behind which there was no room
	base   uint32 // where these pieces go
	long   uint32 // pieces of all blocks
	found  uint32 // vertices that the block has improved alone
	did    done
}

// batch is a number of vertices with the place of the first one.
type batch struct{ count, base uint32 }

// search is a run, as one thread sees it.
type search[A scheduler.Algorithm[V], W Way, V gpu.Num] struct {
	alg    A
	out    scheduler.Graph // the arcs that lead to the GPU's own vertices
	values []V             // of its own vertices
	m      Memory
	p      Peers
	run    Run
	grid   scheduler.GridBarrier
	group  scheduler.GroupBarrier // of all blocks
	one    scheduler.GroupBarrier // of one block of each GPU
	block  *block
	shared []uint32 // pieces, or vertices that the block has improved alone
	slot   uint32   // of block.sent
	// The thread's warp fills these places of Pieces next.
	at, left uint32
	// The rest is the same in all threads of all GPUs.
	turn      uint32 // exchanges so far
	meets     uint32 // of these, those of all blocks
	splits    uint32 // phases that began after the first one
	now       uint32 // the phase
	iteration uint32 // the next one, from 1
	alone     uint32 // iterations of one block
	// The near list, and the least phase of those that are far.
	vertices, arcs, phase       uint32
	allVertices, allArcs, pairs uint64 // pairs are those of this GPU
}

// Search is the kernel of a whole run: one launch on each GPU of a group, or on a single one. All blocks must be resident at the same time. The words of barriers and counters are 0 before, but those
// of phases.
//
// A GPU has the arcs that lead to the vertices of its range, so that it alone changes their values. In an iteration all GPUs visit one near list, which is in the inbox of each, and mark the vertices that
// they have improved. Then each looks at its marks, sends those vertices that are near, and keeps those that are far. When no GPU has sent any, the least phase of those that are far begins.
//
//weft:block 768
func Search[A scheduler.Algorithm[V], W Way, V gpu.Num](t gpu.Thread, alg A, out scheduler.Graph, values []V, m Memory, run Run, peers Peers, group, one scheduler.GroupBarrier) {
	s := search[A, W, V]{alg: alg, out: out, values: values, m: m, p: peers, run: run, grid: scheduler.GridBarrier{Words: m.Barrier}, group: group, one: one,
		block: gpu.Shared[block](t), shared: gpu.DynamicShared[uint32](t), iteration: 1}
	s.open(t)
	s.start(t)
	s.grid.Wait(t)
	s.send(t, first)
	s.meet(t)
	for s.iteration <= run.Limit || s.vertices == 0 {
		if s.vertices == 0 {
			if !alg.Phases() || s.phase == scheduler.NoPhase {
				break
			}
			s.splits++
			s.turn++
			s.send(t, split)
			s.now = s.phase
			s.meet(t)
			continue
		}
		began, iteration := t.Clock(), s.iteration
		if s.fits() {
			s.visitAlone(t)
			continue
		}
		vertices, arcs := s.vertices, s.arcs
		s.visit(t)
		s.turn++
		s.send(t, improved)
		s.meet(t)
		s.iteration++
		if t.Global() == 0 {
			s.record(iteration, vertices, arcs, howAll, uint32(t.Clock()-began))
		}
	}
	s.finish(t)
}

// open prepares shared memory.
func (s *search[A, W, V]) open(t gpu.Thread) {
	if t.Idx() == 0 {
		b := s.block
		b.sent[0], b.sent[1] = batch{}, batch{}
		b.arcs, b.least, b.pieces, b.full, b.found = 0, scheduler.NoPhase, 0, noPlace, 0
	}
	t.Sync()
}

// start gives the GPU's vertices their first values, and marks those that are active first. A warp has 32 vertices that follow each other.
func (s *search[A, W, V]) start(t gpu.Thread) {
	for w := s.p.First + t.Global()/gpu.WarpSize; w < s.p.End; w += t.Stride() / gpu.WarpSize {
		id, starts := w*gpu.WarpSize+t.Lane(), false
		if id < s.p.vertices() {
			v := s.vertex(id)
			s.values[id] = s.alg.Init(v, s.run.Problem)
			starts = s.alg.Start(v, s.run.Problem)
		}
		if word := t.Ballot(gpu.FullMask, starts); t.Lane() == 0 {
			s.m.Marks[w], s.m.Far[w] = word, 0
		}
	}
}

// vertex returns a vertex as an algorithm sees it.
func (s *search[A, W, V]) vertex(id uint32) scheduler.Vertex {
	return scheduler.Vertex{ID: id, Degree: s.p.Degrees[id+1] - s.p.Degrees[id], Phase: s.now}
}

// The values of HowHistory.
const (
	howAll = iota
	howAlone
)

// record adds an iteration to the history.
func (s *search[A, W, V]) record(iteration, vertices, arcs, how, cycles uint32) {
	at := iteration * HistoryWords
	if at > gpu.Len(s.m.History) {
		return
	}
	at -= HistoryWords
	h := s.m.History
	h[at+VerticesHistory], h[at+ArcsHistory], h[at+PhaseHistory], h[at+HowHistory], h[at+CyclesHistory] = vertices, arcs, s.now, how, cycles
}

// finish tells the host how the run ended.
func (s *search[A, W, V]) finish(t gpu.Thread) {
	if t.Global() > 0 {
		return
	}
	end := uint32(Finished)
	if s.vertices > 0 {
		end = TooMany
	}
	status := s.m.Status
	gpu.Store(&status[EndStatus], end)
	gpu.Store(&status[IterationStatus], s.iteration-1)
	gpu.Store(&status[AloneStatus], s.alone)
	gpu.Store(&status[PhaseStatus], 1+s.splits)
	gpu.Store(&status[ActiveStatus], s.vertices)
	store2(status, VerticesStatus, s.allVertices)
	store2(status, ArcsStatus, s.allArcs)
	store2(status, PairsStatus, s.pairs)
}
