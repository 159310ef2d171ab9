package simdx

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// This file has the way back of the kernel [Levels]. The vertices of a level are in its lists, by their outgoing arcs, on which they
// look for those of the next level and combine what these give. So no arc takes an atomic, and the transpose is not needed.

// passage is a place on the way back, where a level gives to the one before it.
type passage struct {
	level                uint32   // the one that gives; 0: the way has ended
	given, taken, beyond frontier // what the lists have before it, before the level that takes, and before the one after that on the way
}

// passageFrom returns the place where a level gives.
func (m Memory) passageFrom(level uint32) passage {
	p := passage{level: level, given: m.before(level), taken: m.before(level - 1)}
	p.look(m)
	return p
}

// look loads where the next level begins, long before that is needed.
func (p *passage) look(m Memory) {
	if p.level > 1 {
		p.beyond = m.before(p.level - 2)
	}
}

// next goes on.
func (p *passage) next(m Memory) {
	p.level--
	p.given, p.taken = p.taken, p.beyond
	p.look(m)
}

// takers returns the size of the level that takes.
func (p *passage) takers() frontier { return p.given.minus(p.taken) }

// few reports whether one block processes the level that takes alone.
func (p *passage) few(run Run) bool {
	f := p.takers()
	return run.OneBlock > 0 && f.entries() <= run.OneBlock && f.Arcs <= arcsAlone*run.OneBlock
}

// phase returns the phase in which the level gives, or scheduler.NoPhase if the way has ended.
func phaseOf[A scheduler.Algorithm[V], V gpu.Num](alg A, p passage) uint32 {
	if p.level == 0 {
		return scheduler.NoPhase
	}
	return alg.Return(p.level)
}

// wayBack runs the levels of the search again, in opposite order, and returns why the launch ends if it does. count is how many there
// are.
func wayBack[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, s sender[A, V], l *leveled, count uint32) (end uint32) {
	if count < 2 {
		return 0
	}
	p := l.m.passageFrom(count - 1)
	for {
		phase, iteration := phaseOf[A, V](s.alg, p), l.iteration
		if phase == scheduler.NoPhase {
			return 0
		}
		l.phase, l.active = phase, p.takers().entries()
		if l.ended(iteration) {
			return TooMany
		}
		if p.few(l.run) {
			l.m.clear(t, l.step+2)
			if t.Block() == 0 {
				backAlone(t, s, l, p)
			}
			l.iteration = l.meet(t).iteration
			last := p.level + 1 - (l.iteration - iteration) // the last level that gave
			if l.phase = s.alg.Return(last); last < 2 {
				return 0
			}
			p = l.m.passageFrom(last - 1)
			continue
		}
		if t.Global() == 0 {
			l.record(p.takers(), iteration, 0)
		}
		takeAll(t, s, phase, l.m.listsAt(p.taken), p.takers(), grid(t))
		p.next(l.m)
		l.barrier.Wait(t)
		l.iteration++
	}
}

// backAlone runs levels of the way back in this block as long as they are small.
func backAlone[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, s sender[A, V], l *leveled, p passage) {
	iteration := l.iteration
	for {
		phase := phaseOf[A, V](s.alg, p)
		if phase == scheduler.NoPhase || !p.few(l.run) || l.ended(iteration) {
			break
		}
		if t.Idx() == 0 {
			l.record(p.takers(), iteration, OneBlockBit)
		}
		takeAll(t, s, phase, l.m.listsAt(p.taken), p.takers(), crew{t.Idx(), t.BlockDim(), 0, 1})
		p.next(l.m)
		t.Sync()
		iteration++
	}
	if t.Idx() == 0 {
		gpu.Store(&l.m.set(l.step + 1)[iterationCount], iteration)
	}
}

// takeAll brings the vertices of a level what the next one gives, the longest work first.
func takeAll[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, s sender[A, V], phase uint32, from lists, f frontier, c crew) {
	for i := c.block; i < f.Large; i += c.blocks {
		takeArcs[A, scheduler.BlockPerVertex, V](t, s, phase, from.get(large, i))
	}
	for i := c.thread / gpu.WarpSize; i < f.Medium; i += c.threads / gpu.WarpSize {
		takeArcs[A, scheduler.WarpPerVertex, V](t, s, phase, from.get(medium, i))
	}
	lanes := c.lanes(f.Small)
	for i := c.thread / lanes; i < f.Small; i += c.threads / lanes {
		e := from.get(small, i)
		sum, any := s.alg.Identity(), false
		for arc := e.Begin + c.thread%lanes; arc < e.End; arc += lanes {
			if x, ok := scheduler.Given(s.alg, s.g, s.values, e.Vertex, phase, arc); ok {
				sum, any = s.alg.Combine(sum, x), true
			}
		}
		if any {
			s.alg.Update(&s.values[e.Vertex], sum)
		}
	}
}

// takeArcs is takeAll for one entry. Others may be of the same vertex, if it has very many arcs.
func takeArcs[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, s sender[A, V], phase uint32, e entry) {
	var m M
	sum := s.alg.Identity()
	m.Arcs(t, e.Begin, e.End, func(arc uint32) {
		if x, ok := scheduler.Given(s.alg, s.g, s.values, e.Vertex, phase, arc); ok {
			sum = s.alg.Combine(sum, x)
		}
	})
	sum = scheduler.Reduce(t, m, sum, s.alg.Identity(), func(a, b V) V { return s.alg.Combine(a, b) })
	if scheduler.Leader(t, m) {
		s.alg.Update(&s.values[e.Vertex], sum)
	}
}
