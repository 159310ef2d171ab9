// Package broken does not compile as device code.
package broken

import "github.com/weft-gpu/weft/gpu"

func Spawn(t gpu.Thread, x []uint32) {
	go func() { x[0] = 1 }()
}
