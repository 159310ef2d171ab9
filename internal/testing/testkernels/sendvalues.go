package testkernels

import "github.com/weft-gpu/weft/gpu"

// SendValues lets each thread of a block of the cluster send values to the next block, each of which has all kinds of them: stores of one, two and four
// elements, and reductions to which all threads of the block before add. A block has 64 threads, and adds what it has got to 8 words for each thread; sums has 8 words for each block.
func SendValues(t gpu.Thread, rounds uint32, out []uint32, sums []uint32) {
	ones := gpu.Shared[[64]uint32](t)
	wide := gpu.Shared[[64]uint64](t)
	pairs := gpu.Shared[[128]int32](t)
	fours := gpu.Shared[[256]float32](t)
	total := gpu.Shared[[6]uint32](t)
	long := gpu.Shared[uint64](t)
	full := gpu.Shared[gpu.MBarrier](t)
	i := t.Idx()
	if i == 0 {
		full.Init(1)
		*long = 1 << 40
	}
	if i < 6 {
		total[i] = 1000 * (i + 1)
	}
	t.SyncCluster()
	next := (t.ClusterRank() + 1) % t.ClusterSize()
	there := gpu.MapShared(t, full, next)
	for r := range rounds {
		if i == 0 {
			full.ArriveExpect(64 * (4 + 8 + 8 + 16 + 6*4 + 8))
		}
		x := 10000*t.Block() + 100*i + r
		gpu.StoreAsync(gpu.MapShared(t, &ones[i], next), x, there)
		gpu.StoreAsync(gpu.MapShared(t, &wide[i], next), uint64(x)<<20, there)
		gpu.StoreAsync2(gpu.MapShared(t, &pairs[2*i], next), [2]int32{int32(x), -int32(x)}, there)
		gpu.StoreAsync4(gpu.MapShared(t, &fours[4*i], next), [4]float32{float32(x), 1, 2, float32(i)}, there)
		gpu.AddAsync(gpu.MapShared(t, &total[0], next), i, there)
		gpu.MinAsync(gpu.MapShared(t, &total[1], next), 500-i, there)
		gpu.MaxAsync(gpu.MapShared(t, &total[2], next), 5000+i+r, there)
		gpu.AndAsync(gpu.MapShared(t, &total[3], next), ^(i << 2), there)
		gpu.OrAsync(gpu.MapShared(t, &total[4], next), i<<20, there)
		gpu.XorAsync(gpu.MapShared(t, &total[5], next), 3*i+r, there)
		gpu.AddAsync(gpu.MapShared(t, long, next), uint64(x)<<8, there)
		full.Wait(r & 1)
		for k, v := range [8]uint32{ones[i], uint32(wide[i] >> 20), uint32(pairs[2*i]), uint32(pairs[2*i+1]), uint32(fours[4*i]), uint32(fours[4*i+1]), uint32(fours[4*i+2]), uint32(fours[4*i+3])} {
			out[8*t.Global()+uint32(k)] += v
		}
		t.SyncCluster() // all have read what this round has brought
	}
	if i < 6 {
		sums[8*t.Block()+i] = total[i]
	}
	if i == 6 {
		sums[8*t.Block()+6], sums[8*t.Block()+7] = uint32(*long), uint32(*long>>32)
	}
	t.SyncCluster()
}

// SendValueMisuse does what PTX leaves undefined, or what devices refuse, with values that are sent in a cluster of two blocks. out has a word for each thread.
func SendValueMisuse(t gpu.Thread, what uint32, out []uint32) {
	w := gpu.Shared[[32]uint32](t)
	fresh := gpu.Shared[[32]uint32](t)
	b := gpu.Shared[[2]gpu.MBarrier](t)
	if t.Idx() == 0 {
		b[0].Init(1)
		b[1].Init(1)
	}
	w[t.Idx()] = t.Idx()
	t.SyncCluster()
	other := t.ClusterRank() ^ 1
	there := gpu.MapShared(t, &b[0], other)
	if t.Block() == 0 && t.Idx() == 0 {
		switch what {
		case 0:
			gpu.StoreAsync(gpu.MapShared(t, &w[0], other), 1, &b[0]) // an mbarrier of this block
		case 1:
			gpu.StoreAsync(gpu.MapShared(t, &w[0], t.ClusterSize()), 1, gpu.MapShared(t, &b[0], t.ClusterSize())) // no such block
		case 2:
			gpu.StoreAsync2(gpu.MapShared(t, &w[1], other), [2]uint32{1, 2}, there) // to byte 4
		case 3:
			gpu.StoreAsync4(gpu.MapShared(t, &w[out[0]+4096], other), [4]uint32{}, there) // beyond the end
		case 4:
			gpu.StoreAsync(gpu.MapShared(t, &w[3], other), 1, there)
			out[0] = *gpu.MapShared(t, &w[3], other) // before it has come
		case 5:
			gpu.AddAsync(gpu.MapShared(t, &w[3], other), 1, there)
			*gpu.MapShared(t, &w[3], other) = 2 // before it has come
		case 6:
			gpu.AddAsync(gpu.MapShared(t, &fresh[3], other), 1, there) // to what nobody has written
		case 7:
			gpu.StoreAsync(gpu.MapShared(t, &w[3], other), 1, there) // the block ends before it has come
		case 8:
			gpu.StoreAsync(gpu.MapShared(t, &w[3], other), 1, gpu.MapShared(t, &b[1], other))
			gpu.StoreAsync(gpu.MapShared(t, &w[3], other), 2, there) // which one is last?
		}
	}
	t.SyncCluster()
	if what == 7 {
		return
	}
	out[t.Global()] = w[t.Idx()]
}
