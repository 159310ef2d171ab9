package reject

import "github.com/weft-gpu/weft/gpu"

func Scope(t gpu.Thread, a []uint32, s gpu.Scope) {
	gpu.AtomicAdd(&a[0], 1, s)
	gpu.Fence(gpu.BlockScope, gpu.DeviceScope)
	gpu.FenceSC(s)
	gpu.Store(&a[0], 1, gpu.Scope(9))
	var scopes []gpu.Scope
	a[1] = gpu.Load(&a[2], scopes...)
}
