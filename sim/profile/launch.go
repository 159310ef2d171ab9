package profile

// MaxLaunches is how many launches a profile records separately.
const MaxLaunches = 1 << 16

// Launch records the contention of the atomics of one launch. If the host loop makes one launch per iteration, it
// describes one iteration.
type Launch struct {
	Kernel string
	Grid   int // blocks
	Block  int // threads per block
	Start  uint64
	Cycles uint64
	Global Degrees
	Shared Degrees
	// BlockDegree is the largest number of operations on one word of shared memory by the threads of one block, over
	// the block's lifetime.
	BlockDegree uint32
	// Merged is how many further launches are added to this one.
	Merged int
}

// Degrees describes how many lanes of a warp access one address with an atomic.
type Degrees struct {
	Ops     uint64   // operations of lanes
	Highest uint32   // lanes
	Count   []uint64 // number of groups of lanes of one instruction on one address, by group size; Count[0] is 0
}

// Mean returns the mean group size; 0 if there are no groups.
func (d *Degrees) Mean() float64 {
	n := uint64(0)
	for _, c := range d.Count {
		n += c
	}
	if n == 0 {
		return 0
	}
	return float64(d.Ops) / float64(n)
}
