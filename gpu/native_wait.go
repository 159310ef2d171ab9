package gpu

import (
	"fmt"
	"math/bits"
)

// block is a block of the launch, with the state of its barriers.
type block struct {
	index   int
	live    int // threads that have not exited
	barrier int // live threads that wait at a barrier
	waiting int // live threads that wait at a barrier or collective
	threads []thread
	warps   []warp
	shared  []any         // by slot, see places
	dynamic dynamicMemory // nil before its first use
	at      *barrierCall  // at which threads wait
	gone    *thread       // one that has exited; nil if none has
	watched []watched
	bulk    []pendingCopy // copies in bulk that have not landed
	sends   []*begun      // copies from its shared memory to that of blocks of the cluster
	named   [16]namedBarrier
	cluster *cluster
}

// namedBarrier is a barrier of some warps of the block.
type namedBarrier struct {
	threads, arrived uint32
	waiting          []*thread
}

// names holds the name of the function, by whether it waits.
var names = map[bool]string{true: "SyncNamed", false: "ArriveNamed"}

// named waits for the lanes of the warp, and then, if wait is set, for the barrier.
func (th *thread) named(id, threads uint32, wait bool) {
	switch {
	case id == 0 || id >= uint32(len(th.b.named)):
		panic(misuse(fmt.Sprintf("%s of barrier %d; a block has barriers 1 to 15", names[wait], id)))
	case threads == 0 || threads%WarpSize != 0 || threads > MaxBlock:
		panic(misuse(fmt.Sprintf("%s of %d threads; want a multiple of 32, up to 1024", names[wait], threads)))
	}
	v := uint64(id)<<32 | uint64(threads)
	if wait {
		v |= 1 << 63
	}
	th.warp(warpNamed, FullMask, v, 0)
}

// come counts a warp whose lanes have all arrived at a named barrier, and resumes the
// threads that may continue.
func (b *block) come(l *launch, lanes []*thread) {
	v := lanes[0].val
	for _, th := range lanes {
		if th.val != v {
			l.stuck(b, "the lanes of a warp arrive at different named barriers, or with different thread counts")
			return
		}
	}
	id := v >> 32 & 15
	n, threads := &b.named[id], uint32(v)
	if n.arrived > 0 && n.threads != threads {
		l.stuck(b, fmt.Sprintf("a warp arrives at barrier %d for %d threads, where others have arrived for %d", id, threads, n.threads))
		return
	}
	n.threads = threads
	n.arrived += WarpSize
	if v>>63 != 0 {
		n.waiting = append(n.waiting, lanes...)
	} else {
		b.goOn(lanes)
	}
	if n.arrived == n.threads {
		b.goOn(n.waiting)
		n.arrived, n.waiting = 0, n.waiting[:0]
		l.passed = true
	}
}

// goOn resumes threads that were waiting.
func (b *block) goOn(list []*thread) {
	for _, th := range list {
		th.resume(0)
	}
	b.waiting -= len(list)
}

// warp is a warp of the block, with the collectives at which its lanes wait.
type warp struct {
	live   uint32
	groups []group
}

// group is a set of lanes that have arrived at one collective: they called the same
// function with the same mask.
type group struct {
	kind    warpKind
	mask    uint32
	arrived uint32
}

// sync waits until all live threads of the block are at a barrier.
func (th *thread) sync(kind syncKind, p bool) uint32 {
	if !th.l.undefined {
		th.meet(kind)
	}
	th.state, th.syncAt, th.pred = atBarrier, kind, p
	th.b.barrier++
	th.b.waiting++
	th.b.settle(th.l)
	th.suspend()
	return uint32(th.result)
}

// settle releases the barrier if it is complete, and ends the launch if the block cannot
// continue.
func (b *block) settle(l *launch) {
	if b.live == 0 || b.waiting < b.live || l.stuckIn != nil {
		return
	}
	if b.atGate() {
		if b.cluster.stuck() {
			l.stuck(b, "threads of a cluster wait for each other at different places")
		}
		return
	}
	if b.barrier < b.live {
		l.stuck(b, "threads of a block wait for each other at different places")
		return
	}
	var kind syncKind
	n, first := 0, true
	for i := range b.threads {
		th := &b.threads[i]
		if th.state != atBarrier {
			continue
		}
		if !first && th.syncAt != kind {
			l.stuck(b, "threads of a block wait at barriers of different kinds, so none can complete")
			return
		}
		kind, first = th.syncAt, false
		if th.pred {
			n++
		}
	}
	result := uint64(n)
	switch kind {
	case syncAnd:
		result = bit(n == b.live)
	case syncOr:
		result = bit(n > 0)
	}
	for i := range b.threads {
		if th := &b.threads[i]; th.state == atBarrier {
			th.resume(result)
		}
	}
	b.barrier, b.waiting = 0, 0
	l.passed = true
}

// resume lets a waiting thread continue in the next round.
func (th *thread) resume(result uint64) {
	th.state, th.result = runs, result
	th.l.next = append(th.l.next, th)
}

// warp waits until all live lanes in mask have called the same collective with the same
// mask.
func (th *thread) warp(kind warpKind, mask uint32, v uint64, lane uint32) uint64 {
	own := th.idx % WarpSize
	if kind == warpActive {
		return 1 << own
	}
	if mask>>own&1 == 0 {
		panic(misuse(fmt.Sprintf("%s: lane %d is not in its own mask %08x", kind, own, mask)))
	}
	th.state, th.warpAt, th.mask, th.val, th.lane = atCollective, kind, mask, v, lane
	th.b.waiting++
	w := &th.b.warps[th.idx/WarpSize]
	i := 0
	for i < len(w.groups) && (w.groups[i].kind != kind || w.groups[i].mask != mask) {
		i++
	}
	if i == len(w.groups) {
		w.groups = append(w.groups, group{kind: kind, mask: mask})
	}
	w.groups[i].arrived |= 1 << own
	if !th.b.complete(th.idx/WarpSize, i) {
		th.b.settle(th.l)
	}
	th.suspend()
	return th.result
}

// complete releases group i of warp w if all its live lanes have arrived.
func (b *block) complete(w uint32, i int) bool {
	wp := &b.warps[w]
	g := wp.groups[i]
	if g.arrived != g.mask&wp.live {
		return false
	}
	last := len(wp.groups) - 1
	wp.groups[i] = wp.groups[last]
	wp.groups = wp.groups[:last]
	if g.kind >= warpNamed && g.kind <= warpWaitCluster {
		var list []*thread
		for m := g.arrived; m != 0; m &= m - 1 {
			list = append(list, &b.threads[int(w)*WarpSize+bits.TrailingZeros32(m)])
		}
		if l := list[0].l; g.kind == warpNamed {
			b.come(l, list)
		} else {
			b.atCluster(l, g.kind, list)
		}
		return false // the caller must still check whether the block can continue
	}
	lanes := b.threads[w*WarpSize : min(int(w+1)*WarpSize, len(b.threads))]
	if g.kind >= warpTranspose {
		if b.multiply(w, g.kind, g.arrived); lanes[0].l.err != nil {
			return true
		}
	}
	vote := uint32(0)
	if g.kind >= warpBallot && g.kind <= warpAll {
		for m := g.arrived; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			vote |= uint32(lanes[lane].val) << lane
		}
	}
	var results [WarpSize]uint64
	for m := g.arrived; m != 0; m &= m - 1 {
		lane := uint32(bits.TrailingZeros32(m))
		var from uint32
		if results[lane], from = g.result(lanes, lane, vote); from == defined {
			continue
		}
		th := &lanes[lane]
		if !th.l.undefined && th.l.err == nil {
			th.l.err = th.reads(from, w, &wp.live)
			return true
		}
		results[lane] = undefinedValue | uint64(th.idx)
	}
	for m := g.arrived; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		lanes[lane].resume(results[lane])
	}
	b.waiting -= bits.OnesCount32(g.arrived)
	return true
}

// defined stands for no lane.
const defined = ^uint32(0)

// undefinedValue is what a shuffle returns that reads a lane which does not take part: out of
// range as an index, and NaN as a float, of 32 and of 64 bits.
const undefinedValue = 0x7FF8_0000_7FE0_0000

// result returns what the collective returns to a lane. If that is undefined, undefined is
// the lane that a shuffle reads.
func (g *group) result(lanes []thread, lane, vote uint32) (value uint64, undefined uint32) {
	th := &lanes[lane]
	src := lane
	switch g.kind {
	case warpBallot:
		return uint64(vote), defined
	case warpAny:
		return bit(vote != 0), defined
	case warpAll:
		return bit(vote == g.arrived), defined
	case warpMatch:
		same := uint32(0)
		for m := g.arrived; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			same |= uint32(bit(lanes[l].val == th.val)) << l
		}
		return uint64(same), defined
	case warpShfl:
		src = th.lane % WarpSize
	case warpShflUp:
		if th.lane <= lane {
			src = lane - th.lane
		}
	case warpShflDown:
		if th.lane < WarpSize-lane {
			src = lane + th.lane
		}
	case warpShflXor:
		src = (lane ^ th.lane) % WarpSize
	}
	if g.arrived>>src&1 == 0 {
		return 0, src
	}
	return lanes[src].val, defined
}

// leave updates barriers and collectives after th has exited.
func (th *thread) leave() {
	b, w := th.b, th.idx/WarpSize
	b.live--
	if b.gone == nil {
		b.gone = th
	}
	if b.barrier > 0 && !th.l.undefined && b.wentAround(th.l) {
		return
	}
	th.l.changed = true
	if b.live == 0 {
		b.landStores()
		if th.l.err = b.outlived(); th.l.err != nil {
			return
		}
	}
	wp := &b.warps[w]
	wp.live &^= 1 << (th.idx % WarpSize)
	for i := len(wp.groups) - 1; i >= 0; i-- {
		b.complete(w, i)
	}
	b.cluster.open(th.l)
	b.settle(th.l)
}
