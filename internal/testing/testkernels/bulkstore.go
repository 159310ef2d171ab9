package testkernels

import "github.com/weft-gpu/weft/gpu"

// BulkTiles computes rounds of n words, at most 1024, in two buffers in turn: thread 0 copies each in bulk to out, and then all threads
// of the block read what has been copied.
func BulkTiles(t gpu.Thread, n, rounds uint32, out, sums []uint32) {
	tile := gpu.Shared[[2][1024]uint32](t)
	first := t.Block() * rounds * n
	for r := range rounds {
		i := r & 1
		if t.Idx() == 0 {
			t.WaitBulkRead(1) // the copy before the last one has read this buffer
		}
		t.Sync()
		for k := t.Idx(); k < n; k += t.BlockDim() {
			tile[i][k] = first + r*n + 3*k + 1
		}
		t.FenceAsync()
		t.Sync()
		if t.Idx() == 0 {
			gpu.StoreBulk(&out[first+r*n], &tile[i][0], n)
			t.CommitBulk()
		}
	}
	if t.Idx() == 0 {
		t.WaitBulk(0)
	}
	t.Sync()
	sum := uint32(0)
	for k := t.Idx(); k < rounds*n; k += t.BlockDim() {
		sum += out[first+k]
	}
	sums[t.Global()] = sum
}

// BulkLanes lets each thread of a block of at most 64 copy four words of its own, in two groups, and leaves the writes for the end of
// the kernel.
func BulkLanes(t gpu.Thread, out []uint32) {
	s := gpu.Shared[[64][8]uint32](t)
	i, at := t.Idx(), 8*t.Global()
	for k := range uint32(8) {
		s[i][k] = 100*t.Global() + k
	}
	t.FenceAsync()
	gpu.StoreBulk(&out[at], &s[i][0], 4)
	t.CommitBulk()
	gpu.StoreBulk(&out[at+4], &s[i][4], 4)
	t.CommitBulk()
	t.WaitBulkRead(1)
	s[i][0] = 7 // it has been copied
	if i%2 == 0 {
		gpu.StoreBulk(&out[at], &s[i][0], 0) // of nothing
	}
	t.CommitBulk()
	t.WaitBulkRead(0)
	s[i][5] = 7
}

// BulkSums lets each block reduce rows of n numbers, at most 64, to the same rows of its arguments: by each operation on each type.
func BulkSums(t gpu.Thread, n uint32, u []uint32, s []int32, d []uint64, e []int64, f []float32, g []float64) {
	a := gpu.Shared[[64]uint32](t)
	b := gpu.Shared[[64]int32](t)
	c := gpu.Shared[[64]uint64](t)
	h := gpu.Shared[[64]int64](t)
	x := gpu.Shared[[64]float32](t)
	y := gpu.Shared[[64]float64](t)
	for k := t.Idx(); k < n; k += t.BlockDim() {
		v := (t.Block()+1)*0x9E3779B9 ^ k*0x85EBCA6B
		a[k], b[k] = v, int32(v)
		c[k], h[k] = uint64(v)<<20|uint64(k), int64(int32(v))*4097
		x[k], y[k] = float32(v>>20), float64(v)
	}
	t.FenceAsync()
	t.Sync()
	if t.Idx() == 0 {
		gpu.AddBulk(&u[0], &a[0], n)
		gpu.MinBulk(&u[n], &a[0], n)
		gpu.MaxBulk(&u[2*n], &a[0], n)
		gpu.AndBulk(&u[3*n], &a[0], n)
		gpu.OrBulk(&u[4*n], &a[0], n)
		gpu.XorBulk(&u[5*n], &a[0], n)
		t.CommitBulk()
		gpu.AddBulk(&s[0], &b[0], n)
		gpu.MinBulk(&s[n], &b[0], n)
		gpu.MaxBulk(&s[2*n], &b[0], n)
		gpu.AddBulk(&d[0], &c[0], n)
		gpu.MinBulk(&d[n], &c[0], n)
		gpu.MaxBulk(&d[2*n], &c[0], n)
		gpu.AndBulk(&d[3*n], &c[0], n)
		gpu.OrBulk(&d[4*n], &c[0], n)
		gpu.XorBulk(&d[5*n], &c[0], n)
		gpu.AddBulk(&e[0], &h[0], n)
		gpu.MinBulk(&e[n], &h[0], n)
		gpu.MaxBulk(&e[2*n], &h[0], n)
		gpu.AddBulk(&f[0], &x[0], n)
		gpu.AddBulk(&g[0], &y[0], n)
		gpu.AddBulk(&u[0], &a[0], n) // once more
		t.CommitBulk()
		t.WaitBulkRead(0)
	}
}

// BulkStoreMisuse does what PTX leaves undefined, by number. It is launched with 32 threads.
func BulkStoreMisuse(t gpu.Thread, what uint32, words, out []uint32) {
	w := gpu.Shared[[64]uint32](t)
	i := t.Idx()
	w[i], w[32+i] = i, 32+i
	if what != 7 {
		t.FenceAsync()
	}
	t.Sync()
	if i == 0 {
		switch what {
		case 0:
			gpu.StoreBulk(&words[0], &w[0], 3) // of 12 bytes
		case 1:
			gpu.StoreBulk(&words[1], &w[0], 4) // to byte 4
		case 2:
			gpu.StoreBulk(&words[0], &w[2], 4) // from byte 8
		case 3:
			gpu.StoreBulk(&words[0], &w[48], 32) // from beyond the end
		case 4:
			gpu.StoreBulk(&words[gpu.Len(words)-4], &w[0], 8) // beyond the end
		case 5:
			gpu.StoreBulk(&words[0], &w[0], 8)
			t.CommitBulk()
			w[7] = 1 // may not have been read
		case 6:
			gpu.StoreBulk(&words[0], &w[0], 8)
			t.CommitBulk()
			t.WaitBulkRead(0)
			out[0] = words[3] // too early
		case 7:
			gpu.StoreBulk(&words[0], &w[0], 8) // may not see it
		case 8:
			gpu.StoreBulk(&words[0], &w[0], 8)
			t.CommitBulk()
			t.WaitBulkRead(0)
			gpu.AddBulk(&words[4], &w[0], 8) // to where a copy may still write
		case 9:
			gpu.StoreBulk(&words[0], &w[0], 8) // never waited for
		case 10:
			gpu.AddBulk(&words[0], &w[0], 8)
			gpu.AtomicAdd(&words[1], 1) // beside a reduction: defined
			gpu.AddBulk(&words[4], &w[0], 8)
			t.CommitBulk()
			words[5] = 1 // beside a reduction, and no update
		}
	}
	out[i] = 1
}

// BulkStoreTimes measures in one thread how long it takes until n words, at most 4096, have been read, and until they have been written.
func BulkStoreTimes(t gpu.Thread, n uint32, words []uint32, out []uint64) {
	s := gpu.Shared[[4096]uint32](t)
	for k := t.Idx(); k < n; k += t.BlockDim() {
		s[k] = k
	}
	t.FenceAsync()
	t.Sync()
	if t.Idx() != 0 {
		return
	}
	begun := t.Clock()
	gpu.StoreBulk(&words[0], &s[0], n)
	t.CommitBulk()
	t.WaitBulkRead(0)
	out[0] = t.Clock() - begun
	t.WaitBulk(0)
	out[1] = t.Clock() - begun
	begun = t.Clock()
	gpu.AddBulk(&words[0], &s[0], n)
	t.CommitBulk()
	t.WaitBulk(0)
	out[2] = t.Clock() - begun
}

// BulkReleased lets block 0 copy words in bulk to global memory, wait for the group, and set a flag by a release. Block 1 acquires the flag and
// copies what it then finds to seen.
func BulkReleased(t gpu.Thread, n uint32, words []uint32, flag *uint32, seen []uint32) {
	s := gpu.Shared[[4096]uint32](t)
	if t.Block() == 0 {
		for k := t.Idx(); k < n; k += t.BlockDim() {
			s[k] = k + 1
		}
		t.FenceAsync()
		t.Sync()
		if t.Idx() == 0 {
			gpu.StoreBulk(&words[0], &s[0], n)
			t.CommitBulk()
			t.WaitBulk(0)
			gpu.StoreRelease(flag, 1)
		}
		return
	}
	if t.Idx() == 0 {
		for gpu.LoadAcquire(flag) == 0 {
		}
	}
	t.Sync()
	for k := t.Idx(); k < n; k += t.BlockDim() {
		seen[k] = words[k]
	}
}

// StoreApart stores 64 words of each thread, those of a warp as many words apart as stride says.
func StoreApart(t gpu.Thread, stride uint32, out []uint32) {
	for i := range uint32(64) {
		gpu.Store(&out[(t.Idx()*stride+i*32*stride)%gpu.Len(out)], i)
	}
}
