package gpu

// AtomicMin sets *p to the smaller of *p and v and returns the old value. The order is
// relaxed.
//
// Floats are ordered by their bits, so that the result does not depend on the order of the
// threads: -0 is less than +0. A NaN in v leaves *p unchanged. A NaN in memory counts as
// beyond the infinity of its sign.
func AtomicMin[T Num](p *T, v T, scope ...Scope) T {
	switch {
	case !fractional[T]():
		return smaller(p, v)
	case single[T]():
		u := Float32bits(float32(v))
		if v != v {
			u = 1<<31 - 1
		}
		if u < sign32 {
			return T(Float32frombits(uint32(AtomicMin(signed32(p), int32(u), scope...))))
		}
		return T(Float32frombits(AtomicMax(unsigned32(p), u, scope...)))
	}
	u := Float64bits(float64(v))
	if v != v {
		u = 1<<63 - 1
	}
	if u < sign64 {
		return T(Float64frombits(uint64(AtomicMin(signed64(p), int64(u), scope...))))
	}
	return T(Float64frombits(AtomicMax(unsigned64(p), u, scope...)))
}

// AtomicMax sets *p to the larger of *p and v and returns the old value. The order is
// relaxed. Floats are ordered as by AtomicMin.
func AtomicMax[T Num](p *T, v T, scope ...Scope) T {
	switch {
	case !fractional[T]():
		return larger(p, v)
	case single[T]():
		u := Float32bits(float32(v))
		if v != v {
			u = 1<<32 - 1
		}
		if u < sign32 {
			return T(Float32frombits(uint32(AtomicMax(signed32(p), int32(u), scope...))))
		}
		return T(Float32frombits(AtomicMin(unsigned32(p), u, scope...)))
	}
	u := Float64bits(float64(v))
	if v != v {
		u = 1<<64 - 1
	}
	if u < sign64 {
		return T(Float64frombits(uint64(AtomicMax(signed64(p), int64(u), scope...))))
	}
	return T(Float64frombits(AtomicMin(unsigned64(p), u, scope...)))
}

// fractional reports whether T is a floating-point type. The result is a compile-time
// constant.
func fractional[T Num]() bool { return T(1)/T(2) != 0 }
