package simdx

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// This file goes beyond the paper. An algorithm whose phases are the levels of a search and of its way back
// (scheduler.Algorithm, Levels) has two phases for each level. [Push] looks at all vertices three times to begin a phase, of which a
// grid has thousands. Here the filters collect the next level as they collect a frontier, the lists of all levels stay in memory, one behind
// the other, and the way back takes them from there: a level costs a barrier of the grid forward, and one back.

// Levels is the persistent kernel of all phases of such an algorithm. All blocks must be resident at the same time.
func Levels[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, out scheduler.Graph, values []V, m Memory, run Run) {
	l := leveled{rounds: start(m, run)}
	found := open(t, m, run.Filter != Ballot)
	s := sender[A, V]{alg: alg, g: out, values: values}
	end := forward(t, s, &l, &found)
	if count := l.phase; end == 0 {
		if end = nextPhase(t, s, out, out, &l.rounds); end == 0 {
			end = wayBack(t, s, &l, count)
		}
	}
	for end == 0 {
		end = nextPhase(t, s, out, out, &l.rounds)
	}
	l.finish(t, end)
}

// leveled is where the kernel is. Forward, a phase is the number of its level.
type leveled struct {
	rounds
	at frontier // what the lists have before the present level
}

// levelWords is the size of a level in Memory.Levels.
const levelWords = 4

// begins notes what the lists have before a level.
func (m Memory) begins(level uint32, at frontier) {
	gpu.Store4(m.Levels, levelWords*level, [4]uint32{at.Small, at.Medium, at.Large, at.Arcs})
}

// before returns what the lists have before a level.
func (m Memory) before(level uint32) frontier {
	w := gpu.Load4(m.Levels, levelWords*level)
	return frontier{w[0], w[1], w[2], w[3]}
}

// listsAt returns the lists of the level before which they have that much: each of the three goes on where the level before has ended.
// Each vertex is in one level, so that there is room for all.
func (m Memory) listsAt(at frontier) lists {
	s := m.Push
	s.SmallRoom += at.Medium - at.Small
	s.MediumRoom += at.Large - at.Medium
	s.LargeRoom -= at.Large
	return lists{words: m.Lists, first: at.Small, shape: s}
}

// minus returns how much more f has than o.
func (f frontier) minus(o frontier) frontier {
	return frontier{f.Small - o.Small, f.Medium - o.Medium, f.Large - o.Large, f.Arcs - o.Arcs}
}

// ended reports whether an iteration must not run. If the limit is one for each phase, a level never exceeds it.
func (l *leveled) ended(iteration uint32) bool { return l.run.PerPhase == 0 && iteration > l.run.Limit }

// forward runs the levels of the search, and returns why the launch ends if it does.
func forward[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, s sender[A, V], l *leveled, found *collector) (end uint32) {
	if t.Global() == 0 {
		l.m.begins(0, frontier{})
	}
	firstFrontier(t, s, &l.rounds, false)
	for {
		s.phase, l.active = l.phase, l.front.entries()
		switch {
		case l.active == 0:
			return 0
		case l.ended(l.iteration):
			return TooMany
		}
		if !reachNext(t, s, l, found) {
			return Overflowed
		}
	}
}

// reachNext runs a level, or several by one block, and makes the lists of the next one. It returns false if the online filter has
// overflowed and there is no other.
func reachNext[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, s sender[A, V], l *leveled, found *collector) bool {
	row := s.g.Row
	before, iteration := l.front, l.iteration
	l.m.clear(t, l.step+2)
	found.begin(l.step+1, iteration+1, row)
	few := l.run.OneBlock > 0 && found.fits(before, l.run.OneBlock)
	next := l.at.plus(before)
	switch {
	case !few:
		found.out = l.m.listsAt(next)
		reachAll(t, s, l.m.listsAt(l.at), before, grid(t), found)
		if found.online {
			found.flush(t)
		}
		if t.Global() == 0 {
			l.m.begins(l.phase+1, next)
			gpu.Store(&found.counts[iterationCount], iteration+1)
		}
	case t.Block() == 0:
		reachAlone(t, s, l, found)
	}
	counted := l.meet(t)
	l.front, l.iteration = counted.front, counted.iteration
	l.phase += l.iteration - iteration
	if l.at = next; few {
		l.at = l.m.before(l.phase)
	}
	how := uint32(0)
	if overflow := counted.overflow != 0; overflow || !found.online {
		if t.Global() == 0 && overflow {
			gpu.AtomicAdd(&l.m.Status[OverflowStatus], 1)
		}
		if l.run.Filter == Online {
			return false
		}
		how = BallotBit
		l.ballotTo(t, l.m.listsAt(l.at), gpu.Len(l.m.Marks), l.marked, l.marked, func(v uint32) entry { return whole(row, v) })
	}
	if t.Global() == 0 && !few {
		l.record(before, iteration, how)
	}
	return true
}

// reachAlone is [alone] for levels, whose lists go to global memory as well.
func reachAlone[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, s sender[A, V], l *leveled, found *collector) {
	f, iteration, at := l.front, l.iteration, l.at
	read, fill := found.both, found.both[StageEntries(l.m.Stage):]
	from := l.m.listsAt(at)
	for class := range uint32(classes) {
		for i := t.Idx(); i < f.of(class); i += t.BlockDim() {
			read[stageStart(l.m.Stage, class)+i] = from.get(class, i)
		}
	}
	t.Sync()
	for {
		at = at.plus(f)
		found.mark, found.slots, found.out = iteration+1, fill, l.m.listsAt(at)
		reachAll(t, s, staged{read, l.m.Stage}, f, crew{t.Idx(), t.BlockDim(), 0, 1}, found)
		spilled := t.SyncOr(found.held > 0)
		s.phase++
		if t.Idx() == 0 {
			l.record(f, iteration, OneBlockBit)
			l.m.begins(s.phase, at)
		}
		iteration++
		f = found.stagedFrontier()
		if spilled || f.entries() == 0 || f.entries() > l.run.OneBlock || f.Arcs > arcsAlone*l.run.OneBlock || l.ended(iteration) {
			break
		}
		for class := range uint32(classes) {
			for i := t.Idx(); i < f.of(class); i += t.BlockDim() {
				found.out.put(class, i, fill[stageStart(l.m.Stage, class)+i])
			}
		}
		found.rotate(t)
		read, fill = fill, read
	}
	if t.Idx() == 0 {
		gpu.Store(&found.counts[iterationCount], iteration)
	}
	found.flush(t)
}

// reachAll sends the updates of a level, the longest work first.
func reachAll[A scheduler.Algorithm[V], S source, V gpu.Num](t gpu.Thread, s sender[A, V], from S, f frontier, c crew, found *collector) {
	reached := func(v uint32) { found.activate(v) }
	for i := c.block; i < f.Large; i += c.blocks {
		e := from.get(large, i)
		scheduler.ReachArcs[A, scheduler.BlockPerVertex, V](t, s.alg, s.g, s.values, s.vertex(e), e.Begin, e.End, reached)
	}
	for i := c.thread / gpu.WarpSize; i < f.Medium; i += c.threads / gpu.WarpSize {
		e := from.get(medium, i)
		scheduler.ReachArcs[A, scheduler.WarpPerVertex, V](t, s.alg, s.g, s.values, s.vertex(e), e.Begin, e.End, reached)
	}
	lanes := c.lanes(f.Small)
	if s.alg.Consumes() {
		lanes = 1 // only one thread may call Take
	}
	for i := c.thread / lanes; i < f.Small; i += c.threads / lanes {
		e := from.get(small, i)
		u := s.vertex(e)
		src := s.alg.Take(u, &s.values[u.ID])
		for arc := e.Begin + c.thread%lanes; arc < e.End; arc += lanes {
			scheduler.ReachArc[A, V](s.alg, s.g, s.values, u, src, arc, reached)
		}
	}
}
