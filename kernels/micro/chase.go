package micro

import "github.com/weft-gpu/weft/gpu"

// Chase follows next from vertex to vertex: each load waits for the one
// before, so that the time a step is the latency of the cache level that holds
// next. Plain loads may be served from L1.
func Chase(t gpu.Thread, next []uint32, steps uint32, cycles []uint64, end []uint32) {
	p := uint32(0)
	for range steps / 8 { // warm up
		p = next[next[next[next[next[next[next[next[p]]]]]]]]
	}
	p = 0
	start := t.Clock()
	for range steps / 8 {
		p = next[next[next[next[next[next[next[next[p]]]]]]]]
	}
	cycles[0] = t.Clock() - start
	end[0] = p
}

// ChaseL2 is Chase with loads that L1 does not serve.
func ChaseL2(t gpu.Thread, next []uint32, steps uint32, cycles []uint64, end []uint32) {
	p := uint32(0)
	for range steps / 8 { // warm up
		p = chase8(next, p)
	}
	p = 0
	start := t.Clock()
	for range steps / 8 {
		p = chase8(next, p)
	}
	cycles[0] = t.Clock() - start
	end[0] = p
}

// chase8 takes eight steps past L1.
func chase8(next []uint32, p uint32) uint32 {
	for range 2 {
		p = gpu.Load(&next[p])
		p = gpu.Load(&next[p])
		p = gpu.Load(&next[p])
		p = gpu.Load(&next[p])
	}
	return p
}

// ChaseShared follows a chain in shared memory in which every element points
// to itself. ways of the warp's lanes stay on different words of one bank, the
// others each on a bank of their own.
func ChaseShared(t gpu.Thread, ways, steps uint32, cycles []uint64, end []uint32) {
	next := gpu.Shared[[1024]uint32](t)
	for i := t.Idx(); i < 1024; i += t.BlockDim() {
		next[i] = i
	}
	t.Sync()
	p := t.Lane()
	if p < ways {
		p *= 32
	}
	start := t.Clock()
	for range steps / 8 {
		p = next[next[next[next[next[next[next[next[p]]]]]]]]
	}
	took := t.Clock() - start
	if t.Idx() == 0 {
		cycles[0] = took
	}
	end[t.Idx()] = p
}
