package scheduler

import "github.com/weft-gpu/weft/gpu"

// fractional reports whether V is a type of floats.
func fractional[V gpu.Num]() bool {
	return V(1)/V(2) != 0
}

// Wide reports whether V, the type of a value, has 8 bytes. It is a constant of the kernel.
func Wide[V gpu.Num]() bool {
	if fractional[V]() {
		small := V(1) / V(1<<30)
		return V(1)+small != V(1)
	}
	large := uint64(1) << 32
	return V(large) != 0
}

// Bits returns the bits of a value, with zeros above those of a value of 4 bytes: what GPUs send each other besides the number of a vertex.
func Bits[V gpu.Num](x V) uint64 {
	switch {
	case fractional[V]() && Wide[V]():
		return gpu.Float64bits(float64(x))
	case fractional[V]():
		return uint64(gpu.Float32bits(float32(x)))
	case Wide[V]():
		return uint64(x)
	}
	return uint64(uint32(x))
}

// FromBits returns the value with these bits.
func FromBits[V gpu.Num](b uint64) V {
	switch {
	case fractional[V]() && Wide[V]():
		return V(gpu.Float64frombits(b))
	case fractional[V]():
		return V(gpu.Float32frombits(uint32(b)))
	}
	return V(b)
}
