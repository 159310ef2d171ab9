package policy

import (
	"math"

	"github.com/weft-gpu/weft/internal/base/bitmix"
)

// abandoned is the StepOrder of a model that lets resident blocks wait for ever: each warp stops before a step that is
// drawn for it, until its block is the lowest-numbered one that has not ended, or in the cluster of that one. Those stop
// as well, but not for ever: so the others come as far as they may.
type abandoned struct {
	order *modelOrder
	seed  uint64
	sum   uint64            // of the distances of all warps from their stops
	part  map[warpOf]uint64 // of the sum
}

// patient is the number of blocks that stop although they are the lowest: each stop takes long.
const patient = 8

func newAbandoned(o *modelOrder, r *draw) *abandoned {
	return &abandoned{order: o, seed: bitmix.Mix(r.state), part: map[warpOf]uint64{}}
}

// stop returns the step before which a warp stops. A quarter of the blocks stop before they begin, and a quarter never.
func (a *abandoned) stop(w warpOf) int {
	r := draw{a.seed + bitmix.Mix(uint64(w.block)+1)}
	switch r.below(4) {
	case 0:
		return math.MaxInt
	case 1:
		return 0
	}
	r.state += uint64(w.warp)
	return r.step()
}

// Holds reports whether the warp stops here.
func (a *abandoned) Holds(s *Step) bool {
	w := warpOf{s.Block, s.Warp}
	a.sum -= a.part[w]
	delete(a.part, w)
	stop := a.stop(w)
	if stop > s.Number && stop != math.MaxInt {
		a.part[w] = bitmix.Mix(uint64(stop-s.Number) + bitmix.Mix(uint64(w.block)<<32+uint64(w.warp)))
		a.sum += a.part[w]
	}
	if a.order.lowest(s.Block) {
		return stop == s.Number && s.Block < patient
	}
	return stop <= s.Number
}

// Next lets the lowest-numbered block go on: late, if it has just come to its stop, and else at once.
func (a *abandoned) Next(waiting []Step, idle bool) (chosen []int, err error) {
	for i := range waiting {
		s := &waiting[i]
		if a.order.lowest(s.Block) && (idle || s.Waits >= LongestPause) {
			chosen = append(chosen, i)
		}
	}
	return chosen, nil
}

// ByLane returns false: a model of blocks stops warps.
func (a *abandoned) ByLane() bool { return false }

// State is a hash of how far each warp is from its stop, and of the lowest block.
func (a *abandoned) State() uint64 { return a.sum + bitmix.Mix(uint64(a.order.low)) }

// String names what stops warps.
func (a *abandoned) String() string { return "progress model " + a.order.model.Name }
