package micro

import "github.com/weft-gpu/weft/gpu"

// WolfShared is WolfGraph's benchmark of atomics (its Algorithm 5.1): one
// block of 1,024 threads in which degree threads at a time take the minimum
// into one location, 100 times. Here the locations are in shared memory.
func WolfShared(t gpu.Thread, degree uint32, out []uint32) {
	cells := gpu.Shared[[1024]uint32](t)
	cells[t.Idx()] = gpu.FullMask
	t.Sync()
	for i := range uint32(100) {
		gpu.AtomicMin(&cells[t.Idx()/degree], t.Idx()+100-i)
	}
	t.Sync()
	out[t.Idx()] = cells[t.Idx()]
}

// WolfGlobal is WolfShared with the locations in global memory.
func WolfGlobal(t gpu.Thread, degree uint32, cells []uint32) {
	for i := range uint32(100) {
		gpu.AtomicMin(&cells[t.Idx()/degree], t.Idx()+100-i)
	}
}
