package planted

import "github.com/weft-gpu/weft/gpu"

// These kernels copy boxes of 8 by 4 words of a matrix of 16 by 16.

// A box is read before the thread has waited for it.
//
// launch: 1 32
// fix: an mbarrier that waits for the copy
func EarlyBoxRace(t gpu.Thread, m gpu.TensorMap2[uint32], flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		b.Init(1)
		b.ArriveExpect(m.Bytes)
		gpu.CopyTensor2(&q[0], m, 4, 2, b) // 1
	}
	t.Sync()
	if t.Idx() == 9 {
		flag[0] = q[30] // 2
	}
	b.Wait(0)
}

// launch: 1 32
func EarlyBoxClean(t gpu.Thread, m gpu.TensorMap2[uint32], flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		b.Init(1)
		b.ArriveExpect(m.Bytes)
		gpu.CopyTensor2(&q[0], m, 4, 2, b)
	}
	t.Sync()
	b.Wait(0)
	if t.Idx() == 9 {
		flag[0] = q[30]
	}
}

// A block writes an element of the box that another one copies. Zeros from outside of the matrix are written to the box as well, and read
// nowhere.
//
// launch: 2 32
// fix: a release of the thread that copies
func BoxBesideWriterRace(t gpu.Thread, m gpu.TensorMap2[uint32], flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Block() == 1 {
		if t.Idx() == 0 {
			m.Data[16*3+15] = 1 // 1 2
		}
		return
	}
	if t.Idx() == 0 {
		b.Init(1)
		b.ArriveExpect(m.Bytes)
		gpu.CopyTensor2(&q[0], m, 12, 1, b) // 1 2
	}
	t.Sync()
	b.Wait(0)
}

// The element is in the same rows, and beside the box.
//
// launch: 2 32
func BoxBesideWriterClean(t gpu.Thread, m gpu.TensorMap2[uint32], flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	b := gpu.Shared[gpu.MBarrier](t)
	if t.Block() == 1 {
		if t.Idx() == 0 {
			m.Data[16*3+11] = 1
			m.Data[16*4] = 1
		}
		return
	}
	if t.Idx() == 0 {
		b.Init(1)
		b.ArriveExpect(m.Bytes)
		gpu.CopyTensor2(&q[0], m, 12, 1, b)
	}
	t.Sync()
	b.Wait(0)
}

// Two blocks store boxes of which a column of four words is the same.
//
// launch: 2 32
// fix: t.WaitBulk for the group of the copy, and a release of the thread that copies
func SameColumnRace(t gpu.Thread, m gpu.TensorMap2[uint32], flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	q[t.Idx()] = t.Block()
	t.FenceAsync()
	t.Sync()
	if t.Idx() == 0 {
		gpu.StoreTensor2(&q[0], m, int32(4*t.Block()), 5) // 1 2
		t.CommitBulk()
		t.WaitBulkRead(0)
	}
}

// launch: 2 32
func SameColumnClean(t gpu.Thread, m gpu.TensorMap2[uint32], flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	q[t.Idx()] = t.Block()
	t.FenceAsync()
	t.Sync()
	if t.Idx() == 0 {
		gpu.StoreTensor2(&q[0], m, int32(8*t.Block()), 5)
		t.CommitBulk()
		t.WaitBulkRead(0)
	}
}

// A store reads what threads have stored without a fence.
//
// launch: 1 32
// fix: add t.FenceAsync() after $1
func UnfencedBoxRace(t gpu.Thread, m gpu.TensorMap2[uint32], flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	q[t.Idx()] = 1 // 1
	t.Sync()
	if t.Idx() == 0 {
		gpu.StoreTensor2(&q[0], m, 0, 0) // 2
		t.CommitBulk()
		t.WaitBulkRead(0)
	}
}

// launch: 1 32
func UnfencedBoxClean(t gpu.Thread, m gpu.TensorMap2[uint32], flag []uint32) {
	q := gpu.Shared[[32]uint32](t)
	q[t.Idx()] = 1
	t.FenceAsync()
	t.Sync()
	if t.Idx() == 0 {
		gpu.StoreTensor2(&q[0], m, 0, 0)
		t.CommitBulk()
		t.WaitBulkRead(0)
	}
}
