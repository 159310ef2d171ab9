package gpu

// Int is an integer that atomics and shuffles take.
type Int interface {
	~uint32 | ~int32 | ~uint64 | ~int64
}

// Num is a 32- or 64-bit number.
type Num interface {
	Int | ~float32 | ~float64
}

// Scope is the set of threads that an atomic or ordered access synchronises
// with. Functions take it as an optional last argument, a constant; the
// default is DeviceScope.
type Scope uint8

// The scopes.
const (
	BlockScope Scope = iota + 1
	DeviceScope
	SystemScope
)

// Shared is the block's variable of this place in the source: one for each
// file and line after inlining; two on one line are an error. It is not
// initialised.
func Shared[T any](t Thread) *T {
	return t.x.shared(1, func() any { return poisoned[T]() }).(*T)
}

// Len is len(s) as the 32-bit number that a device holds.
func Len[T any](s []T) uint32 { return uint32(len(s)) }

// AtomicAdd adds v to *p and returns the value before. Relaxed order.
func AtomicAdd[T Num](p *T, v T, scope ...Scope) T { return update(p, *p+v) }

// AtomicMin sets *p to the smaller of *p and v and returns the value before. Relaxed order.
func AtomicMin[T Int](p *T, v T, scope ...Scope) T { return update(p, min(*p, v)) }

// AtomicMax sets *p to the larger of *p and v and returns the value before. Relaxed order.
func AtomicMax[T Int](p *T, v T, scope ...Scope) T { return update(p, max(*p, v)) }

// AtomicAnd sets *p to *p & v and returns the value before. Relaxed order.
func AtomicAnd[T Int](p *T, v T, scope ...Scope) T { return update(p, *p&v) }

// AtomicOr sets *p to *p | v and returns the value before. Relaxed order.
func AtomicOr[T Int](p *T, v T, scope ...Scope) T { return update(p, *p|v) }

// AtomicXor sets *p to *p ^ v and returns the value before. Relaxed order.
func AtomicXor[T Int](p *T, v T, scope ...Scope) T { return update(p, *p^v) }

// AtomicExch sets *p to v and returns the value before. Relaxed order.
func AtomicExch[T Num](p *T, v T, scope ...Scope) T { return update(p, v) }

// AtomicCAS sets *p to v where it is old, bit by bit, and returns the value
// before. Relaxed order.
func AtomicCAS[T Num](p *T, old, v T, scope ...Scope) T {
	if toBits(*p) != toBits(old) {
		v = *p
	}
	return update(p, v)
}

// Load reads *p, relaxed: it is not served from L1 (device or system scope),
// not hoisted out of loops, and never torn.
func Load[T Num](p *T, scope ...Scope) T { return read(p) }

// Store writes *p, relaxed.
func Store[T Num](p *T, v T, scope ...Scope) { update(p, v) }

// LoadAcquire is Load with acquire order: what follows it sees what happened
// before the release that it reads from.
func LoadAcquire[T Num](p *T, scope ...Scope) T { return read(p) }

// StoreRelease is Store with release order: what precedes it is seen by whom
// acquires the value.
func StoreRelease[T Num](p *T, v T, scope ...Scope) { update(p, v) }

// Fence orders the thread's accesses before it against those after it,
// acquire and release, for the threads of the scope.
func Fence(scope ...Scope) { pause() }

// LoadStreaming reads *p with the hint that it is used once.
func LoadStreaming[T Num](p *T) T { return *p }

// StoreStreaming writes *p with the hint that it is not read soon.
func StoreStreaming[T Num](p *T, v T) { *p = v }

// LoadCached reads *p with the hint to keep it at all cache levels.
func LoadCached[T Num](p *T) T { return *p }

// Load2 reads s[i] and s[i+1] in one access of 64 or 128 bits; i must be even
// and s aligned to the access.
func Load2[T Num](s []T, i uint32) [2]T { return [2]T{s[i], s[i+1]} }

// Load4 reads s[i] to s[i+3] in one access of 128 bits; i must be a multiple
// of 4 and s aligned to the access.
func Load4[T ~uint32 | ~int32 | ~float32](s []T, i uint32) [4]T {
	return [4]T{s[i], s[i+1], s[i+2], s[i+3]}
}

// Store2 writes s[i] and s[i+1] in one access; alignment as for Load2.
func Store2[T Num](s []T, i uint32, v [2]T) { copy(s[i:i+2], v[:]) }

// Store4 writes s[i] to s[i+3] in one access; alignment as for Load4.
func Store4[T ~uint32 | ~int32 | ~float32](s []T, i uint32, v [4]T) { copy(s[i:i+4], v[:]) }
