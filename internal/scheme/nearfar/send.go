package nearfar

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// The vertices that send looks at.
const (
	first    = iota // those with which the run begins
	improved        // those that were improved
	split           // those that are far
)

// send sends those of the GPU's vertices that are near to all GPUs, with their values. A warp has up to 32 words of a bitmap at a time, a lane each, and all warps of a block reserve places together. All threads
// of the GPU call it, and a barrier of all GPUs must follow.
func (s *search[A, W, V]) send(t gpu.Thread, what uint32) {
	words, warps := s.p.End-s.p.First, t.Stride()/gpu.WarpSize
	loops, each := (words+warps*gpu.WarpSize-1)/(warps*gpu.WarpSize), share(words, warps)
	arcs, least := uint32(0), scheduler.NoPhase
	for i := range loops {
		at := s.p.First + (i*warps+t.Global()/gpu.WarpSize)*each
		word, before, has := uint32(0), uint32(0), t.Lane() < each && at+t.Lane() < s.p.End
		if has && s.alg.Phases() {
			before = gpu.Load(&s.m.Far[at+t.Lane()]) // it is on its way while marks are
		}
		if has && what == split {
			word = before
		} else if has {
			if word = gpu.Load(&s.m.Marks[at+t.Lane()]); word != 0 {
				gpu.Store(&s.m.Marks[at+t.Lane()], 0)
			}
		}
		near, far, sent, waits := s.sort(t, at, word, what)
		arcs += sent
		least = min(least, waits)
		after := far
		if what != split {
			after |= before &^ near
		}
		if s.alg.Phases() && has && after != before {
			gpu.Store(&s.m.Far[at+t.Lane()], after)
		}
		s.put(t, at, near)
	}
	s.count(t, arcs, least)
	t.Sync()
	if t.Idx() == 0 {
		s.tally()
	}
}

// count adds what the lanes of a warp have counted to the counters of the block. All lanes must call it together.
func (s *search[A, W, V]) count(t gpu.Thread, arcs, least uint32) {
	if !t.Any(gpu.FullMask, arcs > 0 || least != scheduler.NoPhase) {
		return
	}
	arcs, least = sumOver(t, arcs), leastOver(t, least)
	if t.Lane() == 0 {
		gpu.AtomicAdd(&s.block.arcs, arcs, gpu.BlockScope)
		gpu.AtomicMin(&s.block.least, least, gpu.BlockScope)
	}
}

// tally adds what the block has counted to the counters of the GPU. One thread of the block calls it.
func (s *search[A, W, V]) tally() {
	b := s.block
	if b.arcs > 0 {
		gpu.AtomicAdd(&s.m.Counts[arcsCount], b.arcs)
	}
	if b.least != scheduler.NoPhase {
		gpu.AtomicMin(&s.m.Counts[phaseCount+s.splits%2], b.least)
	}
	b.arcs, b.least = 0, scheduler.NoPhase
}

// bits are words of a bitmap that a warp looks at together, a vertex for each lane: wave of those that are not 0.
type bits struct {
	of   [wave]uint32 // the lane that has the word
	word [wave]uint32 // 0 if there is none
	mine [wave]bool   // whether it has the vertex of this lane
	v    [wave]uint32
}

// take takes words of those lanes that rest says, of which each has one, that of the first lane for the vertices from 32*at on, and returns which lanes are left.
func (b *bits) take(t gpu.Thread, at, word, rest uint32) (left uint32) {
	for k := range uint32(wave) {
		of := gpu.TrailingZeros(rest) % gpu.WarpSize
		w := gpu.Shfl(t, gpu.FullMask, word, of)
		if rest == 0 {
			w = 0
		}
		rest &= rest - 1
		b.of[k], b.word[k], b.v[k], b.mine[k] = of, w, (at+of)*gpu.WarpSize+t.Lane(), w>>t.Lane()&1 != 0
	}
	return rest
}

// sort says which vertices of the lane's word are near and which are far. The word of the first lane has the vertices from 32*at on. arcs are those of the vertices that are near and whose bits are those of the lane,
// and least is the least phase of those that are far. All lanes of a warp must call it together.
func (s *search[A, W, V]) sort(t gpu.Thread, at, word, what uint32) (near, far, arcs, least uint32) {
	least = scheduler.NoPhase
	for rest := t.Ballot(gpu.FullMask, word != 0); rest != 0; {
		var b bits
		rest = b.take(t, at, word, rest)
		var x [wave]V
		var degree [wave]uint32
		for k := range uint32(wave) {
			if b.mine[k] {
				x[k] = gpu.Load(&s.values[b.v[k]])
				degree[k] = s.p.Degrees[b.v[k]+1] - s.p.Degrees[b.v[k]]
			}
		}
		for k := range uint32(wave) {
			joins, phase := s.joins(b.v[k], x[k], what)
			joins = joins && b.mine[k]
			if joins {
				arcs += degree[k]
			}
			waits := b.mine[k] && !joins && phase != scheduler.NoPhase
			if waits {
				least = min(least, phase)
			}
			n, f := t.Ballot(gpu.FullMask, joins), t.Ballot(gpu.FullMask, waits)
			if t.Lane() == b.of[k] && b.word[k] != 0 {
				near, far = n, f
			}
		}
	}
	return near, far, arcs, least
}

// joins reports whether a vertex with a value is near, and if not, in which phase it will be.
func (s *search[A, W, V]) joins(v uint32, x V, what uint32) (near bool, phase uint32) {
	if !s.alg.Phases() || what == first {
		return true, scheduler.NoPhase
	}
	if what == split {
		phase = s.alg.Phase(v, s.now, x)
		return phase == s.phase, phase
	}
	return s.alg.Joins(v, s.now, x), s.alg.Phase(v, s.now, x)
}

// reserve returns the first of n places in the inboxes, for each lane its own. All threads of a block must call it together.
func (s *search[A, W, V]) reserve(t gpu.Thread, n uint32) uint32 {
	below, all := scheduler.PrefixSum(t, n)
	own, other := &s.block.sent[s.slot], &s.block.sent[1-s.slot]
	at := uint32(0)
	if t.Lane() == 0 && all > 0 {
		at = gpu.AtomicAdd(&own.count, all, gpu.BlockScope)
	}
	t.Sync()
	if t.Idx() == 0 {
		if own.count > 0 {
			own.base = gpu.AtomicAdd(&s.m.Counts[nearCount], own.count)
		}
		other.count = 0
	}
	t.Sync()
	s.slot = 1 - s.slot
	return own.base + gpu.Shfl(t, gpu.FullMask, at, 0) + below
}

// put sends the vertices of the lane's word. All threads of a block must call it together. The first values are on their way while the block reserves places.
func (s *search[A, W, V]) put(t gpu.Thread, at, word uint32) {
	var b bits
	var x [wave]V
	rest := b.take(t, at, word, t.Ballot(gpu.FullMask, word != 0))
	for k := range uint32(wave) {
		if b.mine[k] {
			x[k] = gpu.Load(&s.values[b.v[k]])
		}
	}
	place := s.reserve(t, gpu.PopCount(word))
	s.postAll(t, place, b, x)
	for rest != 0 {
		var b bits
		var x [wave]V
		rest = b.take(t, at, word, rest)
		for k := range uint32(wave) {
			if b.mine[k] {
				x[k] = gpu.Load(&s.values[b.v[k]])
			}
		}
		s.postAll(t, place, b, x)
	}
}

// postAll stores vertices with these values in the inboxes of all GPUs. The first one of a word goes to the place of the lane that has the word.
func (s *search[A, W, V]) postAll(t gpu.Thread, place uint32, b bits, x [wave]V) {
	var to [wave]uint32
	for k := range uint32(wave) {
		to[k] = gpu.Shfl(t, gpu.FullMask, place, b.of[k]) + gpu.PopCount(b.word[k]&(1<<t.Lane()-1))
	}
	// Not a loop, so that the arrays stay in registers.
	s.post(b.mine[0], to[0], b.v[0], x[0])
	s.post(b.mine[1], to[1], b.v[1], x[1])
	s.post(b.mine[2], to[2], b.v[2], x[2])
	s.post(b.mine[3], to[3], b.v[3], x[3])
}

// post stores a vertex and its value in the inboxes of all GPUs, if the lane has one.
func (s *search[A, W, V]) post(has bool, place, v uint32, x V) {
	if !has {
		return
	}
	p := &s.p
	at := p.half(s.turn) + p.Begins[p.GPU] + place
	scheduler.PutPair(p.Inbox, at, v, x)
	p.each(func(o peer) { scheduler.PutPair(o.inbox, at, v, x) })
}

// sumOver returns the sum of x over the lanes of a warp.
func sumOver(t gpu.Thread, x uint32) uint32 {
	return scheduler.Reduce(t, scheduler.WarpPerVertex{}, x, 0, func(a, b uint32) uint32 { return a + b })
}

// leastOver returns the least x over the lanes of a warp.
func leastOver(t gpu.Thread, x uint32) uint32 {
	return scheduler.Reduce(t, scheduler.WarpPerVertex{}, x, 0, func(a, b uint32) uint32 { return min(a, b) })
}
