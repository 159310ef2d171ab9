package testkernels

import "github.com/weft-gpu/weft/gpu"

// SendRing passes n words, at most 512, around the blocks of a cluster: each round every block sends what it has to the next one, which adds its
// rank to each word. Blocks have at least 32 threads.
func SendRing(t gpu.Thread, n, rounds uint32, out []uint32) {
	tile := gpu.Shared[[2][512]uint32](t)
	full := gpu.Shared[[2]gpu.MBarrier](t)
	if t.Idx() == 0 {
		full[0].Init(1)
		full[1].Init(1)
	}
	for i := t.Idx(); i < n; i += t.BlockDim() {
		tile[0][i] = 100*t.Block() + i
	}
	t.FenceAsync()
	t.SyncCluster()
	next := (t.ClusterRank() + 1) % t.ClusterSize()
	for r := range rounds {
		from, to := r&1, r&1^1
		if t.Idx() == 0 {
			full[to].ArriveExpect(4 * n)
			gpu.SendBulk(gpu.MapShared(t, &tile[to][0], next), &tile[from][0], n, gpu.MapShared(t, &full[to], next))
		}
		full[to].Wait(r >> 1 & 1)
		for i := t.Idx(); i < n; i += t.BlockDim() {
			tile[to][i] += t.ClusterRank()
		}
		t.FenceAsync()
		t.SyncCluster() // the next block has what this one sent, and its buffer is free
	}
	for i := t.Idx(); i < n; i += t.BlockDim() {
		out[t.Block()*n+i] = tile[rounds&1][i]
	}
}

// MulticastRounds lets the blocks of a cluster in turn copy n words, at most 512, to those blocks of it that a mask names, round after round. Each block
// adds what it has got to its words of out.
func MulticastRounds(t gpu.Thread, words []uint32, n, rounds, mask uint32, out []uint32) {
	tile := gpu.Shared[[512]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
	}
	t.SyncCluster()
	mine := mask>>t.ClusterRank()&1 != 0
	for r := range rounds {
		if t.Idx() == 0 {
			if mine {
				full.ArriveExpect(4 * n)
			}
			if r%t.ClusterSize() == t.ClusterRank() {
				gpu.MulticastBulk(&tile[0], &words[r*n], n, full, uint16(mask))
			}
		}
		if mine {
			full.Wait(r & 1)
			for i := t.Idx(); i < n; i += t.BlockDim() {
				out[t.Block()*n+i] += tile[i]
			}
		}
		t.SyncCluster() // all have read what the next round replaces
	}
}

// MulticastBoxes1, MulticastBoxes2 and MulticastBoxes3 let the last block of a cluster bring the box at some coordinates to all of its blocks, which write
// what they have got to out, one after the other. Boxes have at most 256 words.
func MulticastBoxes1(t gpu.Thread, m gpu.TensorMap1[uint32], at [1]int32, out []uint32) {
	tile, full := multicastStart(t)
	if t.Idx() == 0 {
		full.ArriveExpect(m.Bytes)
		if t.ClusterRank()+1 == t.ClusterSize() {
			gpu.MulticastTensor1(&tile[0], m, at[0], full, uint16(1<<t.ClusterSize()-1))
		}
	}
	multicastEnd(t, tile, full, m.Bytes, out)
}

// MulticastBoxes2 is of two dimensions.
func MulticastBoxes2(t gpu.Thread, m gpu.TensorMap2[uint32], at [2]int32, out []uint32) {
	tile, full := multicastStart(t)
	if t.Idx() == 0 {
		full.ArriveExpect(m.Bytes)
		if t.ClusterRank()+1 == t.ClusterSize() {
			gpu.MulticastTensor2(&tile[0], m, at[0], at[1], full, uint16(1<<t.ClusterSize()-1))
		}
	}
	multicastEnd(t, tile, full, m.Bytes, out)
}

// MulticastBoxes3 is of three dimensions.
func MulticastBoxes3(t gpu.Thread, m gpu.TensorMap3[uint32], at [3]int32, out []uint32) {
	tile, full := multicastStart(t)
	if t.Idx() == 0 {
		full.ArriveExpect(m.Bytes)
		if t.ClusterRank()+1 == t.ClusterSize() {
			gpu.MulticastTensor3(&tile[0], m, at[0], at[1], at[2], full, uint16(1<<t.ClusterSize()-1))
		}
	}
	multicastEnd(t, tile, full, m.Bytes, out)
}

func multicastStart(t gpu.Thread) (*[256]uint32, *gpu.MBarrier) {
	tile := gpu.Shared[[256]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		full.Init(1)
	}
	t.SyncCluster()
	return tile, full
}

func multicastEnd(t gpu.Thread, tile *[256]uint32, full *gpu.MBarrier, bytes uint32, out []uint32) {
	full.Wait(0)
	for i := t.Idx(); i < bytes/4; i += t.BlockDim() {
		out[t.Block()*bytes/4+i] = tile[i]
	}
	t.SyncCluster()
}

// SendMisuse does what PTX leaves undefined, by number, in block 0 of each cluster.
func SendMisuse(t gpu.Thread, what uint32, words, out []uint32) {
	w := gpu.Shared[[64]uint32](t)
	b := gpu.Shared[[2]gpu.MBarrier](t)
	w[t.Idx()], w[32+t.Idx()] = 0, 0
	if t.Idx() == 0 {
		b[0].Init(1)
		b[1].Init(1)
	}
	if what != 7 {
		t.FenceAsync()
	}
	t.SyncCluster()
	other, there := t.ClusterRank()^1, gpu.MapShared(t, &b[0], t.ClusterRank()^1)
	if t.Idx() == 0 && t.ClusterRank() == 0 {
		switch what {
		case 0:
			gpu.SendBulk(gpu.MapShared(t, &w[0], other), &w[32], 3, there) // of 12 bytes
		case 1:
			gpu.SendBulk(gpu.MapShared(t, &w[1], other), &w[32], 4, there) // to byte 4
		case 2:
			gpu.SendBulk(gpu.MapShared(t, &w[0], other), &w[34], 4, there) // from byte 8
		case 3:
			gpu.SendBulk(gpu.MapShared(t, &w[48], other), &w[0], 32, there) // beyond the end
		case 4:
			gpu.SendBulk(gpu.MapShared(t, &w[0], other), &w[0], 16, &b[0]) // an mbarrier of this block
		case 5:
			gpu.SendBulk(gpu.MapShared(t, &w[0], t.ClusterSize()), &w[0], 16, gpu.MapShared(t, &b[0], t.ClusterSize())) // no such block
		case 6:
			b[0].ArriveExpect(64)
			gpu.SendBulk(gpu.MapShared(t, &w[0], other), &w[32], 16, there)
			w[32] = 1 // too early
		case 7:
			gpu.SendBulk(gpu.MapShared(t, &w[0], other), &w[32], 16, there) // without a fence
		case 8:
			gpu.MulticastBulk(&w[0], &words[0], 16, &b[0], 0) // to no block
		case 9:
			gpu.MulticastBulk(&w[0], &words[0], 16, &b[0], 1<<5) // no such block
		case 10:
			gpu.MulticastBulk(&w[0], &words[0], 3, &b[0], 3) // of 12 bytes
		case 11:
			gpu.MulticastBulk(&w[0], &words[gpu.Len(words)-4], 8, &b[0], 3) // from beyond the end
		case 12:
			b[0].ArriveExpect(64)
			gpu.MulticastBulk(&w[0], &words[0], 16, &b[0], 3)
			out[0] = *gpu.MapShared(t, &w[5], 1) // too early, in the other block
		case 13:
			gpu.SendBulk(gpu.MapShared(t, &w[0], other), &w[32], 16, there)
			return // and ends
		case 14:
			gpu.MulticastBulk(&w[0], &words[0], 16, &b[0], 2)
			gpu.MapShared(t, &b[1], other).Arrive()
		case 15:
			t.Sleep(50_000)
			gpu.SendBulk(gpu.MapShared(t, &w[0], other), &w[32], 16, there) // to a block that has ended
		case 16:
			t.Sleep(50_000)
			gpu.MulticastBulk(&w[0], &words[0], 16, &b[0], 2)
		}
	}
	if what > 14 && t.ClusterRank() == 1 {
		return
	}
	if what == 14 { // block 1 ends before the copy has landed
		if t.ClusterRank() == 1 {
			b[1].Wait(0)
		}
		return
	}
	out[t.Idx()] = 1
	if what == 13 && t.ClusterRank() == 0 {
		return
	}
	t.SyncCluster()
}
