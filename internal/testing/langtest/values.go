package langtest

import "github.com/weft-gpu/weft/gpu"

// Point is a struct with padding, arrays and a nested struct.
type Point struct {
	Tag  uint8
	X    int32
	OK   bool
	Pair [2]uint16
	In   struct {
		D float64
		B [3]bool
	}
}

func (p Point) sum() uint32 {
	s := uint32(p.Tag) + uint32(p.X) + uint32(p.Pair[0]) + uint32(p.Pair[1])<<3 + uint32(int32(p.In.D))
	if p.OK {
		s += 100
	}
	for i, b := range p.In.B {
		if b {
			s += 1000 << i
		}
	}
	return s
}

func (p *Point) scale(k int32) {
	p.X *= k
	p.Tag++
	p.In.B[1] = !p.In.B[1]
	p.In.D += float64(k)
}

// Structs reads and writes whole structs and fields in memory.
func Structs(t gpu.Thread, in, out []uint32, ps []Point) {
	w, i := mine(t, out), t.Global()
	x := in[i]
	p := ps[i]
	w.put(0, p.sum())
	p.scale(int32(x % 5))
	w.put(1, p.sum())
	p.Pair = [2]uint16{uint16(x), 9}
	ps[i] = p
	q := &ps[i]
	q.scale(3)
	q.In.B[2] = x&1 == 0
	q.Pair[x&1]++
	w.put(2, q.sum())
	if q.X > 10 {
		*q = Point{Tag: 1, X: -1}
	}
	w.put(3, ps[i].sum())
	r := ps[i]
	w.put(4, r.sum())
	if r == p {
		w.put(5, 1)
	} else if r != (Point{Tag: 1, X: -1}) {
		w.put(5, 2)
	} else {
		w.put(5, 3)
	}
}

// Narrow accesses memory of 8 and 16 bits and bools.
func Narrow(t gpu.Thread, in, out []uint32, a []int8, b []uint8, c []int16, d []uint16, e []bool, f []int64, g []float64) {
	w, i := mine(t, out), t.Global()
	x := in[i]
	a[i] += int8(x)
	b[i] *= uint8(x)
	c[i] -= int16(x >> 3)
	d[i] ^= uint16(x >> 5)
	e[i] = e[i] != (x%3 == 0)
	f[i] += int64(a[i]) * int64(c[i])
	g[i] = float64(b[i])/4 + float64(f[i])
	s := uint32(a[i]) + uint32(b[i]) + uint32(c[i]) + uint32(d[i])
	if e[i] {
		s++
	}
	w.put(0, s)
	w.put64(1, uint64(f[i]))
	w.put64(3, gpu.Float64bits(g[i]))
}

// Params has every kind of parameter.
func Params(t gpu.Thread, in, out []uint32, one *uint32, p Point, on bool, small int8, tiny uint16, big uint64, f float32, d float64, arr [3]int16, four *[4]uint32) {
	w, i := mine(t, out), t.Global()
	s := *one + p.sum() + uint32(small) + uint32(tiny) + uint32(big>>33) + uint32(int32(f*4)) + uint32(int32(d))
	if on {
		s ^= in[i]
	}
	w.put(0, s)
	w.put(1, uint32(arr[0])+uint32(arr[1])<<4+uint32(arr[2])<<8)
	w.put(2, four[i&3]+uint32(len(four)))
	for _, v := range four {
		s += v
	}
	w.put(3, s)
	p.scale(2)
	w.put(4, p.sum())
}

// matrix is an array of arrays by value.
type matrix [2][2]uint32

func (m matrix) mul(n matrix) (r matrix) {
	for i := range m {
		for j := range n {
			for k := range 2 {
				r[i][j] += m[i][k] * n[k][j]
			}
		}
	}
	return
}

// Arrays uses arrays by value and slices of them in memory.
func Arrays(t gpu.Thread, in, out []uint32, ms []matrix) {
	w, i := mine(t, out), t.Global()
	x := in[i]
	m := matrix{{x, 1}, {1, 0}}
	n := m.mul(m)
	ms[i] = ms[i].mul(n)
	w.put(0, ms[i][0][0])
	w.put(1, ms[i][1][x&1])
	row := ms[i][1]
	row[0]++
	w.put(2, row[0]+row[1])
	if n == m {
		w.put(3, 7)
	}
	a, b := [3]uint32{1, 2, x}, [3]uint32{x, 2, 1}
	a, b = b, a
	w.put(4, a[0]+2*a[2]+3*b[0]+4*b[2])
	if a == b {
		w.put(5, 1)
	}
}

// Slices uses slicing, lengths and slices as values.
func Slices(t gpu.Thread, in, out []uint32) {
	w, x := mine(t, out), in[t.Global()]
	s := in[2 : 10+x%4]
	w.put(0, uint32(len(s)))
	s = s[x%3:]
	w.put(1, s[0]+uint32(len(s)))
	p := [2][]uint32{in[:3], in[3:8]}
	w.put(2, p[0][1]+p[1][2])
	p[0], p[1] = p[1], p[0]
	w.put(3, p[x&1][1]+uint32(len(p[x%2])))
	sum := uint32(0)
	for _, q := range p {
		for _, v := range q[1:] {
			sum += v
		}
	}
	w.put(4, sum)
	var none []uint32
	if none == nil && s != nil {
		w.put(5, uint32(len(none))+gpu.Len(s))
	}
	local := [6]uint32{x, 2, 3, 4, 5, 6}
	for i, v := range local[1:4] {
		sum += v << i
	}
	part := local[2:]
	part[0] = sum
	w.put(6, local[2]+uint32(len(part)))
}
