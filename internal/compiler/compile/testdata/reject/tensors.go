package reject

import "github.com/weft-gpu/weft/gpu"

// Copies of boxes of tensors: a map is a parameter as the host passed it, a box is in shared memory.

func OfChanged(t gpu.Thread, m gpu.TensorMap2[float32]) {
	tile := gpu.Shared[[256]float32](t)
	b := gpu.Shared[gpu.MBarrier](t)
	m.Sizes[0] = 8
	gpu.CopyTensor2(&tile[0], m, 0, 0, b)
}

func OfMade(t gpu.Thread, data []float32) {
	tile := gpu.Shared[[256]float32](t)
	m := gpu.TensorMap1[float32]{Data: data, Box: [1]uint32{64}, Bytes: 256}
	gpu.StoreTensor1(&tile[0], m, 0)
}

func OfEither(t gpu.Thread, m, o gpu.TensorMap2[float32], which bool) {
	tile := gpu.Shared[[256]float32](t)
	x := m
	if which {
		x = o
	}
	gpu.StoreTensor2(&tile[0], x, 0, 0)
}

func ToBuffer(t gpu.Thread, m gpu.TensorMap2[float32], out []float32) {
	b := gpu.Shared[gpu.MBarrier](t)
	gpu.CopyTensor2(&out[0], m, 0, 0, b)
}

func FromBuffer(t gpu.Thread, m gpu.TensorMap3[float32], out []float32) {
	gpu.StoreTensor3(&out[0], m, 0, 0, 0)
}
