package gpu

// The collectives of a warp. The calling lane must be in mask, and every lane
// that mask names and that has not exited must call the same function with the
// same mask; lanes that have exited, and those that a last, smaller warp does
// not have, do not count. Only SyncWarp orders memory.

// SyncWarp waits for the lanes of mask. What one of them did before it is seen
// by all of them after it, in shared and global memory.
func (t Thread) SyncWarp(mask uint32) { t.x.warp(warpSync, mask, 0, 0) }

// Ballot is the mask of the lanes of mask whose p is true.
func (t Thread) Ballot(mask uint32, p bool) uint32 {
	return uint32(t.x.warp(warpBallot, mask, bit(p), 0))
}

// Any reports whether p is true in a lane of mask.
func (t Thread) Any(mask uint32, p bool) bool { return t.x.warp(warpAny, mask, bit(p), 0) != 0 }

// All reports whether p is true in every lane of mask.
func (t Thread) All(mask uint32, p bool) bool { return t.x.warp(warpAll, mask, bit(p), 0) != 0 }

// ActiveMask is the mask of the lanes that execute together right now. It
// promises nothing about convergence: no mask for a collective is to be had from
// it. Run as plain Go, a thread executes alone: it is its own lane's bit.
func (t Thread) ActiveMask() uint32 { return uint32(t.x.warp(warpActive, 0, 0, 0)) }

// Shfl returns v of lane (modulo 32). What a lane reads from one that is not in
// mask or has exited is unspecified, here and in the other shuffles.
func Shfl[T Num](t Thread, mask uint32, v T, lane uint32) T {
	return fromBits[T](t.x.warp(warpShfl, mask, toBits(v), lane))
}

// ShflUp returns v of the lane delta below; a lane with none there in mask keeps its own.
func ShflUp[T Num](t Thread, mask uint32, v T, delta uint32) T {
	return fromBits[T](t.x.warp(warpShflUp, mask, toBits(v), delta))
}

// ShflDown returns v of the lane delta above; a lane with none there in mask keeps its own.
func ShflDown[T Num](t Thread, mask uint32, v T, delta uint32) T {
	return fromBits[T](t.x.warp(warpShflDown, mask, toBits(v), delta))
}

// ShflXor returns v of the lane whose number differs in the bits of x (modulo
// 32); a lane with none there in mask keeps its own.
func ShflXor[T Num](t Thread, mask uint32, v T, x uint32) T {
	return fromBits[T](t.x.warp(warpShflXor, mask, toBits(v), x))
}

// Match is the mask of the lanes of mask that hold the same v, bit by bit.
func Match[T Num](t Thread, mask uint32, v T) uint32 {
	return uint32(t.x.warp(warpMatch, mask, toBits(v), 0))
}
