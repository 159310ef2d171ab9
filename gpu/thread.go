package gpu

// WarpSize is the number of lanes of a warp.
const WarpSize = 32

// FullMask names all lanes of a warp.
const FullMask = ^uint32(0)

// Thread is the executing thread. It holds no device data: on a GPU it takes
// no register.
type Thread struct{ x executor }

// executor is what the plain-Go executor does for a thread.
type executor interface {
	special(s special) uint64
	sync(kind syncKind, p bool) uint32
	warp(kind warpKind, mask uint32, v uint64, lane uint32) uint64
	named(id, threads uint32, wait bool)
	shared(pointer any) any
	dynamic() dynamicMemory
	sleep(ns uint32)
}

// dynamicMemory is the bytes of a block's dynamic shared memory.
type dynamicMemory []byte

type special uint8

const (
	spTID special = iota // along x; y and z follow
	spTIDY
	spTIDZ
	spCTAID
	spCTAIDY
	spCTAIDZ
	spNTID
	spNTIDY
	spNTIDZ
	spNCTAID
	spNCTAIDY
	spNCTAIDZ
	spRank
	spDynamic
	spSM
	spClock
	spGlobalTimer
)

type syncKind uint8

const (
	syncPlain syncKind = iota
	syncCount
	syncAnd
	syncOr
)

type warpKind uint8

const (
	warpSync warpKind = iota
	warpBallot
	warpAny
	warpAll
	warpShfl
	warpShflUp
	warpShflDown
	warpShflXor
	warpMatch
	warpActive
	warpNamed
)

// Idx is the thread's index in its block. Where a block has several dimensions it is
// that along x, as are Block, BlockDim, GridDim, Global and Stride.
func (t Thread) Idx() uint32 { return uint32(t.x.special(spTID)) }

// Block is the block's index in the grid.
func (t Thread) Block() uint32 { return uint32(t.x.special(spCTAID)) }

// BlockDim is the number of threads a block.
func (t Thread) BlockDim() uint32 { return uint32(t.x.special(spNTID)) }

// GridDim is the number of blocks in the grid.
func (t Thread) GridDim() uint32 { return uint32(t.x.special(spNCTAID)) }

// IdxY is the thread's index in its block along y; 0 where there is one dimension.
func (t Thread) IdxY() uint32 { return uint32(t.x.special(spTIDY)) }

// IdxZ is the thread's index in its block along z.
func (t Thread) IdxZ() uint32 { return uint32(t.x.special(spTIDZ)) }

// BlockY is the block's index in the grid along y.
func (t Thread) BlockY() uint32 { return uint32(t.x.special(spCTAIDY)) }

// BlockZ is the block's index in the grid along z.
func (t Thread) BlockZ() uint32 { return uint32(t.x.special(spCTAIDZ)) }

// BlockDimY is the number of threads a block along y; 1 where there is one dimension.
func (t Thread) BlockDimY() uint32 { return uint32(t.x.special(spNTIDY)) }

// BlockDimZ is the number of threads a block along z.
func (t Thread) BlockDimZ() uint32 { return uint32(t.x.special(spNTIDZ)) }

// GridDimY is the number of blocks in the grid along y; 1 where there is one dimension.
func (t Thread) GridDimY() uint32 { return uint32(t.x.special(spNCTAIDY)) }

// GridDimZ is the number of blocks in the grid along z.
func (t Thread) GridDimZ() uint32 { return uint32(t.x.special(spNCTAIDZ)) }

// GlobalY is the thread's index in the grid along y: BlockY()*BlockDimY() + IdxY().
func (t Thread) GlobalY() uint32 { return t.BlockY()*t.BlockDimY() + t.IdxY() }

// GlobalZ is the thread's index in the grid along z: BlockZ()*BlockDimZ() + IdxZ().
func (t Thread) GlobalZ() uint32 { return t.BlockZ()*t.BlockDimZ() + t.IdxZ() }

// Rank is the thread's number in its block over all dimensions, x fastest:
// (IdxZ()*BlockDimY() + IdxY())*BlockDim() + Idx(). 32 successive ones are a warp.
func (t Thread) Rank() uint32 { return uint32(t.x.special(spRank)) }

// Global is the thread's index in the grid: Block()*BlockDim() + Idx().
func (t Thread) Global() uint32 { return t.Block()*t.BlockDim() + t.Idx() }

// Stride is the number of threads in the grid: GridDim()*BlockDim().
func (t Thread) Stride() uint32 { return t.GridDim() * t.BlockDim() }

// Lane is the thread's lane in its warp: Rank() % WarpSize.
func (t Thread) Lane() uint32 { return t.Rank() % WarpSize }

// Warp is the warp's index in its block: Rank() / WarpSize. A kernel that asks for
// nothing along y or z is compiled for blocks of one dimension: Idx() / WarpSize.
func (t Thread) Warp() uint32 { return t.Rank() / WarpSize }

// DynamicBytes is the size of the block's dynamic shared memory; see DynamicShared.
func (t Thread) DynamicBytes() uint32 { return uint32(t.x.special(spDynamic)) }

// SM is the number of the multiprocessor that the block runs on. It does not
// change while the block runs.
func (t Thread) SM() uint32 { return uint32(t.x.special(spSM)) }

// Clock is the cycle counter of the SM; those of two SMs are not related.
func (t Thread) Clock() uint64 { return t.x.special(spClock) }

// GlobalTimer is a clock that all SMs share, in nanoseconds.
func (t Thread) GlobalTimer() uint64 { return t.x.special(spGlobalTimer) }

// Sleep lets the warp pause for about ns nanoseconds (at most 1,000,000).
func (t Thread) Sleep(ns uint32) { t.x.sleep(ns) }

// Sync is a barrier of the block: it returns when every thread of the block
// that has not exited has called it, here or elsewhere in the kernel. It orders
// memory within the block: what a thread did before it is seen by all threads of
// the block after it, in shared and global memory. So do the other three, which
// do not meet with Sync or with each other.
func (t Thread) Sync() { t.x.sync(syncPlain, false) }

// SyncCount is a barrier as Sync; it returns in how many threads p was true.
func (t Thread) SyncCount(p bool) uint32 { return t.x.sync(syncCount, p) }

// SyncAnd is a barrier as Sync; it reports whether p was true in every thread.
func (t Thread) SyncAnd(p bool) bool { return t.x.sync(syncAnd, p) != 0 }

// SyncOr is a barrier as Sync; it reports whether p was true in any thread.
func (t Thread) SyncOr(p bool) bool { return t.x.sync(syncOr, p) != 0 }

// SyncNamed is a barrier of some of the block's warps: it returns when threads
// threads, a multiple of WarpSize, have come to barrier id by SyncNamed or
// ArriveNamed. A block has barriers 1 to 15; an id that is no constant takes them all,
// which on hardware leaves fewer blocks an SM (an H200 has 64 barriers). A warp comes
// as a whole: its lanes wait for each other, and it counts for WarpSize threads.
// All who come before the barrier opens must name the same number of threads.
// What the threads did before is seen by those that have waited, in shared and
// global memory.
func (t Thread) SyncNamed(id, threads uint32) { t.x.named(id, threads, true) }

// ArriveNamed is SyncNamed for threads that have only something to hand over: it
// counts the warp and does not wait for others.
func (t Thread) ArriveNamed(id, threads uint32) { t.x.named(id, threads, false) }
