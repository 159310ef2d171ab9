package langtest

import "github.com/weft-gpu/weft/gpu"

// Loops uses every form of for.
func Loops(t gpu.Thread, in, out []uint32) {
	w, x := mine(t, out), in[t.Global()]
	var s [8]uint32
	for i := uint32(0); i < x%9; i++ {
		s[0] += i * x
	}
	n := x % 13
	for n > 0 {
		n--
		s[1] += n ^ x
	}
	for {
		s[2] += 3
		if s[2] > x%20 {
			break
		}
	}
	for i, v := range in[:x%7] {
		s[3] += uint32(i) * v
	}
	for i := range x % 6 {
		s[4] += i << 2
	}
	for i := range 5 {
		s[4] ^= uint32(i)
	}
	for range x % 3 {
		s[4]++
	}
	arr := [4]uint32{x, x + 1, 7, 9}
	for i, v := range arr {
		arr[3-i] += v // range iterates over a copy
		s[5] = s[5]*31 + v
	}
	for i, v := range &arr {
		s[6] = s[6]*31 + v + uint32(i)
	}
	for i := range arr {
		s[7] += arr[i]
	}
	for i, v := range s {
		w.put(uint32(i), v)
	}
}

// Switches uses switch, fallthrough, labels and goto.
func Switches(t gpu.Thread, in, out []uint32) {
	w, x := mine(t, out), in[t.Global()]
	a, b := uint32(0), uint32(0)
	switch x % 6 {
	case 0, 3:
		a = 10
	case 1:
		a = 20
		fallthrough
	case 2:
		a += 5
	default:
		a = x
	}
	switch {
	case x&1 == 1 && x > 100 || x%7 == 0:
		b = 1
	case x&2 == 2 && !(x < 50):
		b = 2
	}
outer:
	for i := range uint32(6) {
		for j := range uint32(6) {
			switch {
			case (x+i)%5 == j:
				continue outer
			case x>>j == 77 || i*j == 20:
				break outer
			case j > 3:
				if x&1 == 0 {
					break
				}
				b++
			default:
				a += i ^ j
			}
			if j == i+2 {
				continue
			}
			b += j
		}
	}
	n := uint32(0)
again:
	n += x & 7
	if n < 20 && x&7 != 0 {
		goto again
	}
	if x%11 == 0 {
		goto end
	}
	a ^= 0x5555
end:
	w.mix(0, a, b, n)
}

// early has returns inside loops.
func early(x uint32, s []uint32) (at uint32, found bool) {
	for i, v := range s {
		if v%17 == x%17 {
			return uint32(i), true
		}
		for j := range v % 4 {
			if j+x == v {
				at = j
				return
			}
		}
	}
	return 99, false
}

// Returns uses several results and early returns.
func Returns(t gpu.Thread, in, out []uint32) {
	w, x := mine(t, out), in[t.Global()]
	at, ok := early(x, in[:16])
	w.put(0, at)
	if ok {
		w.put(1, 1)
	} else {
		w.put(1, 0)
	}
	a, b := x, ^x
	for i := 0; i < 3; i++ {
		a, b = b, a+uint32(i) // parallel copies
	}
	w.put(2, a)
	w.put(3, b)
	if x%3 == 0 {
		return
	}
	w.put(4, 1)
}

// upTo returns an iterator.
func upTo(n uint32) func(yield func(uint32, uint32) bool) {
	return func(yield func(uint32, uint32) bool) {
		for i := range n {
			if !yield(i, i*i) {
				return
			}
		}
	}
}

func evens(yield func(uint32) bool) {
	for i := uint32(0); i < 10 && yield(i); i += 2 {
	}
}

func search(x uint32) uint32 {
	for i, sq := range upTo(20) {
		if sq > x%200 {
			return i // from inside the loop's body, which is a function
		}
	}
	return 1000
}

// Iterators uses range over functions.
func Iterators(t gpu.Thread, in, out []uint32) {
	w, x := mine(t, out), in[t.Global()]
	s := uint32(0)
	for i, sq := range upTo(x % 9) {
		s += sq ^ i
	}
	w.put(0, s)
	for i := range evens {
		if i == x%12 {
			break
		}
		if i == 4 {
			continue
		}
		s = s*3 + i
	}
	w.put(1, s)
	w.put(2, search(x))
outer:
	for i := range evens {
		for j, sq := range upTo(5) {
			switch {
			case sq == x%25:
				continue outer
			case i+j == x%14:
				break outer
			}
			s += j
		}
		s ^= i
	}
	w.put(3, s)
	for range evens {
		s++
	}
	w.put(4, s)
}
