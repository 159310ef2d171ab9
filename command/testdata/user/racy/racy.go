// Package racy has a kernel that the lint warns of.
package racy

import "github.com/weft-gpu/weft/gpu"

// Racy spins on a plain load of what others add to.
func Racy(t gpu.Thread, count []uint32) {
	gpu.AtomicAdd(&count[0], 1)
	for count[0] < t.BlockDim() {
		gpu.Fence()
	}
}
