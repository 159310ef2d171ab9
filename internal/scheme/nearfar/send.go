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
func (s *search[A, V]) send(t gpu.Thread, what uint32) {
	words, warps := s.p.End-s.p.First, t.Stride()/gpu.WarpSize
	loops := (words + warps*gpu.WarpSize - 1) / (warps * gpu.WarpSize)
	each := (words + warps*max(loops, 1) - 1) / (warps * max(loops, 1))
	arcs, least := uint32(0), scheduler.NoPhase
	for i := range loops {
		at := s.p.First + (i*warps+t.Global()/gpu.WarpSize)*each
		word, has := uint32(0), t.Lane() < each && at+t.Lane() < s.p.End
		if has && what == split {
			word = s.m.Far[at+t.Lane()]
		} else if has {
			if word = s.m.Marks[at+t.Lane()]; word != 0 {
				s.m.Marks[at+t.Lane()] = 0
			}
		}
		near, far, sent, waits := s.sort(t, at, word, what)
		arcs += sent
		least = min(least, waits)
		if s.alg.Phases() && what == split && far != word {
			s.m.Far[at+t.Lane()] = far
		} else if s.alg.Phases() && what == improved && near|far != 0 {
			before := s.m.Far[at+t.Lane()]
			if after := (before | far) &^ near; after != before {
				s.m.Far[at+t.Lane()] = after
			}
		}
		s.put(t, at, near, s.reserve(t, gpu.PopCount(near)))
	}
	s.count(t, arcs, least)
	t.Sync()
	if t.Idx() == 0 {
		s.tally()
	}
}

// count adds what the lanes of a warp have counted to the counters of the block. All lanes must call it together.
func (s *search[A, V]) count(t gpu.Thread, arcs, least uint32) {
	arcs, least = sumOver(t, arcs), leastOver(t, least)
	if t.Lane() == 0 && (arcs > 0 || least != scheduler.NoPhase) {
		gpu.AtomicAdd(&s.block.arcs, arcs, gpu.BlockScope)
		gpu.AtomicMin(&s.block.least, least, gpu.BlockScope)
	}
}

// tally adds what the block has counted to the counters of the GPU. One thread of the block calls it.
func (s *search[A, V]) tally() {
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

// take returns words of those lanes that rest says, of which each has one, that of the first lane for the vertices from 32*at on, and which lanes are left.
func take(t gpu.Thread, at, word, rest uint32) (b bits, left uint32) {
	for k := range uint32(wave) {
		b.of[k] = gpu.TrailingZeros(rest) % gpu.WarpSize
		b.word[k] = gpu.Shfl(t, gpu.FullMask, word, b.of[k])
		if rest == 0 {
			b.word[k] = 0
		}
		rest &= rest - 1
		b.mine[k] = b.word[k]>>t.Lane()&1 != 0
		b.v[k] = (at+b.of[k])*gpu.WarpSize + t.Lane()
	}
	return b, rest
}

// sort says which vertices of the lane's word are near and which are far. The word of the first lane has the vertices from 32*at on. arcs are those of the vertices that are near and whose bits are those of the lane,
// and least is the least phase of those that are far. All lanes of a warp must call it together.
func (s *search[A, V]) sort(t gpu.Thread, at, word, what uint32) (near, far, arcs, least uint32) {
	least = scheduler.NoPhase
	for rest := t.Ballot(gpu.FullMask, word != 0); rest != 0; {
		b, left := take(t, at, word, rest)
		rest = left
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
func (s *search[A, V]) joins(v uint32, x V, what uint32) (near bool, phase uint32) {
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
func (s *search[A, V]) reserve(t gpu.Thread, n uint32) uint32 {
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

// put sends the vertices of the lane's word, of which the first goes to a place. All lanes of a warp must call it together.
func (s *search[A, V]) put(t gpu.Thread, at, word, place uint32) {
	for rest := t.Ballot(gpu.FullMask, word != 0); rest != 0; {
		b, left := take(t, at, word, rest)
		rest = left
		var x [wave]V
		for k := range uint32(wave) {
			if b.mine[k] {
				x[k] = gpu.Load(&s.values[b.v[k]])
			}
		}
		for k := range uint32(wave) {
			to := gpu.Shfl(t, gpu.FullMask, place, b.of[k]) + gpu.PopCount(b.word[k]&(1<<t.Lane()-1))
			if b.mine[k] {
				s.post(to, b.v[k], x[k])
			}
		}
	}
}

// post stores a vertex and its value in the inboxes of all GPUs.
func (s *search[A, V]) post(place, v uint32, x V) {
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
