package reject

import "github.com/weft-gpu/weft/gpu"

func Text(t gpu.Thread, a []uint32, name string) {
	s := "abc"
	if a[0] > 1 {
		s = "de"
	}
	a[1] = uint32(len(s))
	a[2] = uint32(s[a[0]])
	for i := range s {
		a[i] = 1
	}
	if s == "abc" {
		a[3] = 1
	}
	b := []byte(s)
	a[4] = uint32(b[0])
}

func Panic(t gpu.Thread, a []uint32) {
	if a[0] == 0 {
		panic(a[1])
	}
	print("x")
	println(a[0])
}
