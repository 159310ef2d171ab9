package barrier

import "github.com/weft-gpu/weft/gpu"

// The kernels of this file use the barrier of a block as CUDA forbids or as it is often
// misunderstood. Before Volta a warp arrives at a barrier as soon as one of its lanes does;
// since then each thread that has not exited must arrive.

// Branches has a Sync in both branches of a condition that differs by lane. Each thread stores a
// number before and checks that of its neighbor after it; *early counts those that were not
// there. It is right where threads arrive one by one. Where warps do, the first branch of a
// warp passes the barrier before its second branch has stored.
func Branches(t gpu.Thread, numbers []uint32, early *uint32) {
	own := t.Global()
	if t.Idx()%2 == 0 {
		gpu.Store(&numbers[own], 1)
		t.Sync()
		if gpu.Load(&numbers[own+1]) != 2 {
			gpu.AtomicAdd(early, 1)
		}
	} else {
		gpu.Store(&numbers[own], 2)
		t.Sync()
		if gpu.Load(&numbers[own-1]) != 1 {
			gpu.AtomicAdd(early, 1)
		}
	}
}

// Divergent has a Sync for the even lanes of each warp alone. The odd lanes wait for them at a
// barrier of the warp. Where threads arrive one by one, even lanes wait for odd ones and odd
// lanes for even ones. Where warps do, the even lanes are enough.
func Divergent(t gpu.Thread, passed *uint32) {
	if t.Lane()%2 == 0 {
		t.Sync()
	}
	t.SyncWarp(gpu.FullMask)
	gpu.AtomicAdd(passed, 1)
}

// Left has threads that return before a Sync of the others: the odd lanes of all warps, and all
// lanes of the first warp. Threads that have exited are not waited for.
func Left(t gpu.Thread, passed *uint32) {
	if t.Idx()%2 == 1 || t.Warp() == 0 {
		return
	}
	t.Sync()
	gpu.AtomicAdd(passed, 1)
}

// LeftNamed is Left with a named barrier, for which the number of threads is an argument. It
// counts those who arrive, and does not know who has exited.
func LeftNamed(t gpu.Thread, passed *uint32) {
	if t.Warp() == 0 {
		return
	}
	t.SyncNamed(1, t.BlockDim())
	gpu.AtomicAdd(passed, 1)
}

// FlagBehind has a first warp that waits for a flag before a Sync, which the other warps set
// after it.
func FlagBehind(t gpu.Thread, flag, passed *uint32) {
	if t.Warp() == 0 {
		await(flag, 1)
	}
	t.Sync()
	if t.Idx() == t.BlockDim()-1 {
		gpu.StoreRelease(flag, 1)
	}
	gpu.AtomicAdd(passed, 1)
}
