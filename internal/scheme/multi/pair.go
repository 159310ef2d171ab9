package multi

import "github.com/weft-gpu/weft/gpu"

// A pair is the number of a vertex and its value, as an outbox has it: one word, or two if the
// value has 8 bytes.

// pairsIn returns the number of pairs.
func pairsIn[V gpu.Num](pairs []uint64) uint32 {
	if wide[V]() {
		return gpu.Len(pairs) / 2
	}
	return gpu.Len(pairs)
}

// putPair stores pair i.
func putPair[V gpu.Num](pairs []uint64, i, v uint32, x V) {
	if wide[V]() {
		gpu.Store2(pairs, 2*i, [2]uint64{uint64(v), bits(x)})
	} else {
		pairs[i] = uint64(v)<<32 | bits(x)
	}
}

// pair returns pair i.
func pair[V gpu.Num](pairs []uint64, i uint32) (v uint32, x V) {
	if wide[V]() {
		p := gpu.Load2(pairs, 2*i)
		return uint32(p[0]), value[V](p[1])
	}
	p := pairs[i]
	return uint32(p >> 32), value[V](p & (1<<32 - 1))
}

// fractional reports whether V is a type of floats, and wide whether it has 8 bytes.
func fractional[V gpu.Num]() bool {
	return V(1)/V(2) != 0
}

func wide[V gpu.Num]() bool {
	if fractional[V]() {
		small := V(1) / V(1<<30)
		return V(1)+small != V(1)
	}
	large := uint64(1) << 32
	return V(large) != 0
}

// bits returns the bits of a value, and value the value with these bits.
func bits[V gpu.Num](x V) uint64 {
	switch {
	case fractional[V]() && wide[V]():
		return gpu.Float64bits(float64(x))
	case fractional[V]():
		return uint64(gpu.Float32bits(float32(x)))
	case wide[V]():
		return uint64(x)
	}
	return uint64(uint32(x))
}

func value[V gpu.Num](b uint64) V {
	switch {
	case fractional[V]() && wide[V]():
		return V(gpu.Float64frombits(b))
	case fractional[V]():
		return V(gpu.Float32frombits(uint32(b)))
	}
	return V(b)
}
