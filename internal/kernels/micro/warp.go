package micro

import "github.com/weft-gpu/weft/gpu"

// Shuffle runs a chain of shuffles, with an addition and a mask between them.
func Shuffle(t gpu.Thread, steps uint32, cycles []uint64, end []uint32) {
	x := t.Lane()
	start := t.Clock()
	for range steps / 4 {
		x = (gpu.Shfl(t, gpu.FullMask, x, x) + 1) & 31
		x = (gpu.Shfl(t, gpu.FullMask, x, x) + 1) & 31
		x = (gpu.Shfl(t, gpu.FullMask, x, x) + 1) & 31
		x = (gpu.Shfl(t, gpu.FullMask, x, x) + 1) & 31
	}
	took := t.Clock() - start
	if t.Idx() == 0 {
		cycles[0] = took
	}
	end[t.Lane()] = x
}

// Ballot runs a chain of ballots, with a shift and a test between them.
func Ballot(t gpu.Thread, steps uint32, cycles []uint64, end []uint32) {
	x := t.Lane()
	start := t.Clock()
	for range steps / 4 {
		x = t.Ballot(gpu.FullMask, x>>t.Lane()&1 == 0)
		x = t.Ballot(gpu.FullMask, x>>t.Lane()&1 == 0)
		x = t.Ballot(gpu.FullMask, x>>t.Lane()&1 == 0)
		x = t.Ballot(gpu.FullMask, x>>t.Lane()&1 == 0)
	}
	took := t.Clock() - start
	if t.Idx() == 0 {
		cycles[0] = took
	}
	end[t.Lane()] = x
}
