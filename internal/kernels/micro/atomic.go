package micro

import "github.com/weft-gpu/weft/gpu"

// AtomicShared adds to shared memory from one warp, with degree lanes per address. The
// kernel uses the results, but no addition waits for another one.
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

// AtomicGlobal adds to global memory from one warp, starting at cells[base], with degree
// lanes per address. Each addition waits for the result of the previous one.
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

// spread returns the index of the cell to which a thread adds in step i, by pattern. A mask
// of 0 sends all threads to one address; the mask is a parameter because the compiler would
// combine the additions of a warp if it knew.
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
	WarpLine    uint32 = iota // all lanes of a warp on one address, each warp on a 128-byte line
	Consecutive               // neighboring lanes on neighboring words
	Random                    // each lane on a random word
)

// hash scatters x (the finalizer of MurmurHash3).
func hash(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	x *= 0xc2b2ae35
	return x ^ x>>16
}

// AtomicThroughput adds steps times from every thread of the grid and ignores the results.
// The pattern is bound at compile time.
func AtomicThroughput(t gpu.Thread, pattern uint32, cells []uint32, lines, mask, steps uint32) {
	for i := range steps {
		gpu.AtomicAdd(&cells[spread(t, pattern, lines, mask, i)], 1)
	}
}

// AtomicThroughputResult is AtomicThroughput with the results used.
func AtomicThroughputResult(t gpu.Thread, pattern uint32, cells []uint32, lines, mask, steps uint32, end []uint32) {
	x := uint32(0)
	for i := range steps {
		x += gpu.AtomicAdd(&cells[spread(t, pattern, lines, mask, i)], 1)
	}
	if x == 0xffffffff { // never true, but the compiler cannot know that
		end[0] = x
	}
}
