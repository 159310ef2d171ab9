// Package group has helpers for device code: groups of n successive lanes of a
// warp, for n a power of 2 up to 32.
package group

import "github.com/weft-gpu/weft/gpu"

// Mask returns the lanes of the thread's group.
func Mask(t gpu.Thread, n uint32) uint32 {
	return gpu.FullMask >> (gpu.WarpSize - n) << (t.Lane() &^ (n - 1))
}

// Sum adds x up over the thread's group. All of its threads get the sum, and must
// call it together. Blocks have one dimension and any number of threads: the last
// warp may lack lanes of the group.
func Sum[T gpu.Num](t gpu.Thread, n uint32, x T) T {
	mask, lanes := Mask(t, n), min(gpu.WarpSize, t.BlockDim()-t.Warp()*gpu.WarpSize)
	first := t.Lane() &^ (n - 1)
	for d := n / 2; d > 0; d /= 2 {
		from := t.Lane() + d
		there := from < min(first+n, lanes)
		if !there {
			from = t.Lane()
		}
		if other := gpu.Shfl(t, mask, x, from); there {
			x += other
		}
	}
	return First(t, n, x)
}

// First returns the value of the first lane of the thread's group, whose threads
// must call it together.
func First[T gpu.Num](t gpu.Thread, n uint32, x T) T {
	return gpu.Shfl(t, Mask(t, n), x, t.Lane()&^(n-1))
}
