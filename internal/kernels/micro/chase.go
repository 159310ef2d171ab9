package micro

import "github.com/weft-gpu/weft/gpu"

// Chase follows a chain of indices in next. Each load waits for the previous one, so the
// time per step is the latency of the cache level that holds next. The loads are plain: L1
// serves them if it can, and the near half of the L2 may hold a copy.
func Chase(t gpu.Thread, next []uint32, steps uint32, cycles []uint64, end []uint32) {
	chase(t, next, steps, cycles, end)
}

func chase(t gpu.Thread, next []uint32, steps uint32, cycles []uint64, end []uint32) {
	p := uint32(0)
	for range steps / 8 { // warm up the caches
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

// ChaseBeside is Chase by the first thread of a block while the first thread of the second
// warp polls a flag: each of its loads acquires, so that it must see no line of L1 that is
// older. The chain is only read, so that loads take the read-only path.
func ChaseBeside(t gpu.Thread, next, flag []uint32, polls, steps uint32, cycles []uint64, end []uint32) {
	if t.Idx() == gpu.WarpSize {
		PollAcquire(t, flag, polls, end)
	}
	if t.Idx() == 0 {
		chase(t, next, steps, cycles, end)
	}
}

// ChaseWrittenBeside is ChaseBeside with a chain that the kernel may write, so that its loads are plain.
func ChaseWrittenBeside(t gpu.Thread, next, flag []uint32, polls, steps uint32, cycles []uint64, end []uint32) {
	if t.Idx() == gpu.WarpSize {
		PollAcquire(t, flag, polls, end)
	}
	if t.Idx() == 0 {
		chase(t, next, steps, cycles, end)
		if end[1] == ^uint32(0) { // never true
			next[0] = 0
		}
	}
}

// chase8 takes eight steps.
func chase8(next []uint32, p uint32) uint32 {
	return next[next[next[next[next[next[next[next[p]]]]]]]]
}

// ChaseLines takes steps dependent relaxed loads from each of several lines in cells,
// stride words apart, one line after another, and stores the cycles of each line: the
// line's home may be in the near or in the far half of the L2. L1 never serves relaxed
// loads. All cells contain 0.
func ChaseLines(t gpu.Thread, cells []uint32, lines, stride, steps uint32, cycles []uint64) {
	for line := range lines {
		p := gpu.Load(&cells[line*stride]) // warm up
		start := t.Clock()
		for range steps {
			p = gpu.Load(&cells[line*stride+p])
		}
		cycles[line] = t.Clock() - start + uint64(p)
	}
}

// ChaseAcquire is ChaseLines with acquire loads, each of which also invalidates L1.
func ChaseAcquire(t gpu.Thread, cells []uint32, lines, stride, steps uint32, cycles []uint64) {
	for line := range lines {
		p := gpu.LoadAcquire(&cells[line*stride])
		start := t.Clock()
		for range steps {
			p = gpu.LoadAcquire(&cells[line*stride+p])
		}
		cycles[line] = t.Clock() - start + uint64(p)
	}
}

// ChaseShared follows a chain in shared memory in which every element points to itself. In
// each warp, the first ways lanes access different words of one bank, and the other lanes
// access a bank of their own each.
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
