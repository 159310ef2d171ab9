package planted

import "github.com/weft-gpu/weft/gpu"

// An element is updated by a load and a store.
//
// launch: 2 32
// fix: by one atomic
func IncrementRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() == 0 {
		data[0]++ // 1 2
	}
}

// launch: 2 32
func IncrementClean(t gpu.Thread, data, flag []uint32) {
	if t.Lane() == 0 {
		gpu.AtomicAdd(&data[0], 1)
	}
}
