//go:build !kernel

package atos

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/scheduler"
)

// fault is a mistake in what GPUs count, or in how they find the end.
type fault string

// The faults that are planted.
const (
	noFault          fault = "none"
	senderFinishes   fault = "the sender of a task finishes it, so that a task under way does not count"
	bothFinish       fault = "sender and receiver finish a task"
	nobodyFinishes   fault = "neither sender nor receiver finishes a task"
	receiverTooEarly fault = "the receiver finishes a task before it adds what follows"
	workerTooEarly   fault = "a worker finishes a task before it adds what follows"
	oneWave          fault = "GPU 0 does not ask before it ends the run"
	oldAnswer        fault = "a GPU answers with what it told before"
	deaf             fault = "a GPU does not answer if its counts are what it told before"
)

// world is a model of GPUs that pass tasks to each other: each step of a worker is one step of the model, messages take any time, and the end is found by Ending itself. What it
// does is random, and it ends since the number of tasks has a bound.
type world struct {
	rng   *rand.Rand
	fault fault
	gpus  []*modelGPU
	left  int // tasks that may still be begun
	under int // messages under way
	done  int // tasks that were finished, whatever the counts say
	begun int
}

// modelGPU is a GPU of the model.
type modelGPU struct {
	ring    scheduler.TaskRing
	ending  *Ending
	waiting int // tasks in its ring
	inbox   int // messages under way to it
	workers []modelWorker
}

// modelWorker is a worker, with what it does next. The first one of a GPU looks for the end while it has nothing to do.
type modelWorker struct {
	steps []func()
}

func newWorld(rng *rand.Rand, f fault) *world {
	x := &world{rng: rng, fault: f, left: 1 + rng.IntN(30)}
	n := 2 + rng.IntN(3)
	told, answered := make([]uint64, n), make([]uint32, n)
	for i := range n {
		g := &modelGPU{workers: make([]modelWorker, 1+rng.IntN(3))}
		g.ring = scheduler.TaskRing{Tail: new(uint32), Finished: new(uint32), Done: new(uint32)}
		g.ending = &Ending{GPU: uint32(i), Asked: new(uint32), Told: told, Answered: answered, Kept: make([]uint64, 2)}
		x.gpus = append(x.gpus, g)
	}
	for i, g := range x.gpus[1:] {
		x.gpus[0].ending.Peers[i] = []uint32{0}
		g.ending.Asked = &x.gpus[0].ending.Peers[i][0]
	}
	for _, g := range x.gpus {
		for range rng.IntN(3) {
			x.add(g)
		}
	}
	return x
}

// add begins a task, if it may.
func (x *world) add(g *modelGPU) {
	if x.left > 0 {
		x.left--
		x.begun++
		*g.ring.Tail++
		g.waiting++
	}
}

// finish finishes a task in a ring.
func finish(g *modelGPU) { *g.ring.Finished++ }

// follow returns the steps that add what follows from a task and finish it, if counts is set.
func (x *world) follow(g *modelGPU, counts, early bool) (steps []func()) {
	for range x.rng.IntN(3) {
		steps = append(steps, func() { x.add(g) })
	}
	count := func() {
		if counts {
			finish(g)
		}
	}
	if early {
		return append(append([]func(){count}, steps...), func() { x.done++ })
	}
	return append(steps, func() {
		count()
		x.done++
	})
}

// step lets a worker do something, and reports whether it did.
func (x *world) step(i, k int) bool {
	g := x.gpus[i]
	w := &g.workers[k]
	switch {
	case len(w.steps) > 0:
		w.steps[0]()
		w.steps = w.steps[1:]
	case *g.ring.Done != 0:
		return false
	case g.inbox > 0 && x.rng.IntN(2) == 0:
		g.inbox--
		x.under--
		w.steps = x.follow(g, x.fault != senderFinishes && x.fault != nobodyFinishes, x.fault == receiverTooEarly)
	case g.waiting > 0:
		g.waiting--
		if x.rng.IntN(2) == 0 {
			w.steps = x.follow(g, true, x.fault == workerTooEarly)
			break
		}
		to := x.gpus[(i+1+x.rng.IntN(len(x.gpus)-1))%len(x.gpus)]
		w.steps = []func(){func() {
			to.inbox++
			x.under++
			if x.fault == senderFinishes || x.fault == bothFinish {
				finish(g)
			}
		}}
	case k == 0:
		x.look(g)
	default:
		return g.inbox > 0
	}
	return true
}

// look looks for the end, with the fault if it is one of that.
func (x *world) look(g *modelGPU) {
	e, first := g.ending, g.ending.GPU == 0
	counts := uint64(*g.ring.Finished)<<32 | uint64(*g.ring.Tail)
	switch {
	case x.fault == oneWave && first:
		sum := counts
		for _, c := range e.Told[1:] {
			sum += c
		}
		if uint32(sum>>32) == uint32(sum) {
			e.ask(over)
			*g.ring.Done = scheduler.TasksDone
		}
	case x.fault == oldAnswer && !first && *e.Asked != over && uint64(*e.Asked) != e.Kept[1]:
		e.Kept[1] = uint64(*e.Asked)
		e.Answered[e.GPU] = *e.Asked
	case x.fault == deaf && !first && counts == e.Kept[0] && *e.Asked != over:
	default:
		e.Look(g.ring)
	}
}

// finished reports whether nothing is left to do.
func (x *world) finished() bool {
	for _, g := range x.gpus {
		if g.waiting > 0 || g.inbox > 0 {
			return false
		}
		for _, w := range g.workers {
			if len(w.steps) > 0 {
				return false
			}
		}
	}
	return x.done == x.begun
}

// run lets workers take turns at random. The result is "" if the run ended when all was done.
func (x *world) run() string {
	idle := 0
	for idle < 200 {
		i := x.rng.IntN(len(x.gpus))
		k := x.rng.IntN(len(x.gpus[i].workers))
		if x.rng.IntN(8) == 0 {
			i, k = 0, 0 // GPU 0 looks often
		}
		x.step(i, k)
		ended := 0
		for _, g := range x.gpus {
			if *g.ring.Done != 0 {
				ended++
			}
		}
		switch {
		case ended > 0 && !x.finished():
			return "early"
		case ended == len(x.gpus):
			return ""
		}
		if x.finished() {
			idle++
		} else {
			idle = 0
		}
	}
	return "hang"
}

// TestEnd finds the end of 10,000 runs of random schedules, neither early nor never, and checks that each planted fault is found in as many.
func TestEnd(t *testing.T) {
	for _, f := range []fault{noFault, senderFinishes, bothFinish, nobodyFinishes, receiverTooEarly, workerTooEarly, oneWave, oldAnswer, deaf} {
		found := map[string]int{}
		for seed := range uint64(10000) {
			x := newWorld(rand.New(rand.NewPCG(seed, 1)), f)
			found[x.run()]++
		}
		t.Logf("%s: %v", f, found)
		if f == noFault {
			require.Equal(t, map[string]int{"": 10000}, found)
		} else {
			require.Positive(t, found["early"]+found["hang"], f)
		}
	}
}

// TestEndIsQuiet checks that GPUs which wait for what never comes change no memory, so that the tools for hangs find them.
func TestEndIsQuiet(t *testing.T) {
	hung := 0
	for seed := range uint64(100) {
		x := newWorld(rand.New(rand.NewPCG(seed, 2)), nobodyFinishes)
		if x.run() != "hang" {
			continue
		}
		hung++
		words := func() (list []uint64) {
			for _, g := range x.gpus {
				e := g.ending
				list = append(list, uint64(*e.Asked), e.Kept[0], e.Kept[1], e.Told[e.GPU], uint64(e.Answered[e.GPU]), uint64(*g.ring.Done))
			}
			return list
		}
		look := func() {
			for _, g := range x.gpus {
				g.ending.Look(g.ring)
			}
		}
		for range 3 { // what is still to be told
			look()
		}
		before := words()
		for range 10 {
			look()
		}
		require.Equal(t, before, words())
	}
	require.Positive(t, hung)
}
