package lock

import "github.com/weft-gpu/weft/gpu"

// The words of Request.
const (
	asked   = iota // the waiter has asked
	answer         // the answer, once it is there
	asleep         // the waiter waits to be woken
	woken          // it was woken
	present        // number of words
)

// Request has two blocks: the first one asks, and waits for the answer of the second. It waits
// as on a condition variable: it looks whether the answer is there, announces that it sleeps,
// and sleeps until it is woken; the second block wakes it only if it sleeps.
//
// Between looking and announcing pass pause nanoseconds. An answer that comes in that time
// wakes nobody, and nobody looks again: the lost wake-up. If again is not 0, the first block
// looks once more after it has announced itself, which is the cure. Both blocks then store to
// one word and load the other one's, and the order of that takes a sequentially consistent
// fence.
func Request(t gpu.Thread, words []uint32, again, pause uint32, received *uint32) {
	if t.Idx() != 0 {
		return
	}
	if t.Block() == 0 {
		gpu.Store(&words[asked], 1)
		wait(t, words, again != 0, pause)
		gpu.Store(received, gpu.LoadAcquire(&words[answer]))
		return
	}
	for gpu.LoadAcquire(&words[asked]) == 0 {
	}
	gpu.StoreRelease(&words[answer], 42)
	gpu.FenceSC()
	if gpu.Load(&words[asleep]) != 0 {
		gpu.StoreRelease(&words[woken], 1)
	}
}

// wait returns when the answer is there.
func wait(t gpu.Thread, words []uint32, again bool, pause uint32) {
	if gpu.LoadAcquire(&words[answer]) != 0 {
		return
	}
	t.Sleep(pause)
	gpu.Store(&words[asleep], 1)
	gpu.FenceSC()
	if again && gpu.LoadAcquire(&words[answer]) != 0 {
		return
	}
	for gpu.LoadAcquire(&words[woken]) == 0 {
	}
}
