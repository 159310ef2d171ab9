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

// Note counts a group of n lanes on one address.
func (d *Degrees) Note(n int) {
	for len(d.Count) <= n {
		d.Count = append(d.Count, 0) // MaxWays entries per launch at most
	}
	d.Count[n]++
	d.Ops += uint64(n)
	d.Highest = max(d.Highest, uint32(n))
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

// GlobalDegree records n lanes of the atomic at pc on one address of global memory.
func (r *Run) GlobalDegree(pc int32, n int) {
	r.p.Launches[r.launch].Global.Note(n)
	in := &r.Insts[pc]
	in.Degree = max(in.Degree, uint32(n))
}

// sharedDegree records n lanes of a block's atomic on one word of shared memory.
func (r *Run) sharedDegree(slot int, off uint64, n int) {
	l, p := &r.p.Launches[r.launch], r.p
	l.Shared.Note(n)
	if w := slot*p.words + int(off/4); w < len(p.blocks) {
		p.blocks[w] += uint32(n)
		l.BlockDegree = max(l.BlockDegree, p.blocks[w])
	}
}
