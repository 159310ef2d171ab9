package testkernels

import "github.com/weft-gpu/weft/gpu"

// Atomics makes every thread update each word of u, s, w and f once.
func Atomics(t gpu.Thread, u []uint32, s []int32, w []uint64, f []float32) {
	i := t.Global()
	gpu.AtomicAdd(&u[0], 1)
	gpu.AtomicMin(&u[1], i)
	gpu.AtomicMax(&u[2], i)
	gpu.AtomicOr(&u[3], 1<<(i%32))
	gpu.AtomicAnd(&u[4], ^(uint32(1) << (i % 8)))
	gpu.AtomicXor(&u[5], i)
	for {
		old := gpu.Load(&u[6])
		if gpu.AtomicCAS(&u[6], old, old+2) == old {
			break
		}
	}
	gpu.AtomicMin(&s[0], -int32(i))
	gpu.AtomicMax(&s[1], -int32(i))
	gpu.AtomicAdd(&w[0], uint64(i)<<32)
	gpu.AtomicMax(&w[1], uint64(i)<<33)
	gpu.AtomicAdd(&f[0], 0.5)
}

// Tickets gives each thread the value before its atomic.
func Tickets(t gpu.Thread, next *uint32, out []uint32) {
	out[t.Global()] = gpu.AtomicAdd(next, 1)
}

// Reverse reverses the block's elements through shared memory.
func Reverse(t gpu.Thread, data []uint32) {
	q := gpu.Shared[[1024]uint32](t)
	i, n := t.Idx(), t.BlockDim()
	q[i] = data[t.Global()]
	t.Sync()
	data[t.Global()] = q[n-1-i]
}

// Histogram counts in shared memory with atomics.
func Histogram(t gpu.Thread, in, out []uint32) {
	h := gpu.Shared[[16]uint32](t)
	if t.Idx() < 16 {
		h[t.Idx()] = 0
	}
	t.Sync()
	for i := t.Global(); i < gpu.Len(in); i += t.Stride() {
		gpu.AtomicAdd(&h[in[i]%16], 1)
	}
	t.Sync()
	if t.Idx() < 16 {
		gpu.AtomicAdd(&out[t.Idx()], h[t.Idx()])
	}
}

// Unwritten reads shared memory that has not been written.
func Unwritten(t gpu.Thread, out []uint32) {
	q := gpu.Shared[[64]uint32](t)
	if t.Idx() != 5 {
		q[t.Idx()] = 7
	}
	t.Sync()
	out[t.Idx()] = q[t.Idx()]
}

// UnwrittenGlobal reads a word of global memory that has not been written.
func UnwrittenGlobal(t gpu.Thread, in, out []uint32) {
	if i := t.Idx(); i < gpu.Len(out) {
		out[i] = in[i]
	}
}

// Votes writes the results of the barriers with a vote: three words per block.
func Votes(t gpu.Thread, out []uint32, limit uint32) {
	n := t.SyncCount(t.Idx() < limit)
	all := t.SyncAnd(t.Idx() < limit)
	any := t.SyncOr(t.Idx() < limit)
	if t.Idx() == 0 {
		out[t.Block()*3] = n
		out[t.Block()*3+1] = 0
		if all {
			out[t.Block()*3+1] = 1
		}
		out[t.Block()*3+2] = 0
		if any {
			out[t.Block()*3+2] = 1
		}
	}
}

// Warp writes the results of the collectives of a warp: eight words per thread.
func Warp(t gpu.Thread, out []uint32, mask uint32) {
	l := t.Lane()
	if mask>>l&1 == 0 {
		return
	}
	at := t.Global() * 8
	out[at] = t.Ballot(mask, l%3 == 0)
	out[at+1] = gpu.Shfl(t, mask, l*10, 1)
	out[at+2] = gpu.ShflUp(t, mask, l, 2)
	out[at+3] = gpu.ShflDown(t, mask, l, 2)
	out[at+4] = gpu.ShflXor(t, mask, l, 1)
	out[at+5] = gpu.Match(t, mask, l/4)
	out[at+6] = 0
	if t.Any(mask, l == 2) {
		out[at+6] = 1
	}
	out[at+7] = 0
	if t.All(mask, l < 32) {
		out[at+7] = 1
	}
	t.SyncWarp(mask)
}

// Misuse names lanes in a mask that are elsewhere, at the barrier.
func Misuse(t gpu.Thread, out []uint32) {
	if t.Lane() < 8 {
		out[t.Lane()] = t.Ballot(gpu.FullMask, true)
	}
	t.Sync()
}

// Handover makes every block wait for the next one: all must be resident.
func Handover(t gpu.Thread, flag []uint32) {
	if t.Idx() == 0 {
		if b := t.Block(); b+1 < t.GridDim() {
			for gpu.LoadAcquire(&flag[b+1]) == 0 {
			}
		}
		gpu.StoreRelease(&flag[t.Block()], 1)
	}
}

// Spin waits for a word that is never written.
func Spin(t gpu.Thread, word *uint32) {
	for gpu.Load(word) == 0 {
	}
}

// Split has a barrier that half of each warp never reaches, since it waits for
// a word that the other half writes after it.
func Split(t gpu.Thread, word *uint32) {
	if t.Idx()%2 == 0 {
		t.Sync()
		gpu.Store(word, 1)
	} else {
		for gpu.Load(word) == 0 {
		}
	}
}

// Late has a barrier that the first warp never reaches, since it waits for a
// word that the others write after it.
func Late(t gpu.Thread, word *uint32) {
	if t.Warp() == 0 {
		for gpu.Load(word) == 0 {
		}
	}
	t.Sync()
	gpu.Store(word, 1)
}

// Endless counts and never ends.
func Endless(t gpu.Thread, word *uint32) {
	for {
		if gpu.AtomicAdd(word, 1) == ^uint32(0) && gpu.Load(word) == 1 {
			return
		}
	}
}

// Race makes all threads write the same words without synchronisation.
func Race(t gpu.Thread, out []uint32) {
	for i := range gpu.Len(out) {
		out[(i+t.Global())%gpu.Len(out)] = t.Global()
	}
}

// Far shuffles over a distance that the host gives.
func Far(t gpu.Thread, out []uint32, wide []uint64, by uint32) {
	i := t.Idx()
	out[2*i] = gpu.ShflUp(t, gpu.FullMask, i, by)
	out[2*i+1] = gpu.ShflDown(t, gpu.FullMask, i, by)
	wide[2*i] = gpu.ShflUp(t, gpu.FullMask, uint64(i)<<32, by)
	wide[2*i+1] = gpu.ShflDown(t, gpu.FullMask, uint64(i)<<32, by)
}
