package reject

import "github.com/weft-gpu/weft/gpu"

var counter uint32

var table = [4]uint32{1, 2, 3, 4}

func Variables(t gpu.Thread, a []uint32) {
	counter++
	a[0] = table[a[1]&3]
}

var hook func(uint32) uint32

func Hook(t gpu.Thread, a []uint32) { a[0] = hook(a[1]) }
