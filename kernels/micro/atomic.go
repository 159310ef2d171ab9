package micro

import "github.com/weft-gpu/weft/gpu"

// AtomicShared lets one warp add to shared memory, degree lanes to each
// address, with the result used but nothing waiting for it before the end.
func AtomicShared(t gpu.Thread, degree, steps uint32, cycles []uint64, end []uint32) {
	cells := gpu.Shared[[32]uint32](t)
	cells[t.Lane()] = 0
	t.SyncWarp(gpu.FullMask)
	p := &cells[t.Lane()/degree]
	var a, b, c, d uint32
	start := t.Clock()
	for range steps / 8 {
		a += gpu.AtomicAdd(p, 1)
		b += gpu.AtomicAdd(p, 1)
		c += gpu.AtomicAdd(p, 1)
		d += gpu.AtomicAdd(p, 1)
		a += gpu.AtomicAdd(p, 1)
		b += gpu.AtomicAdd(p, 1)
		c += gpu.AtomicAdd(p, 1)
		d += gpu.AtomicAdd(p, 1)
	}
	took := t.Clock() - start
	if t.Idx() == 0 {
		cycles[0] = took
	}
	end[t.Lane()] = a + b + c + d
}

// AtomicGlobal lets one warp add to global memory from cells[base] on, degree
// lanes to each address; each addition waits for the result of the one before.
func AtomicGlobal(t gpu.Thread, end []uint32, degree uint32, cells []uint32, base, steps uint32, cycles []uint64) {
	p := &cells[base+t.Lane()/degree]
	x := uint32(1)
	start := t.Clock()
	for range steps / 4 {
		x = gpu.AtomicAdd(p, x|1)
		x = gpu.AtomicAdd(p, x|1)
		x = gpu.AtomicAdd(p, x|1)
		x = gpu.AtomicAdd(p, x|1)
	}
	took := t.Clock() - start
	if t.Idx() == 0 {
		cycles[0] = took
	}
	end[t.Lane()] = x
}

// spread is the cell that a thread's step i adds to, by pattern: a warp on one
// address of a line among lines; consecutive addresses; random ones. A mask of 0
// brings all threads to one address, of which the compiler must not know: it
// would add up a warp's ones first.
func spread(t gpu.Thread, pattern, lines, mask, i uint32) uint32 {
	switch pattern {
	case WarpLine:
		return t.Global() / gpu.WarpSize % lines * gpu.WarpSize
	case Consecutive:
		return (t.Global() + i*t.Stride()) & mask
	}
	return hash(t.Global()+i*t.Stride()) & mask
}

// The patterns of AtomicThroughput.
const (
	WarpLine    uint32 = iota // each warp on one address of a 128-byte line
	Consecutive               // neighbouring lanes on neighbouring words
	Random
)

// hash scatters x (a finaliser in the manner of MurmurHash3).
func hash(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	x *= 0xc2b2ae35
	return x ^ x>>16
}

// AtomicThroughput lets every thread of the grid add steps times without use
// for the result. pattern is bound at compile time.
func AtomicThroughput(t gpu.Thread, pattern uint32, cells []uint32, lines, mask, steps uint32) {
	for i := range steps {
		gpu.AtomicAdd(&cells[spread(t, pattern, lines, mask, i)], 1)
	}
}

// AtomicThroughputResult is AtomicThroughput with the result used.
func AtomicThroughputResult(t gpu.Thread, pattern uint32, cells []uint32, lines, mask, steps uint32, end []uint32) {
	x := uint32(0)
	for i := range steps {
		x += gpu.AtomicAdd(&cells[spread(t, pattern, lines, mask, i)], 1)
	}
	if x == 0xffffffff { // never, but the compiler cannot know
		end[0] = x
	}
}
