package langtest

import "github.com/weft-gpu/weft/gpu"

type sized interface {
	shape
	size() uint32
}

// boxed embeds an interface; its methods are promoted.
type boxed struct {
	shape
	n uint32
}

func (b boxed) size() uint32 { return b.n + b.area() }

func counter(start uint32) (next func() uint32, reset func(uint32)) {
	n := start
	next = func() uint32 { n += 3; return n }
	reset = func(to uint32) { n = to }
	return
}

type stack struct {
	data [8]uint32
	n    uint32
}

func (s *stack) push(x uint32) bool {
	if s.n == uint32(len(s.data)) {
		return false
	}
	s.data[s.n] = x
	s.n++
	return true
}

func (s *stack) pop() (x uint32, ok bool) {
	if s.n == 0 {
		return
	}
	s.n--
	return s.data[s.n], true
}

// Stacks uses methods on local structs with arrays, closures that share state,
// and interfaces in structs.
func Stacks(t gpu.Thread, in, out []uint32) {
	w, x := mine(t, out), in[t.Global()]
	var s stack
	for i := range x % 11 {
		if !s.push(i * x) {
			break
		}
	}
	sum := uint32(0)
	for v, ok := s.pop(); ok; v, ok = s.pop() {
		sum = sum*7 + v
	}
	w.put(0, sum)
	next, reset := counter(x % 8)
	next()
	if x&1 == 0 {
		reset(100)
	}
	w.put(1, next()+next())
	var z sized = boxed{&rect{x % 4, 3}, 5}
	z.grow(2)
	area := z.area
	w.put(2, z.size()+area())
	fs := [3]func(uint32) uint32{twice, adder{4}.add, func(y uint32) uint32 { return y ^ sum }}
	w.put(3, fs[0](fs[1](fs[2](x))))
	total := uint32(0)
	for i := range uint32(4) {
		add := func(y uint32) { total += y * i } // i belongs to the iteration
		if i&1 == x&1 {
			add(x)
		} else {
			add(1)
		}
	}
	w.put(4, total)
}

type grid3 [3][2][4]uint16

// Nested uses arrays of arrays of structs that are indexed at run time.
func Nested(t gpu.Thread, in, out []uint32, gs []grid3, p *Point) {
	w, i := mine(t, out), t.Global()
	x := in[i]
	a, b, c := x%3, x>>3&1, x>>5&3
	gs[i][a][b][c] += uint16(x)
	g := gs[i]
	g[c%3][b][a]++
	row := &gs[i][b]
	row[1][c] ^= 0x55
	w.put(0, uint32(g[a][b][c])+uint32(gs[i][c%3][b][a])+uint32(row[b][2]))
	gs[i] = g
	var local [3][2]cell
	for j := range uint32(12) {
		e := &local[j%3][(j+x)&1]
		e.k += uint16(j)
		e.v = e.v<<1 ^ x
	}
	w.put(1, uint32(local[a][b].k)+local[2][1].v)
	pt := *p
	pt.Pair[x&1] += 3
	w.put(2, pt.sum()+p.sum())
	for j, k := uint32(0), uint32(7); j < k; j, k = j+1, k-1 {
		w.put(3, j*k+x)
	}
	for j := int(x % 6); j >= 0; j-- {
		w.put(4, uint32(j)+in[j])
	}
	cells := local[b] // an array by value, indexed at run time
	w.put(5, cells[c&1].v+uint32(at(local, a, b).k))
}

func at(m [3][2]cell, i, j uint32) cell { return m[i][j] }

// Queues keeps slices in locals: two buffers that swap roles.
func Queues(t gpu.Thread, in, out []uint32) {
	w, x := mine(t, out), in[t.Global()]
	var front, back [16]uint32
	cur, nxt := front[:], back[:]
	n := uint32(0)
	for i := range x%5 + 1 {
		cur[i] = i + x
		n++
	}
	for range 3 {
		m := uint32(0)
		for _, v := range cur[:n] {
			if v%3 != 0 {
				nxt[m] = v*2 + 1
				m++
			}
		}
		cur, nxt, n = nxt, cur, m
	}
	sum := n
	for i := range n {
		sum = sum*5 + cur[i]
	}
	w.put(0, sum)
	best := &in[0]
	for i := range in[:9] {
		if in[i]%50 > *best%50 {
			best = &in[i]
		}
	}
	w.put(1, *best)
	var first *uint32
	for i := range in[:20] {
		if in[i]%16 == x%16 {
			first = &in[i]
			break
		}
	}
	if first != nil {
		w.put(2, *first)
	}
	s := in[:4]
	if x&1 == 1 {
		s = in[4:10]
	}
	for i, v := range s {
		sum += v * uint32(i)
	}
	w.put(3, sum+uint32(len(s)))
}

const prefix = "value " // a constant text

func must(ok bool, what string) {
	if !ok {
		panic(prefix + "wrong: " + what)
	}
}

// Constants contains code that constants decide.
func Constants(t gpu.Thread, in, out []uint32) {
	w, x := mine(t, out), in[t.Global()]
	must(t.BlockDim() > 0, "block")
	w.put(0, pick(x, true)+pick(x, false))
	w.put(1, power(x, 5)+power(x, 0))
	const big = 1 << 40
	w.put(2, uint32((uint64(x)*big)>>35)+uint32((big-int64(x))>>38))
	f := float32(0.1)
	w.put(3, gpu.Float32bits(f*float32(x%100)+0.2))
	var err error
	if err != nil {
		w.put(4, 1)
	}
}

func pick(x uint32, left bool) uint32 {
	f := twice
	if !left {
		f = func(y uint32) uint32 { return y / 2 }
	}
	return f(x)
}

func power(x, n uint32) uint32 {
	r := uint32(1)
	for range n {
		r *= x
	}
	return r
}
