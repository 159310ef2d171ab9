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

// Flag has a first block that waits for a flag, which a block on another SM sets after the first
// one has read it once, so that its L1 holds the old value. The first block then stores the data
// behind the flag to *received. home is where it publishes its SM, and set where one of the other
// blocks is chosen.
//
// The words are in lines of their own: an access to another word would bring the flag along.
func Flag[R Reader](t gpu.Thread, flag, home, set, data, received *uint32) {
	if t.Idx() != 0 {
		return
	}
	if t.Block() != 0 {
		raise(t, flag, home, set, data)
		return
	}
	var r R
	seen := r.Get(flag)
	gpu.StoreRelease(home, t.SM()+1)
	for seen == 0 {
		seen = r.Get(flag)
	}
	gpu.Fence()
	gpu.Store(received, gpu.Load(data))
}

// raise sets the flag in the first block that comes and is not on the SM of the one that waits.
func raise(t gpu.Thread, flag, home, set, data *uint32) {
	at := gpu.LoadAcquire(home)
	for at == 0 {
		at = gpu.LoadAcquire(home)
	}
	if t.SM()+1 != at && gpu.AtomicCAS(set, 0, 1) == 0 {
		gpu.Store(data, 42)
		gpu.StoreRelease(flag, 1)
	}
}

// The kernels of Flag.
var (
	FlagOfDevice      = Flag[OfDevice]
	FlagOfBlock       = Flag[OfBlock]
	FlagOfBlockFenced = Flag[OfBlockFenced]
)
