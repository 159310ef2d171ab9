package reject

import "github.com/weft-gpu/weft/gpu"

//line kernels/bfs.go:17
func Lines(t gpu.Thread, a []uint32) {
	m := map[uint32]uint32{} /*line other.go:100:1*/
	a[0] = m[1]
	//line /etc/passwd:3:4
	s := append(a, 1)
	a[1] = s[0]
}
