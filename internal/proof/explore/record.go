package explore

import (
	"math/bits"
	"math/rand/v2"

	"github.com/weft-gpu/weft/internal/base/bitmix"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/policy"
)

// Point is a memory step at which a schedule may make a warp wait.
type Point struct {
	policy.Pause
	At string `json:"at,omitempty"` // the place in the source
}

// recorder is a policy.Control that changes nothing and notes the memory steps of all launches, so that schedules can be
// drawn that make warps wait before them.
type recorder struct {
	launches []policy.Launch
	steps    []step // a random sample of keep steps
	seen     int
	random   *rand.Rand
	words    map[uint64]word // by launch and address
}

// step is a memory step with some of the addresses that its lanes access.
type step struct {
	launch, block, warp, number, pc int32
	addrs                           [3]uint64
	n                               int8
}

// word says who accesses an address.
type word struct {
	warp   uint64 // the first
	others bool   // other warps do as well
	stored bool   // by a store or an atomic
}

const (
	keep  = 1 << 18
	words = 1 << 22 // addresses that are distinguished
)

func newRecorder() *recorder {
	return &recorder{words: map[uint64]word{}, random: rand.New(rand.NewPCG(1, 2))}
}

// Begin notes a launch.
func (r *recorder) Begin(l policy.Launch) (policy.BlockOrder, policy.StepOrder, error) {
	r.launches = append(r.launches, l)
	return nil, r, nil
}

// Holds notes a step.
func (r *recorder) Holds(s *policy.Step) bool {
	who := uint64(s.Block)<<16 | uint64(s.Warp)
	t := step{launch: int32(s.Launch), block: int32(s.Block), warp: int32(s.Warp), number: int32(s.Number), pc: int32(s.PC)}
	for l := s.Lanes; l != 0; l &= l - 1 {
		a := s.Addrs[bits.TrailingZeros32(l)]
		if a&ir.SharedWindow != 0 {
			owner := s.Block // each block has a shared memory of its own
			if rank, own, named := ir.SharedOf(a); named {
				size := max(r.launches[s.Launch].Cluster, 1)
				owner, a = owner-owner%size+rank, own
			}
			a ^= uint64(owner+1) << 32
		}
		a = bitmix.Mix(a) + uint64(s.Launch)
		if t.n == 0 || a != t.addrs[t.n-1] && int(t.n) < len(t.addrs) {
			t.addrs[t.n] = a
			t.n++
		}
		w, known := r.words[a]
		switch {
		case !known && len(r.words) >= words:
			continue
		case !known:
			w.warp = who
		case w.warp != who:
			w.others = true
		}
		w.stored = w.stored || s.Write
		r.words[a] = w
	}
	if r.seen++; len(r.steps) < keep {
		r.steps = append(r.steps, t)
	} else if i := r.random.IntN(r.seen); i < keep {
		r.steps[i] = t
	}
	return false
}

// Next is never called: no step waits.
func (r *recorder) Next([]policy.Step, bool) ([]int, error) { return nil, nil }

// ByLane returns false.
func (r *recorder) ByLane() bool { return false }

// State returns the same number at all times: the recorder decides nothing.
func (r *recorder) State() uint64 { return 0 }

// points returns the steps at which the order of warps matters: they access an address that several warps access and
// one stores to. The second result has them by instruction. If there are none, it returns all steps.
func (r *recorder) points() (all []Point, byInstruction [][]Point) {
	all = r.pointsOf(func(t *step) bool {
		for _, a := range t.addrs[:t.n] {
			if w := r.words[a]; w.others && w.stored {
				return true
			}
		}
		return false
	})
	if len(all) == 0 {
		all = r.pointsOf(func(*step) bool { return true })
	}
	type key struct{ kernel, at string }
	index := map[key]int{}
	for _, p := range all {
		k := key{r.launches[p.Launch].Kernel, p.At}
		i, ok := index[k]
		if !ok {
			i = len(byInstruction)
			index[k] = i
			byInstruction = append(byInstruction, nil)
		}
		byInstruction[i] = append(byInstruction[i], p)
	}
	return all, byInstruction
}

func (r *recorder) pointsOf(wanted func(*step) bool) (list []Point) {
	for i := range r.steps {
		t := &r.steps[i]
		if wanted(t) {
			list = append(list, Point{policy.Pause{Launch: int(t.launch), Block: int(t.block), Warp: int(t.warp), Step: int(t.number)},
				r.launches[t.launch].Source(int(t.pc))})
		}
	}
	return list
}
