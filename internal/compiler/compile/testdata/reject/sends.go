package reject

import "github.com/weft-gpu/weft/gpu"

// Copies in bulk to other blocks of a cluster: from shared memory of the block to shared memory, or from a buffer.

func FromBuffer(t gpu.Thread, data []float32) {
	tile := gpu.Shared[[256]float32](t)
	b := gpu.Shared[gpu.MBarrier](t)
	gpu.SendBulk(gpu.MapShared(t, &tile[0], 1), &data[0], 64, gpu.MapShared(t, b, 1))
}

func ToBuffer(t gpu.Thread, data []float32) {
	tile := gpu.Shared[[256]float32](t)
	b := gpu.Shared[gpu.MBarrier](t)
	gpu.SendBulk(&data[0], &tile[0], 64, b)
}

func FromOther(t gpu.Thread) {
	tile := gpu.Shared[[256]float32](t)
	b := gpu.Shared[gpu.MBarrier](t)
	gpu.SendBulk(&tile[0], gpu.MapShared(t, &tile[64], 1), 64, b)
}

func CastShared(t gpu.Thread) {
	tile := gpu.Shared[[256]float32](t)
	b := gpu.Shared[gpu.MBarrier](t)
	gpu.MulticastBulk(&tile[0], &tile[64], 64, b, 3)
}

func CastToBuffer(t gpu.Thread, data []float32) {
	b := gpu.Shared[gpu.MBarrier](t)
	gpu.MulticastBulk(&data[0], &data[64], 64, b, 3)
}

func CastMade(t gpu.Thread, data []float32) {
	tile := gpu.Shared[[256]float32](t)
	b := gpu.Shared[gpu.MBarrier](t)
	m := gpu.TensorMap1[float32]{Data: data, Box: [1]uint32{64}, Bytes: 256}
	gpu.MulticastTensor1(&tile[0], m, 0, b, 3)
}
