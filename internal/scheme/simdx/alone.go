package simdx

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// This file goes beyond the paper. A frontier of a road network has a few hundred vertices,
// for which the global barrier takes longer than the work. One block then runs iteration
// after iteration, with its own barrier and with the lists in its shared memory, while the
// other blocks wait at the global barrier.

// staged are lists in the shared memory of a block.
type staged struct {
	slots []entry
	room  uint32 // of the small list
}

// get returns entry i of a list.
func (s staged) get(class, i uint32) entry { return s.slots[stageStart(s.room, class)+i] }

// arcsAlone is the largest number of arcs per entry, on average over the largest frontier, that
// one block processes alone. The first frontier of a search may be one vertex with very many.
const arcsAlone = 16

// fits reports whether a block may process a frontier alone: it has at most limit entries and
// few arcs, and the entries fit the lists in shared memory.
func (n *collector) fits(f frontier, limit uint32) bool {
	return n.online && f.entries() <= limit && f.Arcs <= arcsAlone*limit &&
		f.Small <= n.stageRoom(small) && f.Medium <= n.stageRoom(medium) && f.Large <= n.stageRoom(large)
}

// alone runs iterations in this block as long as the frontier is small. It leaves the
// frontier after the last one in the lists of the next step.
func alone[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, s sender[A, V], r *rounds, found *collector) {
	f, iteration := r.front, r.iteration
	read, fill := found.both, found.both[StageEntries(r.m.Stage):]
	from := r.m.lists(r.step, r.m.Push)
	for class := range uint32(classes) {
		for i := t.Idx(); i < f.of(class); i += t.BlockDim() {
			read[stageStart(r.m.Stage, class)+i] = from.get(class, i)
		}
	}
	t.Sync()
	for {
		found.mark, found.slots = iteration+1, fill
		sendAll(t, s, staged{read, r.m.Stage}, f, crew{t.Idx(), t.BlockDim(), 0, 1}, found)
		spilled := t.SyncOr(found.held > 0)
		if t.Idx() == 0 {
			r.record(f, iteration, OneBlockBit)
		}
		iteration++
		f = found.stagedFrontier()
		if spilled || f.entries() == 0 || f.entries() > r.run.OneBlock || f.Arcs > arcsAlone*r.run.OneBlock || iteration > r.run.Limit || r.tooWide(f) {
			break
		}
		found.rotate(t)
		read, fill = fill, read
	}
	if t.Idx() == 0 {
		gpu.Store(&found.counts[iterationCount], iteration)
	}
	found.flush(t)
}
