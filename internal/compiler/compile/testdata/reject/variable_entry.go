package reject

import "github.com/weft-gpu/weft/gpu"

func pick() func(t gpu.Thread, a []uint32) { return nil }

var Late = pick()

var Unset func(t gpu.Thread, a []uint32)
