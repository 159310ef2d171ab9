package micro

import "github.com/weft-gpu/weft/gpu"

// Copy copies src to dst, 16 bytes per thread and step.
func Copy(t gpu.Thread, dst, src []uint32) {
	n := gpu.Len(src) / 4
	for i := t.Global(); i < n; i += t.Stride() {
		gpu.Store4(dst, 4*i, gpu.Load4(src, 4*i))
	}
}

// Gather reads steps random words per thread from the first mask+1 words of src, with eight
// loads in flight.
func Gather(t gpu.Thread, src []uint32, mask, steps uint32, end []uint32) {
	x, sum := hash(t.Global()), uint32(0)
	for range steps / 8 {
		a, b, c, d := src[x&mask], src[jump(x, 1)&mask], src[jump(x, 2)&mask], src[jump(x, 3)&mask]
		e, f, g, h := src[jump(x, 4)&mask], src[jump(x, 5)&mask], src[jump(x, 6)&mask], src[jump(x, 7)&mask]
		sum += a + b + c + d + e + f + g + h
		x = jump(x, 8)
	}
	if sum == 0xffffffff { // never true, but the compiler cannot know that
		end[0] = sum
	}
}

// jump returns the index that is n random steps after x. The low bits advance by an odd
// multiple of the golden ratio, which visits the whole footprint.
func jump(x, n uint32) uint32 { return x ^ x>>7 + n*0x9e3779b1 }

// Empty does nothing. The time of its launch is the cost of a launch.
func Empty(t gpu.Thread) {}

// Poll loads cells[0] steps times from every warp of the grid, as warps do that wait for a
// flag. L1 does not serve these loads.
func Poll(t gpu.Thread, cells []uint32, steps uint32, end []uint32) {
	x := uint32(0)
	for range steps {
		x += gpu.Load(&cells[0])
	}
	if x != 0 { // never true, but the compiler cannot know that
		end[0] = x
	}
}

// PollAcquire is Poll with loads that acquire.
func PollAcquire(t gpu.Thread, cells []uint32, steps uint32, end []uint32) {
	x := uint32(0)
	for range steps {
		x += gpu.LoadAcquire(&cells[0])
	}
	if x != 0 { // never true, but the compiler cannot know that
		end[0] = x
	}
}

// PollChanged is Poll of a word that each block has changed by an atomic operation before,
// as the counters of an iteration are when all blocks read them after a barrier.
func PollChanged(t gpu.Thread, cells []uint32, steps uint32, end []uint32) {
	if t.Idx() == 0 {
		gpu.AtomicAdd(&cells[0], 1)
	}
	t.Sync()
	x := uint32(0)
	for range steps {
		x += gpu.Load(&cells[0])
	}
	if x == 1 { // never true: each load sees what its own block added
		end[0] = x
	}
}

// PollAndAdd loads cells[0] and adds 1 to it, steps times in turn, by one lane of every warp
// of the grid.
func PollAndAdd(t gpu.Thread, cells []uint32, steps uint32, end []uint32) {
	if t.Lane() != 0 {
		return
	}
	x := uint32(0)
	for range steps {
		x += gpu.Load(&cells[0])
		gpu.AtomicAdd(&cells[0], 1)
	}
	if x == ^uint32(0) { // hardly ever true, but the compiler cannot know that
		end[0] = x
	}
}
