package testkernels

import "github.com/weft-gpu/weft/gpu"

// Leave has a barrier for those threads that have not exited.
func Leave(t gpu.Thread, out []uint32) {
	i := t.Idx()
	q := gpu.Shared[[1024]uint32](t)
	q[i] = i
	if i%2 == 1 && i < gpu.Len(out) {
		out[i] = 1
		return
	}
	t.Sync()
	out[i] = q[t.BlockDim()-1-i]
}

// Sides has a barrier on either side of a branch.
func Sides(t gpu.Thread, out []uint32) {
	i := t.Idx()
	q := gpu.Shared[[1024]uint32](t)
	q[i] = i
	if i%3 == 0 {
		t.Sync()
		out[i] = q[t.BlockDim()-1-i]
	} else {
		t.Sync()
		out[i] = 1000 + q[t.BlockDim()-1-i]
	}
	t.Sync()
	out[i] += uint32(1<<16) * uint32(t.SyncCount(i < 5))
}

// Own makes each lane wait for the one above it in its own warp.
func Own(t gpu.Thread, flag []uint32) {
	i := t.Idx()
	if i%32 != 31 {
		for gpu.LoadAcquire(&flag[i+1]) == 0 {
		}
	}
	gpu.StoreRelease(&flag[i], 1)
}

// Lock adds to a plain counter under a spin lock that each thread takes.
func Lock(t gpu.Thread, lock, counter *uint32) {
	for gpu.AtomicCAS(lock, 0, 1) != 0 {
	}
	gpu.Store(counter, gpu.Load(counter)+1)
	gpu.AtomicExch(lock, 0)
}
