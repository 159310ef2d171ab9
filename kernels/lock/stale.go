package lock

import "github.com/weft-gpu/weft/gpu"

// Reader says how the consumer of Flag reads the flag.
type Reader interface{ Get(flag *uint32) uint32 }

// OfDevice reads with device scope, for which no L1 answers.
type OfDevice struct{}

// Get loads with device scope.
func (OfDevice) Get(flag *uint32) uint32 { return gpu.Load(flag) }

// OfBlock reads with block scope, which promises nothing about stores of other blocks: the L1
// of the SM may answer, and nothing tells it that another SM has stored.
type OfBlock struct{}

// Get loads with block scope.
func (OfBlock) Get(flag *uint32) uint32 { return gpu.Load(flag, gpu.BlockScope) }

// OfBlockFenced reads with block scope and a fence of device scope behind it, which drops what
// the L1 holds.
type OfBlockFenced struct{}

// Get loads with block scope after a fence.
func (OfBlockFenced) Get(flag *uint32) uint32 {
	gpu.Fence()
	return gpu.Load(flag, gpu.BlockScope)
}

// Flag has two blocks: the first one waits for a flag that the second one sets. The flag is set
// after the first block has read it once, so that its L1 holds the old value. The first block
// then stores the data behind the flag to *received.
//
// flag has its word in a sector of its own: another word there would bring the flag along.
func Flag[R Reader](t gpu.Thread, flag, read, data, received *uint32) {
	if t.Idx() != 0 {
		return
	}
	var r R
	if t.Block() != 0 {
		for gpu.LoadAcquire(read) == 0 {
		}
		gpu.Store(data, 42)
		gpu.StoreRelease(flag, 1)
		return
	}
	seen := r.Get(flag)
	gpu.StoreRelease(read, 1)
	for seen == 0 {
		seen = r.Get(flag)
	}
	gpu.Fence()
	gpu.Store(received, gpu.Load(data))
}

// The kernels of Flag.
var (
	FlagOfDevice      = Flag[OfDevice]
	FlagOfBlock       = Flag[OfBlock]
	FlagOfBlockFenced = Flag[OfBlockFenced]
)
