package gpu

// MaxBlock is the largest number of threads per block.
const MaxBlock = 1024

// WarpSize is the number of lanes in a warp.
const WarpSize = 32

// FullMask is the mask of all lanes of a warp.
const FullMask = ^uint32(0)

// Thread is the executing thread: the first parameter of every kernel. It contains no
// device data; on a GPU it occupies no register.
type Thread struct{ x executor }

// executor is what the plain-Go executor implements for a thread.
type executor interface {
	special(s special) uint64
	sync(kind syncKind, p bool) uint32
	warp(kind warpKind, mask uint32, v uint64, lane uint32) uint64
	named(id, threads uint32, wait bool)
	together(kind warpKind, registers []uint64)
	groupProduct(kind warpKind, registers []uint64, sums []uint32, a, b *SharedMatrix)
	shared(pointer any) any
	dynamic() dynamicMemory
	cluster(wait bool)
	mapShared(pointer any, rank uint32) any
	sleep(ns uint32)
	commitCopies()
	waitCopies(pending uint32)
	commitBulk()
	waitBulk(pending uint32, read bool)
	fenceAsync()
}

// dynamicMemory is the dynamic shared memory of a block.
type dynamicMemory []byte

// special names a value that hardware holds in a special register.
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
	spClusterRank
	spClusterSize
	spClusterRankX
	spClusterRankY
	spClusterRankZ
	spClusterSizeX
	spClusterSizeY
	spClusterSizeZ
)

// syncKind is a kind of block barrier.
type syncKind uint8

const (
	syncPlain syncKind = iota
	syncCount
	syncAnd
	syncOr
)

// warpKind is a kind of warp collective.
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
	warpArriveCluster
	warpWaitCluster
	warpTranspose
	warpLoad1
	warpLoad2
	warpLoad4
	warpLoadTransposed1
	warpLoadTransposed2
	warpLoadTransposed4
	warpStore1
	warpStore2
	warpStore4
	warpStoreTransposed1
	warpStoreTransposed2
	warpStoreTransposed4
	warpMMA                       // the first product of matrices; the others follow
	warpGroupMMA = warpMMA + 1<<6 // the first product of a warpgroup; the others follow
)

// Idx returns the thread's index in its block (threadIdx.x). If a block or grid has several
// dimensions, Idx, Block, BlockDim, GridDim, Global and Stride are those along x.
func (t Thread) Idx() uint32 { return uint32(t.x.special(spTID)) }

// Block returns the block's index in the grid (blockIdx.x).
func (t Thread) Block() uint32 { return uint32(t.x.special(spCTAID)) }

// BlockDim returns the number of threads per block (blockDim.x).
func (t Thread) BlockDim() uint32 { return uint32(t.x.special(spNTID)) }

// GridDim returns the number of blocks in the grid (gridDim.x).
func (t Thread) GridDim() uint32 { return uint32(t.x.special(spNCTAID)) }

// IdxY returns the thread's index in its block along y; it is 0 if blocks have one
// dimension.
func (t Thread) IdxY() uint32 { return uint32(t.x.special(spTIDY)) }

// IdxZ returns the thread's index in its block along z.
func (t Thread) IdxZ() uint32 { return uint32(t.x.special(spTIDZ)) }

// BlockY returns the block's index in the grid along y.
func (t Thread) BlockY() uint32 { return uint32(t.x.special(spCTAIDY)) }

// BlockZ returns the block's index in the grid along z.
func (t Thread) BlockZ() uint32 { return uint32(t.x.special(spCTAIDZ)) }

// BlockDimY returns the number of threads per block along y; it is 1 if blocks have one
// dimension.
func (t Thread) BlockDimY() uint32 { return uint32(t.x.special(spNTIDY)) }

// BlockDimZ returns the number of threads per block along z.
func (t Thread) BlockDimZ() uint32 { return uint32(t.x.special(spNTIDZ)) }

// GridDimY returns the number of blocks in the grid along y; it is 1 if the grid has one
// dimension.
func (t Thread) GridDimY() uint32 { return uint32(t.x.special(spNCTAIDY)) }

// GridDimZ returns the number of blocks in the grid along z.
func (t Thread) GridDimZ() uint32 { return uint32(t.x.special(spNCTAIDZ)) }

// GlobalY returns the thread's index in the grid along y: BlockY()*BlockDimY() + IdxY().
func (t Thread) GlobalY() uint32 { return t.BlockY()*t.BlockDimY() + t.IdxY() }

// GlobalZ returns the thread's index in the grid along z: BlockZ()*BlockDimZ() + IdxZ().
func (t Thread) GlobalZ() uint32 { return t.BlockZ()*t.BlockDimZ() + t.IdxZ() }

// Rank returns the thread's index in its block over all dimensions, x fastest:
// (IdxZ()*BlockDimY() + IdxY())*BlockDim() + Idx(). Each 32 consecutive ranks form a warp.
func (t Thread) Rank() uint32 { return uint32(t.x.special(spRank)) }

// Global returns the thread's index in the grid: Block()*BlockDim() + Idx().
func (t Thread) Global() uint32 { return t.Block()*t.BlockDim() + t.Idx() }

// Stride returns the number of threads in the grid, GridDim()*BlockDim(): the step of a
// grid-stride loop.
func (t Thread) Stride() uint32 { return t.GridDim() * t.BlockDim() }

// Lane returns the thread's lane in its warp: Rank() % WarpSize.
func (t Thread) Lane() uint32 { return t.Rank() % WarpSize }

// Warp returns the index of the thread's warp in its block: Rank() / WarpSize. A kernel
// that uses no index along y or z is compiled for blocks of one dimension, where this is
// Idx() / WarpSize.
func (t Thread) Warp() uint32 { return t.Rank() / WarpSize }

// DynamicBytes returns the size of the block's dynamic shared memory in bytes; see
// [DynamicShared].
func (t Thread) DynamicBytes() uint32 { return uint32(t.x.special(spDynamic)) }

// SM returns the number of the multiprocessor on which the block runs. It does not change
// while the block runs.
func (t Thread) SM() uint32 { return uint32(t.x.special(spSM)) }

// Clock returns the cycle counter of the SM. The counters of different SMs are unrelated.
func (t Thread) Clock() uint64 { return t.x.special(spClock) }

// GlobalTimer returns a clock that all SMs share, in nanoseconds.
func (t Thread) GlobalTimer() uint64 { return t.x.special(spGlobalTimer) }

// Sleep suspends the warp for about ns nanoseconds, at most 1,000,000.
func (t Thread) Sleep(ns uint32) { t.x.sleep(ns) }

// Sync is a barrier of the block (__syncthreads): it returns when every thread of the block
// that has not returned has called it. It orders memory within the block: after it, all
// threads of the block see what each thread did before it, in shared and global memory.
//
// All threads of the block must come to the same call. CUDA leaves undefined what happens if
// some go around it, or come to another call, as in the two branches of an if. [Launch] and
// device func then end with an error, and so do simulated devices that are strict.
//
// SyncCount, SyncAnd and SyncOr order memory in the same way. A barrier completes only if
// all threads call the same one of the four.
func (t Thread) Sync() { t.x.sync(syncPlain, false) }

// SyncCount is a barrier like Sync; it returns the number of threads in which p was true.
func (t Thread) SyncCount(p bool) uint32 { return t.x.sync(syncCount, p) }

// SyncAnd is a barrier like Sync; it reports whether p was true in every thread.
func (t Thread) SyncAnd(p bool) bool { return t.x.sync(syncAnd, p) != 0 }

// SyncOr is a barrier like Sync; it reports whether p was true in at least one thread.
func (t Thread) SyncOr(p bool) bool { return t.x.sync(syncOr, p) != 0 }

// SyncNamed is a barrier of some warps of the block (PTX bar.sync): it returns when the
// given number of threads, a multiple of WarpSize, have arrived at barrier id by SyncNamed
// or ArriveNamed. A block has barriers 1 to 15. If id is not a constant, the block reserves
// all of them, which on hardware allows fewer blocks per SM (an H200 has 64 barriers per
// SM).
//
// A warp arrives as a whole: its lanes wait for each other, and it counts as WarpSize
// threads. All threads that arrive before the barrier completes must pass the same number
// of threads. Threads that waited see what all arriving threads did before, in shared and
// global memory.
func (t Thread) SyncNamed(id, threads uint32) { t.x.named(id, threads, true) }

// ArriveNamed counts the warp as arrived at a named barrier and does not wait for other
// warps (PTX bar.arrive). It is for threads that only hand over data; see SyncNamed.
func (t Thread) ArriveNamed(id, threads uint32) { t.x.named(id, threads, false) }
