package literature

import "github.com/weft-gpu/weft/gpu"

// A stencil in place, in one line.
//
// launch: 1 128
// fix: add t.Sync() between the load and the store of $line
func StencilRace(t gpu.Thread, data, flag []uint32) {
	i := t.Idx()
	data[i] = data[(i+32)%128] + 1 // line
}

// A stencil with two buffers, and no barrier between the steps.
//
// launch: 1 64
// fix: add t.Sync()
func StepsRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[128]uint32](t)
	i := t.Idx()
	q[i], q[64+i] = i, 0
	t.Sync()
	for step := range t.GridDim() + 3 {
		from, to := step%2*64, 64-step%2*64
		q[to+i] = q[from+(i+32)%64] // step
	}
	data[i] = q[i]
}

// A row of four words, which one instruction loads: the lines meet at the third of them.
//
// launch: 1 64
// fix: add t.Sync() after $store
func RowRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	q[t.Idx()] = t.Idx()
	t.Sync()
	if t.Idx() == 40 {
		q[6] = 1 // store
	}
	sum := uint32(0)
	for i := range uint32(4) {
		sum += q[t.GridDim()*4+i]
	}
	data[t.Idx()] = sum
}

// Tiles of a matrix product: the barrier at the end of the loop is missing.
//
// launch: 1 64
// fix: add t.Sync() after $use
func TileRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	sum := uint32(0)
	for i := range t.GridDim() + 4 {
		q[t.Idx()] = i
		t.Sync()
		sum += q[63-t.Idx()] // use
	}
	data[t.Idx()] = sum
}

// A histogram whose bins are cleared without a barrier before the counting.
//
// launch: 1 128
// fix: add t.Sync()
func HistogramRace(t gpu.Thread, data, flag []uint32) {
	bins := gpu.Shared[[32]uint32](t)
	if t.Idx() < 32 {
		bins[t.Idx()] = 0 // clear
	}
	gpu.AtomicAdd(&bins[t.Idx()%32], 1) // count
	t.Sync()
	if t.Idx() < 32 {
		data[t.Idx()] = gpu.Load(&bins[t.Idx()])
	}
}

// A total that one thread stores and all load, without a barrier; the store is behind a branch.
//
// launch: 1 64
// fix: add t.Sync()
func BroadcastRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[uint32](t)
	if t.Idx() == 0 {
		*q = 7
	}
	data[t.Idx()] = *q
}

// Lanes of a warp rely on lockstep (NVIDIA, "Using CUDA Warp-Level Primitives", 2018).
//
// launch: 1 32
// fix: add t.SyncWarp(gpu.FullMask)
func WarpReduceRace(t gpu.Thread, data, flag []uint32) {
	q := gpu.Shared[[64]uint32](t)
	l := t.Lane()
	q[l] = l
	q[32+l] = 0
	t.SyncWarp(gpu.FullMask)
	x := q[l+16]
	q[l] += x
	data[l] = q[l]
}

// All threads of two blocks count in one word.
//
// launch: 2 64
// fix: update the element at $line by one atomic
func CountRace(t gpu.Thread, data, flag []uint32) {
	data[0] += t.Idx() // line
}

// The barrier of the grid is there, and its counter is of block scope.
//
// launch: 2 32
// fix: gpu.DeviceScope instead of gpu.BlockScope for the gpu.AtomicAdd at $count
func CounterScopeRace(t gpu.Thread, data, flag []uint32) {
	if t.Lane() == 0 {
		gpu.AtomicAdd(&data[0], 1, gpu.BlockScope) // count
	}
}
