package planted

import "github.com/weft-gpu/weft/gpu"

// These kernels multiply matrices in shared memory by a warpgroup.

// both returns matrices of 64 rows and of 16 columns.
func both(as *[512]uint32, bs *[128]uint32) (a, b gpu.SharedMatrix) {
	return gpu.SharedMatrix{Data: as[:], Stride: 256, Swizzle: 32}, gpu.SharedMatrix{Data: bs[:], Stride: 256, Swizzle: 32}
}

// fill writes numbers to the matrices.
func fill(as *[512]uint32, bs *[128]uint32, t gpu.Thread) {
	for i := range uint32(4) {
		as[i*128+t.Idx()] = i
	}
	bs[t.Idx()] = 1
}

// Products do not see what threads have stored without a fence of the asynchronous proxy.
//
// launch: 1 128
// fix: add t.FenceAsync() after $1
func ProductNoFenceRace(t gpu.Thread, data, flag []uint32) {
	as := gpu.Shared[[512]uint32](t)
	bs := gpu.Shared[[128]uint32](t)
	var sums gpu.IntSums[[8]int32]
	for i := range uint32(4) {
		as[i*128+t.Idx()] = i
	}
	t.FenceAsync()
	bs[t.Idx()] = 1 // 1
	t.Sync()
	a, b := both(as, bs)
	t.FenceSums()
	gpu.GroupMMAU8(t, &sums, a, b) // 2
	t.CommitSums()
	t.WaitSums(0)
	data[t.Idx()] = uint32(sums.At(0))
}

// launch: 1 128
func ProductNoFenceClean(t gpu.Thread, data, flag []uint32) {
	as := gpu.Shared[[512]uint32](t)
	bs := gpu.Shared[[128]uint32](t)
	var sums gpu.IntSums[[8]int32]
	fill(as, bs, t)
	t.FenceAsync()
	t.Sync()
	a, b := both(as, bs)
	t.FenceSums()
	gpu.GroupMMAU8(t, &sums, a, b)
	t.CommitSums()
	t.WaitSums(0)
	data[t.Idx()] = uint32(sums.At(0))
}

// A product reads columns that other warps have stored, without a barrier.
//
// launch: 1 128
// fix: add t.Sync()
func ProductNoBarrierRace(t gpu.Thread, data, flag []uint32) {
	as := gpu.Shared[[512]uint32](t)
	bs := gpu.Shared[[128]uint32](t)
	var sums gpu.IntSums[[8]int32]
	for i := range uint32(4) {
		as[i*128+t.Idx()] = i
	}
	t.FenceAsync()
	t.Sync()
	bs[t.Idx()] = 1 // 1 2
	t.FenceAsync()
	a, b := both(as, bs)
	t.FenceSums()
	gpu.GroupMMAU8(t, &sums, a, b) // 1 2
	t.CommitSums()
	t.WaitSums(0)
	data[t.Idx()] = uint32(sums.At(0))
}

// launch: 1 128
func ProductNoBarrierClean(t gpu.Thread, data, flag []uint32) {
	as := gpu.Shared[[512]uint32](t)
	bs := gpu.Shared[[128]uint32](t)
	var sums gpu.IntSums[[8]int32]
	for i := range uint32(4) {
		as[i*128+t.Idx()] = i
	}
	t.FenceAsync()
	t.Sync()
	bs[t.Idx()] = 1
	t.FenceAsync()
	t.Sync()
	a, b := both(as, bs)
	t.FenceSums()
	gpu.GroupMMAU8(t, &sums, a, b)
	t.CommitSums()
	t.WaitSums(0)
	data[t.Idx()] = uint32(sums.At(0))
}

// The columns are written again while the second product may still read them.
//
// launch: 1 128
// fix: add t.CommitSums() and t.WaitSums(0) after $1
func ProductGroupRace(t gpu.Thread, data, flag []uint32) {
	as := gpu.Shared[[512]uint32](t)
	bs := gpu.Shared[[128]uint32](t)
	cs := gpu.Shared[[128]uint32](t)
	var sums gpu.IntSums[[8]int32]
	fill(as, bs, t)
	cs[t.Idx()] = 2
	t.FenceAsync()
	t.Sync()
	a, b := both(as, bs)
	t.FenceSums()
	gpu.GroupMMAU8(t, &sums, a, b)
	t.CommitSums()
	b.Data = cs[:]
	gpu.GroupMMAU8(t, &sums, a, b) // 1
	t.CommitSums()
	t.WaitSums(1)
	t.Sync()
	bs[t.Idx()] = 3
	cs[t.Idx()] = 3 // 2
	t.WaitSums(0)
	data[t.Idx()] = uint32(sums.At(0))
}

// launch: 1 128
func ProductGroupClean(t gpu.Thread, data, flag []uint32) {
	as := gpu.Shared[[512]uint32](t)
	bs := gpu.Shared[[128]uint32](t)
	cs := gpu.Shared[[128]uint32](t)
	var sums gpu.IntSums[[8]int32]
	fill(as, bs, t)
	cs[t.Idx()] = 2
	t.FenceAsync()
	t.Sync()
	a, b := both(as, bs)
	t.FenceSums()
	gpu.GroupMMAU8(t, &sums, a, b)
	t.CommitSums()
	b.Data = cs[:]
	gpu.GroupMMAU8(t, &sums, a, b)
	t.CommitSums()
	t.WaitSums(1)
	t.Sync()
	bs[t.Idx()] = 3
	t.WaitSums(0)
	t.Sync()
	cs[t.Idx()] = 3
	data[t.Idx()] = uint32(sums.At(0))
}

// One warp has waited for its own products, and writes what the others may still read.
//
// launch: 1 128
// fix: add t.Sync()
func ProductOfOthersRace(t gpu.Thread, data, flag []uint32) {
	as := gpu.Shared[[512]uint32](t)
	bs := gpu.Shared[[128]uint32](t)
	var sums gpu.IntSums[[8]int32]
	fill(as, bs, t)
	t.FenceAsync()
	t.Sync()
	a, b := both(as, bs)
	t.FenceSums()
	gpu.GroupMMAU8(t, &sums, a, b) // 1 2
	t.CommitSums()
	t.WaitSums(0)
	if t.Warp() == 1 {
		bs[t.Lane()] = 3 // 1 2
	}
	data[t.Idx()] = uint32(sums.At(0))
}

// launch: 1 128
func ProductOfOthersClean(t gpu.Thread, data, flag []uint32) {
	as := gpu.Shared[[512]uint32](t)
	bs := gpu.Shared[[128]uint32](t)
	var sums gpu.IntSums[[8]int32]
	fill(as, bs, t)
	t.FenceAsync()
	t.Sync()
	a, b := both(as, bs)
	t.FenceSums()
	gpu.GroupMMAU8(t, &sums, a, b)
	t.CommitSums()
	t.WaitSums(0)
	t.Sync()
	if t.Warp() == 1 {
		bs[t.Lane()] = 3
	}
	data[t.Idx()] = uint32(sums.At(0))
}
