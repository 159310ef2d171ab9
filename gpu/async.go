package gpu

// Int32 is the constraint of 32-bit integers.
type Int32 interface {
	~uint32 | ~int32
}

// StoreAsync stores v to *dst, in shared memory of a block of the cluster, at some later time: PTX st.async. dst and b are of one block, which
// [MapShared] names for both, or the block's own. When v is there, its 4 or 8 bytes count as brought at b, of which a thread has expected as many
// ([MBarrier.Expect], [MBarrier.ArriveExpect]); threads of the block of b that have waited for the phase see it. No fence, no barrier and no arrival
// of the thread waits for it, and it belongs to no group.
//
// Until then nobody may access *dst, and the block of dst must not end. The block that stores may. A launch with such stores is one of clusters, if only
// of a block. GPUs have it since compute capability 9.0.
//
// In plain Go, and on device func, it takes effect as late as it may.
func StoreAsync[T Num](dst *T, v T, b *MBarrier) {
	sendValues(dst, []T{v}, "StoreAsync", &b.state, keepNew[T])
}

// StoreAsync2 is [StoreAsync] of two elements from dst on, which is a multiple of their bytes: st.async.v2.
func StoreAsync2[T Num](dst *T, v [2]T, b *MBarrier) {
	sendValues(dst, v[:], "StoreAsync2", &b.state, keepNew[T])
}

// StoreAsync4 is [StoreAsync] of four elements of 4 bytes from dst on, which is a multiple of 16: st.async.v4.
func StoreAsync4[T ~uint32 | ~int32 | ~float32](dst *T, v [4]T, b *MBarrier) {
	sendValues(dst, v[:], "StoreAsync4", &b.state, keepNew[T])
}

// AddAsync adds v to *dst at some later time, as [StoreAsync] stores it: PTX red.async.relaxed.cluster. It is one access: several of them, and atomics of
// the cluster, may update *dst at a time, in any order.
func AddAsync[T ~uint32 | ~int32 | ~uint64](dst *T, v T, b *MBarrier) {
	sendValues(dst, []T{v}, "AddAsync", &b.state, func(old, v T) T { return old + v })
}

// MinAsync is [AddAsync] that keeps the smaller one of both numbers.
func MinAsync[T Int32](dst *T, v T, b *MBarrier) {
	sendValues(dst, []T{v}, "MinAsync", &b.state, func(old, v T) T { return min(old, v) })
}

// MaxAsync is [AddAsync] that keeps the larger one of both numbers.
func MaxAsync[T Int32](dst *T, v T, b *MBarrier) {
	sendValues(dst, []T{v}, "MaxAsync", &b.state, func(old, v T) T { return max(old, v) })
}

// AndAsync is [AddAsync] that keeps the bits that are set in both numbers.
func AndAsync[T Int32](dst *T, v T, b *MBarrier) {
	sendValues(dst, []T{v}, "AndAsync", &b.state, func(old, v T) T { return old & v })
}

// OrAsync is [AddAsync] that keeps the bits that are set in one of both numbers.
func OrAsync[T Int32](dst *T, v T, b *MBarrier) {
	sendValues(dst, []T{v}, "OrAsync", &b.state, func(old, v T) T { return old | v })
}

// XorAsync is [AddAsync] that keeps the bits in which both numbers differ.
func XorAsync[T Int32](dst *T, v T, b *MBarrier) {
	sendValues(dst, []T{v}, "XorAsync", &b.state, func(old, v T) T { return old ^ v })
}
