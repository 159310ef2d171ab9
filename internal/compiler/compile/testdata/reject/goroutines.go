package reject

import "github.com/weft-gpu/weft/gpu"

func work(a []uint32) { a[0] = 1 }

func Go(t gpu.Thread, a []uint32) {
	go work(a)
	go func() { a[1] = 2 }()
}
