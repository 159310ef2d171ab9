package mbarriers

import "github.com/weft-gpu/weft/gpu"

// EdgeBox expects the bytes of the part of a box that is inside of the tensor. A copy brings the zeros around it as well.
func EdgeBox(t gpu.Thread, clean uint32, m gpu.TensorMap2[uint32]) {
	b := gpu.Shared[gpu.MBarrier](t)
	q := gpu.Shared[[32]uint32](t)
	if t.Idx() == 0 {
		b.Init(1)
	}
	t.Sync()
	if t.Idx() == 0 {
		b.ArriveExpect(64 + 64*clean)
		gpu.CopyTensor2(&q[0], m, 4, 0, b)
	}
	b.Wait(0)
}

// TwoBoxes expects the bytes of two boxes, and copies the second one to another barrier.
func TwoBoxes(t gpu.Thread, clean uint32, m gpu.TensorMap2[uint32]) {
	full := gpu.Shared[[2]gpu.MBarrier](t)
	q := gpu.Shared[[2][32]uint32](t)
	if t.Idx() == 0 {
		full[0].Init(1)
		full[1].Init(1)
	}
	t.Sync()
	if t.Idx() == 0 {
		full[0].ArriveExpect(2 * m.Bytes)
		gpu.CopyTensor2(&q[0][0], m, 0, 0, &full[0])
		gpu.CopyTensor2(&q[1][0], m, 0, 4, &full[1-clean])
	}
	full[0].Wait(0)
}
