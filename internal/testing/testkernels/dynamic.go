package testkernels

import "github.com/weft-gpu/weft/gpu"

// DynamicReverse turns the block's elements round through dynamic shared memory, of
// which it notes the length, beside a static variable.
func DynamicReverse(t gpu.Thread, data, length []uint32) {
	odd := gpu.Shared[[3]uint32](t)
	q := gpu.DynamicShared[uint32](t)
	i, n := t.Idx(), t.BlockDim()
	q[i] = data[t.Global()]
	if i == 0 {
		odd[2] = 7
	}
	t.Sync()
	data[t.Global()] = q[n-1-i] + odd[2]
	length[t.Global()] = gpu.Len(q)
}

// DynamicViews has words, and behind them elements of 8 bytes, in one array; then it
// looks at the words as bytes.
func DynamicViews(t gpu.Thread, out []uint32, wide []uint64) {
	q := gpu.DynamicShared[uint32](t)
	d := gpu.DynamicSharedAt[uint64](t, 4*((t.BlockDim()+1)&^1))
	i := t.Idx()
	q[i] = i * 0x01020304
	d[i] = uint64(i) << 40
	t.Sync()
	gpu.AtomicAdd(&d[(i+1)%t.BlockDim()], uint64(i), gpu.BlockScope)
	t.Sync()
	bytes := gpu.DynamicSharedAt[uint8](t, 1)
	out[i] = uint32(bytes[4*((i+1)%t.BlockDim())])
	wide[i] = d[i]
}

// DynamicIndex stores at index i.
func DynamicIndex(t gpu.Thread, i int, out []uint32) {
	q := gpu.DynamicShared[uint32](t)
	q[i] = 3
	out[0] = q[i]
}

// DynamicUnwritten reads dynamic shared memory that has not been written.
func DynamicUnwritten(t gpu.Thread, out []uint32) {
	q := gpu.DynamicShared[uint32](t)
	if t.Idx() != 5 {
		q[t.Idx()] = 7
	}
	t.Sync()
	out[t.Idx()] = q[t.Idx()]
}
