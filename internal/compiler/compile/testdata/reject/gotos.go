package reject

import "github.com/weft-gpu/weft/gpu"

func Goto(t gpu.Thread, a []uint32) {
	i := uint32(0)
	if a[0] > 1 {
		goto second
	}
first:
	a[i]++
second:
	i += a[i]
	if i < 10 {
		goto first
	}
}
