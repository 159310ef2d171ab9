package micro

import "github.com/weft-gpu/weft/gpu"

// Copy copies src to dst, 16 bytes a thread and step.
func Copy(t gpu.Thread, dst, src []uint32) {
	n := gpu.Len(src) / 4
	for i := t.Global(); i < n; i += t.Stride() {
		gpu.Store4(dst, 4*i, gpu.Load4(src, 4*i))
	}
}

// Gather reads steps random words a thread from a footprint of mask+1 words,
// four at a time in flight.
func Gather(t gpu.Thread, src []uint32, mask, steps uint32, end []uint32) {
	x, sum := hash(t.Global()), uint32(0)
	for range steps / 4 {
		a := hash(x+1) & mask
		b := hash(x+2) & mask
		c := hash(x+3) & mask
		d := hash(x+4) & mask
		x += 0x78dde6e4 // four golden ratios
		sum += src[a] + src[b] + src[c] + src[d]
	}
	if sum == 0xffffffff { // never, but the compiler cannot know
		end[0] = sum
	}
}

// Empty does nothing: what its launch takes is the cost of a launch.
func Empty(t gpu.Thread) {}
