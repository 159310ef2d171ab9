package reject

import "github.com/weft-gpu/weft/gpu"

func Make(t gpu.Thread, a []uint32) {
	b := make([]uint32, a[0])
	c := make([]uint32, 8)
	a[1] = b[0] + c[0]
	a = append(a, 1)
	copy(a, a[1:])
	clear(a)
	a[2] = uint32(cap(a))
	a[3] = a[1:2:3][0]
	d := [2]uint32(a)
	a[4] = d[1]
}
