package testkernels

import "github.com/weft-gpu/weft/gpu"

// Pipeline hands rounds of words from warp to warp, each with barriers of its own to the
// next: what the last has is what the first had, as often incremented as there are
// warps behind it.
func Pipeline(t gpu.Thread, rounds uint32, out []uint32) {
	q := gpu.Shared[[8][32]uint32](t)
	w, last := t.Warp(), t.BlockDim()/32-1
	sum := uint32(0)
	for r := range rounds {
		v := t.Global() + r
		if w > 0 {
			t.SyncNamed(2*w-1, 64) // it is there
			v = q[w-1][t.Lane()] + 1
			t.ArriveNamed(2*w, 64) // and read
		}
		if w < last {
			if r > 0 {
				t.SyncNamed(2*w+2, 64)
			}
			q[w][t.Lane()] = v
			t.ArriveNamed(2*w+1, 64)
		}
		sum += v
	}
	if w < last && rounds > 0 {
		t.SyncNamed(2*w+2, 64)
	}
	out[t.Global()] = sum
}

// Halves synchronises the warps of each half of a block, by constant barriers.
func Halves(t gpu.Thread, out []uint32) {
	q := gpu.Shared[[128]uint32](t)
	i := t.Idx()
	v := i
	for r := range uint32(8) {
		q[i] = v + r
		if i < 64 {
			t.SyncNamed(1, 64)
			v = q[(i+1)%64]
			t.SyncNamed(1, 64)
		} else {
			t.SyncNamed(2, 64)
			v = q[64+(i+1)%64]
			t.SyncNamed(2, 64)
		}
	}
	out[t.Global()] = v
}

// Unmet waits at a barrier for more threads than arrive.
func Unmet(t gpu.Thread, id, threads uint32, out []uint32) {
	t.SyncNamed(id, threads)
	out[t.Global()] = 1
}

// Counts makes warps arrive at one barrier with different thread counts.
func Counts(t gpu.Thread, out []uint32) {
	t.SyncNamed(3, 64+32*t.Warp())
	out[t.Global()] = 1
}

// LaneFirst lets lane 0 of a warp wait for lane 1 before all its lanes come to a barrier with a number.
func LaneFirst(t gpu.Thread, out []uint32) {
	ready := gpu.Shared[[2]uint32](t)
	if t.Lane() == 0 {
		gpu.Store(&ready[t.Warp()], 0)
	}
	t.SyncNamed(1, 64)
	if t.Lane() == 0 {
		for gpu.Load(&ready[t.Warp()]) == 0 {
		}
	} else if t.Lane() == 1 {
		gpu.Store(&ready[t.Warp()], t.Warp()+7)
	}
	t.SyncNamed(2, 64)
	out[t.Global()] = gpu.Load(&ready[1-t.Warp()])
}
