// Package planted has kernels with one data race each, and a clean twin of each:
// XRace and XClean. The comments "// 1" and "// 2" end the lines that race ("// 1 2"
// if it is one line), "// fix:" in front of the kernel is a part of the advice, and
// "// launch:" the grid and the block.
package planted

import "github.com/weft-gpu/weft/gpu"

// launch: 2 32
// fix: gpu.StoreRelease
func NoFenceRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		data[0] = 1 // 1
		gpu.Store(&flag[0], 1)
		return
	}
	for gpu.Load(&flag[0]) == 0 {
	}
	data[64] = data[0] // 2
}

// launch: 2 32
func NoFenceClean(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		data[0] = 1
		gpu.StoreRelease(&flag[0], 1)
		return
	}
	for gpu.LoadAcquire(&flag[0]) == 0 {
	}
	data[64] = data[0]
}

// launch: 2 32
// fix: gpu.StoreRelease
func EarlyFenceRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		gpu.Fence()
		data[0] = 1 // 1
		gpu.Store(&flag[0], 1)
		return
	}
	for gpu.Load(&flag[0]) == 0 {
	}
	gpu.Fence()
	data[64] = data[0] // 2
}

// launch: 2 32
func EarlyFenceClean(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		data[0] = 1
		gpu.Fence()
		gpu.Store(&flag[0], 1)
		return
	}
	for gpu.Load(&flag[0]) == 0 {
	}
	gpu.Fence()
	data[64] = data[0]
}

// launch: 2 32
// fix: make the gpu.Load at
func WriterFenceOnlyRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		data[0] = 1 // 1
		gpu.Fence()
		gpu.Store(&flag[0], 1)
		return
	}
	for gpu.Load(&flag[0]) == 0 {
	}
	data[64] = data[0] // 2
}

// launch: 2 32
func WriterFenceOnlyClean(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		data[0] = 1
		gpu.Fence()
		gpu.Store(&flag[0], 1)
		return
	}
	for gpu.LoadAcquire(&flag[0]) == 0 {
	}
	data[64] = data[0]
}

// launch: 2 32
// fix: gpu.StoreRelease
func ReaderFenceOnlyRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		data[0] = 1 // 1
		gpu.Store(&flag[0], 1)
		return
	}
	for gpu.Load(&flag[0]) == 0 {
	}
	gpu.Fence()
	data[64] = data[0] // 2
}

// launch: 2 32
func ReaderFenceOnlyClean(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		data[0] = 1
		gpu.StoreRelease(&flag[0], 1)
		return
	}
	for gpu.Load(&flag[0]) == 0 {
	}
	gpu.Fence()
	data[64] = data[0]
}

// launch: 2 32
// fix: gpu.DeviceScope instead of gpu.BlockScope for the gpu.Fence at
func BlockFenceRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		data[0] = 1 // 1
		gpu.Fence(gpu.BlockScope)
		gpu.Store(&flag[0], 1)
		return
	}
	for gpu.LoadAcquire(&flag[0]) == 0 {
	}
	data[64] = data[0] // 2
}

// launch: 1 64
func BlockFenceClean(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Warp() == 0 {
		data[0] = 1
		gpu.Fence(gpu.BlockScope)
		gpu.Store(&flag[0], 1)
		return
	}
	for gpu.LoadAcquire(&flag[0]) == 0 {
	}
	data[64] = data[0]
}

// launch: 2 32
// fix: gpu.DeviceScope instead of gpu.BlockScope
func BlockFenceAtReaderRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Block() == 0 {
		data[0] = 1 // 1
		gpu.StoreRelease(&flag[0], 1)
		return
	}
	for gpu.Load(&flag[0]) == 0 {
	}
	gpu.Fence(gpu.BlockScope)
	data[64] = data[0] // 2
}

// launch: 1 64
func BlockFenceAtReaderClean(t gpu.Thread, data, flag []uint32) {
	if t.Lane() != 0 {
		return
	}
	if t.Warp() == 0 {
		data[0] = 1
		gpu.StoreRelease(&flag[0], 1)
		return
	}
	for gpu.Load(&flag[0]) == 0 {
	}
	gpu.Fence(gpu.BlockScope)
	data[64] = data[0]
}
