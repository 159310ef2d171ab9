package testkernels

import "github.com/weft-gpu/weft/gpu"

// BulkRing copies rounds of n words, at most 1024, in bulk to a ring of two buffers: thread 0 expects the bytes and begins the copies, and
// all threads of the other warps add what they find.
func BulkRing(t gpu.Thread, words []uint32, n, rounds uint32, out []uint32) {
	ring := gpu.Shared[[2][1024]uint32](t)
	full := gpu.Shared[[2]gpu.MBarrier](t)
	free := gpu.Shared[[2]gpu.MBarrier](t)
	if t.Idx() == 0 {
		for i := range full {
			full[i].Init(1)
			free[i].Init(t.BlockDim() - 32)
		}
	}
	t.Sync()
	sum := uint32(0)
	for r := range rounds {
		i, parity := r&1, r>>1&1
		if t.Warp() == 0 {
			if t.Lane() == 0 {
				free[i].Wait(parity ^ 1)
				full[i].ArriveExpect(4 * n)
				gpu.CopyBulk(&ring[i][0], &words[r*n], n, &full[i])
			}
		} else {
			full[i].Wait(parity)
			for k := t.Idx() - 32; k < n; k += t.BlockDim() - 32 {
				sum += ring[i][k]
			}
			free[i].Arrive()
		}
	}
	out[t.Global()] = sum
}

// BulkMisuse does what PTX leaves undefined, by number.
func BulkMisuse(t gpu.Thread, what uint32, words, out []uint32) {
	w := gpu.Shared[[64]uint32](t)
	b := gpu.Shared[[2]gpu.MBarrier](t)
	w[t.Idx()], w[32+t.Idx()] = 0, 0
	if t.Idx() == 0 {
		b[0].Init(1)
	}
	t.Sync()
	if t.Idx() == 0 {
		switch what {
		case 0:
			gpu.CopyBulk(&w[0], &words[0], 3, &b[0]) // of 12 bytes
		case 1:
			gpu.CopyBulk(&w[1], &words[0], 4, &b[0]) // to byte 4
		case 2:
			gpu.CopyBulk(&w[0], &words[2], 4, &b[0]) // from byte 8
		case 3:
			gpu.CopyBulk(&w[48], &words[0], 32, &b[0]) // beyond the end
		case 4:
			gpu.CopyBulk(&w[0], &words[gpu.Len(words)-4], 8, &b[0]) // from beyond the end
		case 5:
			gpu.CopyBulk(&w[0], &words[0], 4, &b[1]) // no mbarrier
			b[0].Arrive()
		case 6:
			b[0].ArriveExpect(32)
			gpu.CopyBulk(&w[0], &words[0], 8, &b[0])
			out[0] = w[7] // too early
		}
	}
	out[t.Idx()] = 1
}
