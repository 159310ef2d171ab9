package observe

import "github.com/weft-gpu/weft/sim/profile"

// note counts a group of n lanes on one address.
func note(d *profile.Degrees, n int) {
	for len(d.Count) <= n {
		d.Count = append(d.Count, 0) // profile.MaxWays entries per launch at most
	}
	d.Count[n]++
	d.Ops += uint64(n)
	d.Highest = max(d.Highest, uint32(n))
}

// GlobalDegree records n lanes of the atomic at pc on one address of global memory.
func (r *Run) GlobalDegree(pc int32, n int) {
	note(&r.p.into.Launches[r.launch].Global, n)
	in := &r.Insts[pc]
	in.Degree = max(in.Degree, uint32(n))
}

// sharedDegree records n lanes of a block's atomic on one word of shared memory.
func (r *Run) sharedDegree(slot int, off uint64, n int) {
	l, p := &r.p.into.Launches[r.launch], r.p
	note(&l.Shared, n)
	if w := slot*p.words + int(off/4); w < len(p.blocks) {
		p.blocks[w] += uint32(n)
		l.BlockDegree = max(l.BlockDegree, p.blocks[w])
	}
}
