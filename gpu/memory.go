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
// default is DeviceScope. A narrower scope may be faster, and is wrong where a
// thread outside of it takes part.
type Scope uint8

// The scopes.
const (
	BlockScope  Scope = iota + 1 // the threads of the block
	DeviceScope                  // all threads on the GPU
	SystemScope                  // also other GPUs and the host
)

// Shared is the block's variable of this place in the source: one for each
// file and line after inlining, so that a function that is called from two lines
// has two; two on one line are an error. It is not initialised, and T holds no pointers. Accesses by several threads need a
// barrier between them, as in global memory.
func Shared[T any](t Thread) *T { return t.x.shared((*T)(nil)).(*T) }

// DynamicShared is the block's dynamic shared memory, whose bytes the launch gives
// (device.Launch.DynamicShared, DynamicSharedBytes), as a slice of as many T as fit. All
// calls mean the same bytes from the first one on, also of other types; so it is one array
// as CUDA's extern __shared__ is. It is not initialised. T is a number, or a struct or
// array of numbers.
func DynamicShared[T any](t Thread) []T { return dynamicShared[T](t, 0) }

// DynamicSharedAt is DynamicShared from byte offset on, which must be a multiple of T's
// alignment.
func DynamicSharedAt[T any](t Thread, offset uint32) []T { return dynamicShared[T](t, offset) }

// Len is len(s) as the 32-bit number that a device holds.
func Len[T any](s []T) uint32 { return uint32(len(s)) }

// AtomicAdd adds v to *p, in global or shared memory, and returns the value
// before. Integers wrap; floats round to nearest. Relaxed order: it is atomic
// for the threads of the scope and orders no other access. The same holds for
// the other atomics.
func AtomicAdd[T Num](p *T, v T, scope ...Scope) T { return update(p, *p+v) }

// smaller and larger are AtomicMin and AtomicMax of integers as plain Go; on a
// device they are one instruction.
func smaller[T Num](p *T, v T) T { return update(p, min(*p, v)) }
func larger[T Num](p *T, v T) T  { return update(p, max(*p, v)) }

// signed32 and its like are the float at p as an integer of its size.
func signed32[T Num](p *T) *int32    { return view[int32](p) }
func unsigned32[T Num](p *T) *uint32 { return view[uint32](p) }
func signed64[T Num](p *T) *int64    { return view[int64](p) }
func unsigned64[T Num](p *T) *uint64 { return view[uint64](p) }

// AtomicAnd sets *p to *p & v and returns the value before. Relaxed order.
func AtomicAnd[T Int](p *T, v T, scope ...Scope) T { return update(p, *p&v) }

// AtomicOr sets *p to *p | v and returns the value before. Relaxed order.
func AtomicOr[T Int](p *T, v T, scope ...Scope) T { return update(p, *p|v) }

// AtomicXor sets *p to *p ^ v and returns the value before. Relaxed order.
func AtomicXor[T Int](p *T, v T, scope ...Scope) T { return update(p, *p^v) }

// AtomicExch sets *p to v and returns the value before. Relaxed order.
func AtomicExch[T Num](p *T, v T, scope ...Scope) T { return write(p, v) }

// AtomicCAS sets *p to v where it is old, compared bit by bit (also floats: 0
// is not -0, and a NaN is itself), and returns the value before. Relaxed order.
func AtomicCAS[T Num](p *T, old, v T, scope ...Scope) T {
	if toBits(*p) != toBits(old) {
		v = *p
	}
	return update(p, v)
}

// Load reads *p, relaxed: with device or system scope it is not served from
// L1, so that it sees what other SMs wrote; it is not hoisted out of loops, and
// never torn. It orders no other access.
func Load[T Num](p *T, scope ...Scope) T { return read(p) }

// Store writes *p, relaxed: the threads of the scope see it in the end, and
// never torn. It orders no other access.
func Store[T Num](p *T, v T, scope ...Scope) { write(p, v) }

// LoadAcquire is Load with acquire order: what follows it in the thread sees
// what happened before the release that it reads from, if that names a scope
// with both threads.
func LoadAcquire[T Num](p *T, scope ...Scope) T { return read(p) }

// StoreRelease is Store with release order: what precedes it in the thread is
// seen by whom acquires the value.
func StoreRelease[T Num](p *T, v T, scope ...Scope) { write(p, v) }

// Fence orders the thread's accesses before it against those after it,
// acquire and release, for the threads of the scope: relaxed atomics, loads and
// stores around it hand data over as acquire and release do.
func Fence(scope ...Scope) { pause() }

// FenceSC is Fence, and besides, all FenceSC of the scope have one order that its
// threads agree on: with one between a store and a load in each of two
// threads, one of them sees the other's store. Simulated machines take as long for it as
// for Fence, which orders as much there; hardware may take longer.
func FenceSC(scope ...Scope) { pause() }

// LoadStreaming reads *p, weakly as a plain access does, with the hint that it
// is used once.
func LoadStreaming[T Num](p *T) T { return *p }

// StoreStreaming writes *p, weakly, with the hint that it is not read soon.
func StoreStreaming[T Num](p *T, v T) { *p = v }

// LoadCached reads *p, weakly, with the hint to keep it at all cache levels.
func LoadCached[T Num](p *T) T { return *p }

// Load2 reads s[i] and s[i+1], weakly, in one access of 64 or 128 bits; i must
// be even and s aligned to the access.
func Load2[T Num](s []T, i uint32) [2]T {
	aligned(i, 2)
	return [2]T{s[i], s[i+1]}
}

// Load4 reads s[i] to s[i+3], weakly, in one access of 128 bits; i must be a
// multiple of 4 and s aligned to the access.
func Load4[T ~uint32 | ~int32 | ~float32](s []T, i uint32) [4]T {
	aligned(i, 4)
	return [4]T{s[i], s[i+1], s[i+2], s[i+3]}
}

// Store2 writes s[i] and s[i+1], weakly, in one access; alignment as for Load2.
func Store2[T Num](s []T, i uint32, v [2]T) {
	aligned(i, 2)
	_ = s[i+1] // nothing is written where the access is out of range
	s[i], s[i+1] = v[0], v[1]
}

// Store4 writes s[i] to s[i+3], weakly, in one access; alignment as for Load4.
func Store4[T ~uint32 | ~int32 | ~float32](s []T, i uint32, v [4]T) {
	aligned(i, 4)
	_ = s[i+3]
	s[i], s[i+1], s[i+2], s[i+3] = v[0], v[1], v[2], v[3]
}
