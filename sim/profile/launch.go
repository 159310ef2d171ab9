package profile

// MaxLaunches is how many launches a profile tells apart.
const MaxLaunches = 1 << 16

// Launch is how far the atomics of one launch met: for host loops with a
// launch an iteration, an iteration.
type Launch struct {
	Kernel string
	Grid   int // blocks
	Block  int // threads a block
	Start  uint64
	Cycles uint64
	Global Degrees
	Shared Degrees
	// BlockDegree is the most operations on one word of shared memory by the
	// threads of one block, from its beginning to its end.
	BlockDegree uint32
	// Merged is how many further launches are summed up in this one.
	Merged int
}

// Degrees is how many lanes of a warp atomics brought to one address.
type Degrees struct {
	Ops     uint64   // operations of lanes
	Highest uint32   // lanes
	Count   []uint64 // groups of lanes of one instruction on one address, by their number; Count[0] is 0
}

// Note counts a group of n lanes on one address.
func (d *Degrees) Note(n int) {
	for len(d.Count) <= n {
		d.Count = append(d.Count, 0) // MaxWays times a launch at most
	}
	d.Count[n]++
	d.Ops += uint64(n)
	d.Highest = max(d.Highest, uint32(n))
}

// Mean is the mean size of a group; 0 where there is none.
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

// GlobalDegree notes n lanes of the atomic at pc on one address of global memory.
func (r *Run) GlobalDegree(pc int32, n int) {
	r.p.Launches[r.launch].Global.Note(n)
	in := &r.Insts[pc]
	in.Degree = max(in.Degree, uint32(n))
}

// sharedDegree notes n lanes of a block's atomic on one word of shared memory.
func (r *Run) sharedDegree(slot int, off uint64, n int) {
	l, p := &r.p.Launches[r.launch], r.p
	l.Shared.Note(n)
	if w := slot*p.words + int(off/4); w < len(p.blocks) {
		p.blocks[w] += uint32(n)
		l.BlockDegree = max(l.BlockDegree, p.blocks[w])
	}
}
