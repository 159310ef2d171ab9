package lock

import "github.com/weft-gpu/weft/gpu"

// Order increments *count under two locks, rounds times in one thread of each block. The
// thread sleeps for hold nanoseconds while it has the first lock, so that all blocks meet
// there. If opposite is not 0, blocks with an odd number take the locks in opposite order: then
// each of two blocks may hold the lock that the other one waits for (Coffman, Elphick and
// Shoshani, "System Deadlocks", ACM Computing Surveys 1971: circular wait).
func Order(t gpu.Thread, words []uint32, opposite, hold, rounds uint32, count *uint32) {
	if t.Idx() != 0 {
		return
	}
	var l Plain
	first, second := words, words[1:]
	if opposite != 0 && t.Block()%2 == 1 {
		first, second = second, first
	}
	for range rounds {
		l.Acquire(t, first)
		t.Sleep(hold)
		l.Acquire(t, second)
		increment(count)
		l.Release(second, 0)
		l.Release(first, 0)
	}
}
