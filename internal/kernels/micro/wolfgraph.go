package micro

import "github.com/weft-gpu/weft/gpu"

// WolfShared is WolfGraph's benchmark of atomics (its Algorithm 5.1), with the locations in
// shared memory. One block has 1,024 threads; for each location, degree of them take the
// minimum into it, 100 times. Threads that share a location are 1024/degree apart, so up to
// a degree of 32 they are in different warps.
func WolfShared(t gpu.Thread, degree uint32, out []uint32) {
	cells := gpu.Shared[[1024]uint32](t)
	cells[t.Idx()] = gpu.FullMask
	t.Sync()
	cell := t.Idx() % (1024 / degree)
	for i := range uint32(100) {
		gpu.AtomicMin(&cells[cell], t.Idx()+100-i)
	}
	t.Sync()
	out[t.Idx()] = cells[t.Idx()]
}

// WolfGlobal is WolfShared with the locations in global memory.
func WolfGlobal(t gpu.Thread, degree uint32, cells []uint32) {
	cell := t.Idx() % (1024 / degree)
	for i := range uint32(100) {
		gpu.AtomicMin(&cells[cell], t.Idx()+100-i)
	}
}

// WolfSharedOnce is the benchmark as the paper describes it: each thread takes one minimum,
// with the locations, the values and the results in shared memory. mask is the number of
// locations minus one.
func WolfSharedOnce(t gpu.Thread, mask uint32) {
	location := gpu.Shared[[1024]uint32](t)
	values := gpu.Shared[[1024]uint32](t)
	results := gpu.Shared[[1024]uint32](t)
	i := t.Idx()
	location[i] = i & mask
	values[i] = 1024 - i
	results[i] = gpu.FullMask
	t.Sync()
	gpu.AtomicMin(&results[location[i]], values[i])
}

// WolfGlobalOnce is WolfSharedOnce with the three arrays in global memory.
func WolfGlobalOnce(t gpu.Thread, location, values, results []uint32) {
	i := t.Idx()
	gpu.AtomicMin(&results[location[i]], values[i])
}
