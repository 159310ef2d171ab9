package langtest

import "github.com/weft-gpu/weft/gpu"

// LoopVars uses function literals that capture variables of three-clause loops.
// Go makes new variables in each iteration.
func LoopVars(t gpu.Thread, in, out []uint32) {
	w, x := mine(t, out), in[t.Global()]
	s := uint32(0)
	for i, j := uint32(0), x%9; i < j; i++ {
		add := func(k uint32) {
			s += (i + 1) * k
			if s&1 == 0 {
				j--
				i += k & 1
			}
		}
		if x>>i&1 != 0 {
			add(3)
			continue
		}
		add(j)
	}
	w.put(0, s)
	for i := uint32(0); i < 3; i++ {
		for j := i; ; j++ {
			if j > 4 {
				break
			}
			s = apply(func(y uint32) uint32 { return y*3 + i ^ j }, s)
		}
	}
	w.put(1, s)
	var a [4]uint32
	for b := [2]uint32{0, x}; b[0] < 4; b[0]++ {
		func() { a[b[0]] = b[(x+b[0])&1] + s }()
	}
	w.put(2, a[0]^a[1]<<1^a[2]<<2)
	w.put(3, a[x&3])
	var last func() uint32
	for k := x & 7; ; k++ {
		last = func() uint32 { k += 5; return k }
		if k > 5 {
			break
		}
	}
	w.put(4, last()+last())
}
