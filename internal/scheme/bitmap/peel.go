package bitmap

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// This file finds the components that are left by signatures, in rounds. The signature of a vertex has the largest vertex from which a path leads to it, and the largest one to
// which a path leads from it. Where both are the same, that vertex is in the same component. An arc between different signatures is in no
// component and leaves the graph, and so do vertices that have no arc left in one of both directions.
//
// Source: Alabandi, Sands, Biros and Burtscher, A High-Performance GPU Algorithm for Strongly Connected Components, SC 2023 (ECL-SCC).

// The words of a signature, and of the ends of arcs at a vertex.
const (
	into = iota
	outOf
	signatureWords
)

// The counters of a step. One set is filled, the one before it is read, and the third one is cleared.
const (
	arcsLeft = iota
	verticesLeft
	changes
	peelWords
)

// PeelCountWords is the size of StrongMemory.Counts.
const PeelCountWords = sets * peelWords

// peel is the rest of a run, as all threads know it.
type peel struct {
	out               scheduler.Graph
	values            []uint32
	l                 StrongMemory
	how               Strong
	forward, backward []uint32 // bitmaps of what the searches have reached
	barrier           scheduler.GridBarrier
	order             order // of the vertices in this round
	alone             bool  // whether this block has gone on alone
	step, round       uint32
	arcs, vertices    uint32 // in the lists
	news              [peelWords]uint32
	listed            uint32 // arcs of the first round
	passed            uint32 // arcs of all rounds, at most 2³²-1
	sweeps, aloneOnes uint32
}

// first lists the arcs and vertices of the first round.
func (p *peel) first(t gpu.Thread, pivot uint32) {
	p.order = orderOf(p.out.Vertices(), 0, p.how.Random)
	p.collect(t)
	p.meet(t)
	p.arcs, p.listed = p.news[arcsLeft], p.news[arcsLeft]
	p.settleAll(t, pivot)
	p.meet(t)
}

// rounds gives each vertex that is left a vertex of its component.
func (p *peel) rounds(t gpu.Thread) {
	for p.vertices = p.news[verticesLeft]; p.vertices > 0; p.vertices = p.news[verticesLeft] {
		if !p.alone && p.arcs <= p.how.Alone {
			if t.Block() > 0 {
				return
			}
			p.alone = true
		}
		if p.alone {
			p.aloneOnes++
		}
		p.passed += min(p.arcs, ^p.passed)
		for p.news[changes] = 1; p.news[changes] > 0; p.sweeps++ {
			p.spread(t)
			p.meet(t)
		}
		p.round++
		p.keep(t)
		p.meet(t)
		p.arcs = p.news[arcsLeft]
		p.settle(t)
		p.meet(t)
	}
}

// set returns the counters of a step.
func (p *peel) set(step uint32) []uint32 {
	first := step % sets * peelWords
	return p.l.Counts[first : first+peelWords]
}

// meet is the barrier at the end of a step, of all blocks or of the one that is alone. What the step has counted is known after it.
func (p *peel) meet(t gpu.Thread) {
	n := gpu.Shared[[peelWords]uint32](t)
	set := p.set(p.step)
	if !p.alone {
		p.barrier.WaitThen(t, func() {
			n[arcsLeft], n[verticesLeft], n[changes] = gpu.Load(&set[arcsLeft]), gpu.Load(&set[verticesLeft]), gpu.Load(&set[changes])
		})
	} else {
		t.Sync()
		if t.Idx() == 0 {
			n[arcsLeft], n[verticesLeft], n[changes] = gpu.Load(&set[arcsLeft]), gpu.Load(&set[verticesLeft]), gpu.Load(&set[changes])
		}
		t.Sync()
	}
	p.news = *n
	p.step++
	if next := p.set(p.step + 1); t.Global() < peelWords {
		gpu.Store(&next[t.Global()], 0)
	}
}

// lists returns the list of arcs, or of vertices, of this round, and that of the next one.
func (p *peel) lists(a, b []uint32) (now, next []uint32) {
	if p.round%2 == 0 {
		return a, b
	}
	return b, a
}

// class tells a vertex that one search has reached from one that the other one has.
func (p *peel) class(v uint32) uint32 {
	return p.forward[v/gpu.WarpSize]>>(v%gpu.WarpSize)&1 | p.backward[v/gpu.WarpSize]>>(v%gpu.WarpSize)&1<<1
}

// dead reports whether a vertex has no arc in one of both directions, and is a component by itself.
func (p *peel) dead(v uint32) bool { return p.l.Dead[v/gpu.WarpSize]>>(v%gpu.WarpSize)&1 != 0 }

// reachedByBoth is the class of the component of the pivot.
const reachedByBoth = 3

// collect lists the arcs within classes, but those within the component of the pivot. Each warp has a part of the graph with as many rows and arcs, counted together, as any other: a row
// counts one behind its arcs, since thousands of rows without arcs may follow each other.
func (p *peel) collect(t gpu.Thread) {
	all, warps := gpu.Len(p.out.Col)+p.out.Vertices(), t.Stride()/gpu.WarpSize
	each := (all + warps - 1) / warps
	from := min(t.Global()/gpu.WarpSize*each, all)
	to := min(from+each, all)
	if from == to {
		return
	}
	first, last := p.rowAt(from), p.rowAt(to-1)
	from, to = from-first, to-last
	for base := first; base <= last; base += gpu.WarpSize {
		v, class, begin, end := base+t.Lane(), uint32(reachedByBoth), uint32(0), uint32(0)
		if v <= last {
			begin, end = max(p.out.Row[v], from), min(p.out.Row[v+1], to)
			if class = p.class(v); class == reachedByBoth || p.dead(v) {
				end = begin
			}
		}
		p.collectRows(t, v, class, begin, end)
	}
}

// rowAt returns the row at a place among rows and arcs.
func (p *peel) rowAt(place uint32) uint32 {
	begin, end := uint32(0), p.out.Vertices()
	for end-begin > 1 {
		middle := begin + (end-begin)/2
		if p.out.Row[middle]+middle <= place {
			begin = middle
		} else {
			end = middle
		}
	}
	return begin
}

// collectRows lists the arcs of the vertices of the lanes of a warp.
func (p *peel) collectRows(t gpu.Thread, v, class, begin, end uint32) {
	upTo := scheduler.SumUpTo(t, end-begin)
	all := gpu.Shfl(t, gpu.FullMask, upTo, gpu.WarpSize-1)
	for base := t.Lane(); base-t.Lane() < all; base += wave * gpu.WarpSize {
		var x links
		var of [wave]uint32
		for k := range uint32(wave) {
			var index uint32
			of[k], index = scheduler.ArcAt(t, base+k*gpu.WarpSize, upTo, end)
			if x.ok[k] = base+k*gpu.WarpSize < all; x.ok[k] {
				x.target[k] = p.out.Col[index]
			}
		}
		for k := range uint32(wave) {
			x.source[k] = gpu.Shfl(t, gpu.FullMask, v, of[k])
			within := gpu.Shfl(t, gpu.FullMask, class, of[k])
			x.ok[k] = x.ok[k] && p.class(x.target[k]) == within && !p.dead(x.target[k]) && x.source[k] != x.target[k]
		}
		p.list(t, p.l.Arcs, x)
	}
}

// links are arcs of a lane. ok says which of them there are.
type links struct {
	source, target [wave]uint32
	ok             [wave]bool
}

// list adds arcs to a list, and marks their ends. All lanes of a warp must call it together.
func (p *peel) list(t gpu.Thread, list []uint32, x links) {
	var before [wave]uint32
	count := uint32(0)
	for k := range uint32(wave) {
		lanes := t.Ballot(gpu.FullMask, x.ok[k])
		before[k] = count + gpu.PopCount(lanes&(1<<t.Lane()-1))
		count += gpu.PopCount(lanes)
	}
	if count == 0 {
		return
	}
	first := uint32(0)
	if t.Lane() == 0 {
		first = gpu.AtomicAdd(&p.set(p.step)[arcsLeft], count)
	}
	first = gpu.Shfl(t, gpu.FullMask, first, 0)
	for k := range uint32(wave) {
		if x.ok[k] {
			gpu.Store2(list, signatureWords*(first+before[k]), [2]uint32{x.source[k], x.target[k]})
			p.end(x.source[k], outOf)
			p.end(x.target[k], into)
		}
	}
}

// end records that a vertex has an arc in the next round, in one of both directions. A store for each arc of a hub would queue for one word.
func (p *peel) end(v, word uint32) {
	place := &p.l.Ends[signatureWords*v+word]
	if gpu.Load(place, gpu.BlockScope) != p.round+1 { //weft:racy who sees an old word stores what others have
		gpu.Store(place, p.round+1)
	}
}

// part returns the places in a list of so many arcs that are this block's.
func (p *peel) part(t gpu.Thread, count uint32) (from, to uint32) {
	if p.alone {
		return 0, count
	}
	each := (count + t.GridDim() - 1) / t.GridDim()
	from = min(t.Block()*each, count)
	return from, min(from+each, count)
}

// load sets the arcs of a list at base and after it, as far as they are before to. The loads are under way together.
func (x *links) load(t gpu.Thread, list []uint32, base, to uint32) {
	for k := range uint32(wave) {
		i := base + k*t.BlockDim()
		if x.ok[k] = i < to; x.ok[k] {
			a := gpu.Load2(list, signatureWords*i)
			x.source[k], x.target[k] = a[0], a[1]
		}
	}
}

// keep lists the arcs whose ends have one signature, which says that they are in no component that is known.
func (p *peel) keep(t gpu.Thread) {
	next, now := p.lists(p.l.Arcs, p.l.NextArcs) // of the next round
	from, to := p.part(t, p.arcs)
	for base := from; base < to; base += wave * t.BlockDim() {
		var x links
		x.load(t, now, base+t.Idx(), to)
		s := p.signatures(x)
		for k := range uint32(wave) {
			x.ok[k] = x.ok[k] && s.intoSource[k] == s.intoTarget[k] && s.outOfSource[k] == s.outOfTarget[k] && s.intoSource[k] != s.outOfSource[k]
		}
		p.list(t, next, x)
	}
}

// settleAll settles the vertices before the first round.
func (p *peel) settleAll(t gpu.Thread, pivot uint32) {
	for base := t.Global() - t.Lane(); base < p.out.Vertices(); base += t.Stride() {
		v, live := base+t.Lane(), false
		if v < p.out.Vertices() {
			if p.class(v) == reachedByBoth {
				p.values[v] = pivot
			} else {
				live = p.enter(v)
			}
		}
		p.live(t, p.l.Live, v, live)
	}
}

// settle settles the vertices of the last round: those whose component is known leave the list.
func (p *peel) settle(t gpu.Thread) {
	next, now := p.lists(p.l.Live, p.l.NextLive) // of the next round
	before := p.order
	p.order = orderOf(p.out.Vertices(), p.round, p.how.Random)
	first, stride := t.Global(), t.Stride()
	if p.alone {
		first, stride = t.Idx(), t.BlockDim()
	}
	for base := first - t.Lane(); base < p.vertices; base += stride {
		v, live := uint32(0), false
		if i := base + t.Lane(); i < p.vertices {
			v = now[i]
			signature := p.l.Signatures[signatureWords*v : signatureWords*v+signatureWords]
			if x := gpu.Load(&signature[into]); x == gpu.Load(&signature[outOf]) {
				p.values[v] = before.vertex(x)
				p.leave(v)
			} else {
				live = p.enter(v)
			}
		}
		p.live(t, next, v, live)
	}
}

// enter gives a vertex its own signature for the next round, and reports true, or if it has no arc in one of both directions, makes it a component.
func (p *peel) enter(v uint32) bool {
	if gpu.Load(&p.l.Ends[signatureWords*v+into]) != p.round+1 || gpu.Load(&p.l.Ends[signatureWords*v+outOf]) != p.round+1 {
		p.values[v] = v
		p.leave(v)
		return false
	}
	rank := p.order.rank(v)
	gpu.Store(&p.l.Signatures[signatureWords*v+into], rank)
	gpu.Store(&p.l.Signatures[signatureWords*v+outOf], rank)
	return true
}

// leave takes a vertex out of the graph: its signature changes none, and is the same in both directions, so that its arcs leave the list after the next round.
func (p *peel) leave(v uint32) {
	gpu.Store(&p.l.Signatures[signatureWords*v+into], 0)
	gpu.Store(&p.l.Signatures[signatureWords*v+outOf], 0)
}

// live adds vertices to a list. All lanes of a warp must call it together.
func (p *peel) live(t gpu.Thread, list []uint32, v uint32, live bool) {
	lanes := t.Ballot(gpu.FullMask, live)
	if lanes == 0 {
		return
	}
	first := uint32(0)
	if t.Lane() == 0 {
		first = gpu.AtomicAdd(&p.set(p.step)[verticesLeft], gpu.PopCount(lanes))
	}
	first = gpu.Shfl(t, gpu.FullMask, first, 0)
	if live {
		list[first+gpu.PopCount(lanes&(1<<t.Lane()-1))] = v
	}
}
