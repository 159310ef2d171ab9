package reject

import "github.com/weft-gpu/weft/gpu"

func Named(t gpu.Thread, id uint32) {
	t.SyncNamed(0, 64)
	t.ArriveNamed(16, 64)
	t.SyncNamed(id, 33)
	t.SyncNamed(1, 0)
	t.ArriveNamed(id, 2048)
}
