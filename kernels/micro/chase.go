package micro

import "github.com/weft-gpu/weft/gpu"

// Chase follows next from element to element: each load waits for the one
// before, so that the time a step is the latency of the cache level that holds
// next. These are plain loads: L1 serves them where it can, and the near half of
// the L2 may hold a copy.
func Chase(t gpu.Thread, next []uint32, steps uint32, cycles []uint64, end []uint32) {
	p := uint32(0)
	for range steps / 8 { // warm the caches up
		p = chase8(next, p)
	}
	end[0] = p
	start := t.Clock()
	for range steps / 8 {
		p = chase8(next, p)
	}
	cycles[0] = t.Clock() - start
	end[1] = p
}

// chase8 takes eight steps.
func chase8(next []uint32, p uint32) uint32 {
	return next[next[next[next[next[next[next[next[p]]]]]]]]
}

// ChaseHome is Chase by relaxed loads, which L1 never serves: they go to the
// slice that is the address's home.
func ChaseHome(t gpu.Thread, next []uint32, steps uint32, cycles []uint64, end []uint32) {
	p := uint32(0)
	for range steps / 8 {
		p = chaseHome8(next, p)
	}
	end[0] = p
	start := t.Clock()
	for range steps / 8 {
		p = chaseHome8(next, p)
	}
	cycles[0] = t.Clock() - start
	end[1] = p
}

// chaseHome8 takes eight steps.
func chaseHome8(next []uint32, p uint32) uint32 {
	p = gpu.Load(&next[gpu.Load(&next[p])])
	p = gpu.Load(&next[gpu.Load(&next[p])])
	p = gpu.Load(&next[gpu.Load(&next[p])])
	return gpu.Load(&next[gpu.Load(&next[p])])
}

// ChaseLines takes steps dependent relaxed loads from each line of cells, one
// line after the other, and stores how long each line took: its home may be in
// the near or in the far half of the L2. All cells hold 0.
func ChaseLines(t gpu.Thread, cells []uint32, lines, steps uint32, cycles []uint64) {
	for line := range lines {
		p := gpu.Load(&cells[line*gpu.WarpSize]) // warm up
		start := t.Clock()
		for range steps {
			p = gpu.Load(&cells[line*gpu.WarpSize+p])
		}
		cycles[line] = t.Clock() - start + uint64(p)
	}
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
