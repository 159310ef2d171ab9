package langtest

import "github.com/weft-gpu/weft/gpu"

type cell struct {
	k uint16
	v uint32
}

func insert(h *[8]cell, k uint16, v uint32) uint32 {
	for i := range uint32(8) {
		c := &h[(uint32(k)+i)&7]
		if c.k == k || c.k == 0 {
			c.k = k
			c.v += v
			return i
		}
	}
	return 8
}

// Locals indexes local arrays at run time.
func Locals(t gpu.Thread, in, out []uint32) {
	w, x := mine(t, out), in[t.Global()]
	var hist [5]uint32
	for _, v := range in[:16] {
		hist[v%5]++
	}
	w.mix(0, hist[0], hist[1], hist[2], hist[3], hist[4])
	var big [100]uint16
	for i := range 100 {
		big[(i*7+int(x))%100] += uint16(i)
	}
	w.put(1, uint32(big[x%100])+uint32(big[3]))
	var table [8]cell
	n := uint32(0)
	for i := range uint32(6) {
		n = n*9 + insert(&table, uint16(1+(x>>i)&15), i)
	}
	w.put(2, n)
	copied := table
	copied[x&7].v += 5
	w.put(3, copied[3].v+table[3].v+uint32(copied[x%8].k))
	stack := [4]bool{true, false, x&1 == 0, false}
	stack[x&3] = !stack[x&3]
	for i, b := range stack {
		if b {
			n ^= 1 << i
		}
	}
	w.put(4, n)
	for i := range uint32(3) {
		var fresh [20]uint8 // zero in each iteration
		fresh[(x+i)%20] += 3
		n += uint32(fresh[x%20])
	}
	w.put(5, n)
}

// Pointers uses pointers to local variables.
func Pointers(t gpu.Thread, in, out []uint32) {
	w, x := mine(t, out), in[t.Global()]
	a, b := x, x^5
	p := &a
	if x&1 == 0 {
		p = &b
	}
	*p += 7
	w.put(0, a*3+b)
	swap(&a, &b)
	w.put(1, a-b)
	pp := new(uint32)
	*pp = x
	q := &cell{k: 1}
	q.v = *pp + 1
	w.put(2, q.v+uint32(q.k))
	arr := [3]uint32{1, 2, 3}
	r := &arr[1]
	*r = x
	w.put(3, arr[0]+arr[1]*2+arr[2])
	m := &out[w.base]
	if x&2 == 0 {
		m = &a
	}
	*m++
	w.put(4, *m)
}

func swap(a, b *uint32) { *a, *b = *b, *a }
