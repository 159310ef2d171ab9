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

// Meet has two lanes of each warp that wait for each other in turn, after which all lanes meet at a collective: at the
// same one, and then at barriers of the warp in two places.
func Meet(t gpu.Thread, turn, out []uint32) {
	at := t.Warp() * 4
	switch t.Lane() {
	case 0:
		for i := uint32(1); i < 5; i++ {
			gpu.StoreRelease(&turn[at], i)
			for gpu.LoadAcquire(&turn[at+1]) != i {
			}
		}
	case 1:
		for i := uint32(1); i < 5; i++ {
			for gpu.LoadAcquire(&turn[at]) != i {
			}
			gpu.StoreRelease(&turn[at+1], i)
		}
	}
	t.SyncWarp(gpu.FullMask)
	sum := gpu.ShflXor(t, gpu.FullMask, t.Lane()+gpu.Load(&turn[at+1]), 1)
	if t.Lane() == 0 {
		gpu.StoreRelease(&turn[at+2], 1)
		for gpu.LoadAcquire(&turn[at+3]) == 0 {
		}
		out[t.Idx()] = 100
		t.SyncWarp(gpu.FullMask)
	} else {
		for gpu.LoadAcquire(&turn[at+2]) == 0 {
		}
		gpu.StoreRelease(&turn[at+3], 1)
		t.SyncWarp(gpu.FullMask)
		sum += out[t.Idx()-t.Lane()]
	}
	t.SyncWarp(gpu.FullMask)
	out[t.Idx()] = sum
}
