package gpu

// Int is the constraint of integer types that atomics and shuffles accept.
type Int interface {
	~uint32 | ~int32 | ~uint64 | ~int64
}

// Num is the constraint of 32- and 64-bit numbers.
type Num interface {
	Int | ~float32 | ~float64
}

// Scope is the set of threads with which an atomic or ordered access synchronizes.
// Functions take it as an optional last argument, which must be a constant; the default is
// DeviceScope. A narrower scope may be faster. It is wrong if a thread outside the scope
// accesses the same data.
type Scope uint8

// The scopes.
const (
	BlockScope  Scope = iota + 1 // the threads of the block
	DeviceScope                  // all threads on the GPU
	SystemScope                  // all threads on all GPUs, and the host
)

// Shared returns the block's shared variable of this call: there is one for each file and
// line after inlining, so a function that is called from two lines has two. Two calls on
// one line are an error. The variable is not initialized, and T must not contain pointers.
// Accesses by several threads need a barrier between them, as in global memory.
func Shared[T any](t Thread) *T { return t.x.shared((*T)(nil)).(*T) }

// DynamicShared returns the block's dynamic shared memory as a slice of as many T as fit.
// The launch sets its size in bytes (device.Launch.DynamicShared, [DynamicSharedBytes]).
// Every call returns the same bytes from offset 0, also if T differs: it is one array, like
// CUDA's extern __shared__. It is not initialized. T is a number, or a struct or array of
// numbers.
func DynamicShared[T any](t Thread) []T { return dynamicShared[T](t, 0) }

// DynamicSharedAt is DynamicShared from a byte offset on. The offset must be a multiple of
// the alignment of T.
func DynamicSharedAt[T any](t Thread, offset uint32) []T { return dynamicShared[T](t, offset) }

// Len returns len(s) as a uint32, which is how a device stores it.
func Len[T any](s []T) uint32 { return uint32(len(s)) }

// AtomicAdd adds v to *p, in global or shared memory, and returns the old value. Integers
// wrap around; floats round to nearest.
//
// Like the other atomics it has relaxed order: it is atomic for the threads of the scope
// and does not order other accesses.
func AtomicAdd[T Num](p *T, v T, scope ...Scope) T { return update(p, *p+v) }

// smaller and larger implement AtomicMin and AtomicMax for integers as plain Go. On a
// device each is one instruction.
func smaller[T Num](p *T, v T) T { return update(p, min(*p, v)) }
func larger[T Num](p *T, v T) T  { return update(p, max(*p, v)) }

// signed32 and the three functions below return a pointer to the float at p as an integer
// of the same size.
func signed32[T Num](p *T) *int32    { return view[int32](p) }
func unsigned32[T Num](p *T) *uint32 { return view[uint32](p) }
func signed64[T Num](p *T) *int64    { return view[int64](p) }
func unsigned64[T Num](p *T) *uint64 { return view[uint64](p) }

// AtomicAnd sets *p to *p & v and returns the old value. The order is relaxed.
func AtomicAnd[T Int](p *T, v T, scope ...Scope) T { return update(p, *p&v) }

// AtomicOr sets *p to *p | v and returns the old value. The order is relaxed.
func AtomicOr[T Int](p *T, v T, scope ...Scope) T { return update(p, *p|v) }

// AtomicXor sets *p to *p ^ v and returns the old value. The order is relaxed.
func AtomicXor[T Int](p *T, v T, scope ...Scope) T { return update(p, *p^v) }

// AtomicExch sets *p to v and returns the old value. The order is relaxed.
func AtomicExch[T Num](p *T, v T, scope ...Scope) T { return write(p, v) }

// AtomicCAS sets *p to v if *p equals old, and returns the previous value of *p. It
// compares bit by bit, floats too: 0 does not equal -0, and a NaN equals itself. The order
// is relaxed.
func AtomicCAS[T Num](p *T, old, v T, scope ...Scope) T {
	if toBits(*p) != toBits(old) {
		v = *p
	}
	return update(p, v)
}

// Load reads *p with relaxed order. At device and system scope L1 does not serve it, so it
// sees what other SMs have written. The compiler does not hoist it out of loops, and the
// value is never torn. It does not order other accesses.
func Load[T Num](p *T, scope ...Scope) T { return read(p) }

// Store writes *p with relaxed order: the threads of the scope see the value eventually,
// and never torn. It does not order other accesses.
func Store[T Num](p *T, v T, scope ...Scope) { write(p, v) }

// LoadAcquire is Load with acquire order: if it reads the value of a release, the thread's
// later accesses see everything that happened before that release, provided that the scopes
// of both include both threads.
func LoadAcquire[T Num](p *T, scope ...Scope) T { return read(p) }

// StoreRelease is Store with release order: a thread that acquires the value sees all
// earlier accesses of this thread.
func StoreRelease[T Num](p *T, v T, scope ...Scope) { write(p, v) }

// Fence orders the thread's accesses before it against those after it, for the threads of
// the scope, with acquire and release order. With fences around them, relaxed atomics,
// loads and stores hand over data as acquire and release do.
func Fence(scope ...Scope) { pause() }

// FenceSC is Fence with sequential consistency: all threads of the scope agree on one order
// of its FenceSC calls. If each of two threads stores, calls FenceSC and then loads what
// the other stored, at least one of them sees the other's store. On simulated machines it
// costs as much as Fence, which orders as much there; on hardware it may cost more.
func FenceSC(scope ...Scope) { pause() }

// LoadStreaming reads *p as a plain load does, with the hint that the data is used once.
func LoadStreaming[T Num](p *T) T { return *p }

// StoreStreaming writes *p as a plain store does, with the hint that the data is not read
// soon.
func StoreStreaming[T Num](p *T, v T) { *p = v }

// LoadCached reads *p as a plain load does, with the hint to keep the data in all cache
// levels.
func LoadCached[T Num](p *T) T { return *p }

// Load2 reads s[i] and s[i+1] in one weak access of 64 or 128 bits. The index i must be
// even, and s must be aligned to the size of the access.
func Load2[T Num](s []T, i uint32) [2]T {
	aligned(i, 2)
	return [2]T{s[i], s[i+1]}
}

// Load4 reads s[i] to s[i+3] in one weak access of 128 bits. The index i must be a multiple
// of 4, and s must be aligned to 16 bytes.
func Load4[T ~uint32 | ~int32 | ~float32](s []T, i uint32) [4]T {
	aligned(i, 4)
	return [4]T{s[i], s[i+1], s[i+2], s[i+3]}
}

// Store2 writes s[i] and s[i+1] in one weak access. The alignment is that of Load2.
func Store2[T Num](s []T, i uint32, v [2]T) {
	aligned(i, 2)
	_ = s[i+1] // an access out of range writes nothing
	s[i], s[i+1] = v[0], v[1]
}

// Store4 writes s[i] to s[i+3] in one weak access. The alignment is that of Load4.
func Store4[T ~uint32 | ~int32 | ~float32](s []T, i uint32, v [4]T) {
	aligned(i, 4)
	_ = s[i+3]
	s[i], s[i+1], s[i+2], s[i+3] = v[0], v[1], v[2], v[3]
}
