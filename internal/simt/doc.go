// Package simt is what the functional executor and the simulator share: device
// memory, a launch bound to its arguments, and warps with the meaning of every
// instruction on 32 lanes. It knows nothing of time.
//
// A register is a Row of 32 lanes of 64 bits; lanes of 32-bit kinds are kept
// zero-extended. A predicate is a mask of 32 bits. Operands that are the same
// for all threads of a launch are rows of the Grid (see Warp.Row).
//
// Memory is reached in pieces, because a simulator performs an access later
// than it issues it and in other places: Addresses computes where the lanes
// of an instruction point, Check compares that with the object they belong to,
// Resolve finds the bytes, Load and Store move one element, and AtomicApply is
// the arithmetic of a read-modify-write.
package simt

// Lanes is the number of threads of a warp.
const Lanes = 32

// Full is the mask of all lanes.
const Full = ^uint32(0)

// Row is one register of a warp.
type Row = [Lanes]uint64

// spread sets all lanes of r to v.
func spread(r *Row, v uint64) {
	for i := range r {
		r[i] = v
	}
}
