package scheduler

import "github.com/weft-gpu/weft/gpu"

// StartNext asks the GPU to start a kernel when all blocks of this grid have ended: the one with that number, from 1, among
// Rest of the device.Chain that the host launched, with a number of blocks. next is the chain's Next. One thread of the grid
// calls it, once; without a call, the chain ends.
func StartNext(next []uint32, number, blocks uint32) {
	gpu.Store(&next[0], number)
	gpu.Store(&next[1], blocks)
}
