package gpu

// This file has the warp collectives. SyncWarp states the rules that all of them share.

// SyncWarp waits for the lanes in mask (__syncwarp). After it, all of them see what each of
// them did before it, in shared and global memory.
//
// The calling lane must be in mask, and every lane in mask that has not exited must call
// the same function with the same mask; that holds for all warp collectives. Lanes in mask
// that have exited, or that the last warp of a block lacks, take no part. Of the collectives
// only SyncWarp orders memory.
func (t Thread) SyncWarp(mask uint32) { t.x.warp(warpSync, mask, 0, 0) }

// Ballot returns the mask of those lanes in mask whose p is true (__ballot_sync).
func (t Thread) Ballot(mask uint32, p bool) uint32 {
	return uint32(t.x.warp(warpBallot, mask, bit(p), 0))
}

// Any reports whether p is true in at least one lane in mask.
func (t Thread) Any(mask uint32, p bool) bool { return t.x.warp(warpAny, mask, bit(p), 0) != 0 }

// All reports whether p is true in every lane in mask.
func (t Thread) All(mask uint32, p bool) bool { return t.x.warp(warpAll, mask, bit(p), 0) != 0 }

// ActiveMask returns the mask of the lanes that execute together at this moment. It promises
// neither that lanes with the same way through the kernel are among them, nor that those that are have
// anything in common: they may be in different iterations of a loop. As the mask of a collective it is
// right only if all of these lanes are sure to come there; [Match] says which of them hold the same value.
// As plain Go a thread executes alone, and the mask is its own lane's bit.
func (t Thread) ActiveMask() uint32 { return uint32(t.x.warp(warpActive, 0, 0, 0)) }

// Shfl returns the value v of lane (modulo 32) (__shfl_sync).
//
// The lane that this or another shuffle reads must take part: it must be in mask and exist,
// and must not have exited. Otherwise PTX leaves the result undefined. [Launch] and device
// func then end with an error, and so do simulated devices that are strict; others return an
// arbitrary number. The last warp of a block whose size is no multiple of 32 lacks lanes.
func Shfl[T Num](t Thread, mask uint32, v T, lane uint32) T {
	return fromBits[T](t.x.warp(warpShfl, mask, toBits(v), lane))
}

// ShflUp returns the value v of the lane delta below; see [Shfl] for lanes that take no part.
// If the warp has no lane so far below (delta > Lane()), it returns the caller's own v.
func ShflUp[T Num](t Thread, mask uint32, v T, delta uint32) T {
	return fromBits[T](t.x.warp(warpShflUp, mask, toBits(v), delta))
}

// ShflDown returns the value v of the lane delta above; see [Shfl] for lanes that take no
// part. If a warp has no lane so far above (Lane()+delta > 31), it returns the caller's own v.
func ShflDown[T Num](t Thread, mask uint32, v T, delta uint32) T {
	return fromBits[T](t.x.warp(warpShflDown, mask, toBits(v), delta))
}

// ShflXor returns the value v of lane Lane() ^ x (modulo 32); see [Shfl] for lanes that take
// no part.
func ShflXor[T Num](t Thread, mask uint32, v T, x uint32) T {
	return fromBits[T](t.x.warp(warpShflXor, mask, toBits(v), x))
}

// Match returns the mask of those lanes in mask that hold the same v, compared bit by bit
// (__match_any_sync).
func Match[T Num](t Thread, mask uint32, v T) uint32 {
	return uint32(t.x.warp(warpMatch, mask, toBits(v), 0))
}
