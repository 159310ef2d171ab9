package reject

import "github.com/weft-gpu/weft/gpu"

func Defer(t gpu.Thread, a []uint32) {
	defer func() {
		if r := recover(); r != nil {
			a[0] = 1
		}
	}()
	a[1] = 2
}
