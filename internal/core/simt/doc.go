// Package simt is what the functional executor and the simulator share: device
// memory, a launch bound to its arguments, and warps with the semantics of
// every instruction on 32 lanes. It has no notion of time.
//
// A register is a Row of 32 lanes of 64 bits; lanes of 32-bit kinds are kept
// zero-extended. A predicate is a mask of 32 bits. Operands that are the same
// for all threads of a launch are rows of the Grid (see Warp.Row).
//
// A memory access is split into steps, because a simulator executes it later
// than it issues it, and in another place: Addresses computes the addresses of
// an instruction's lanes, Check compares them with the object that they must
// stay in, Resolve finds the bytes, Load and Store access one element, and
// AtomicApply computes a read-modify-write.
package simt

import "unsafe"

// Lanes is the number of threads per warp.
const Lanes = 32

// Full is the mask of all lanes.
const Full = ^uint32(0)

// Row is one register of a warp.
type Row = [Lanes]uint64

// RowBytes returns the bytes of a row.
func RowBytes(r *Row) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(r)), unsafe.Sizeof(*r)) }

// spread sets all lanes of r to v.
func spread(r *Row, v uint64) {
	for i := range r {
		r[i] = v
	}
}
