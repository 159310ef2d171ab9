package twins

import "github.com/weft-gpu/weft/gpu"

// Axpy adds a*x to y.
func Axpy(t gpu.Thread, a float32, x, y []float32, n uint32) {
	for i := t.Global(); i < n; i += t.Stride() {
		y[i] = gpu.FMA(a, x[i], y[i])
	}
}

// Dot adds the inner product of x and y to sum, a warp at a time.
func Dot(t gpu.Thread, x, y []float32, sum *float32, n uint32) {
	part := float32(0)
	for i := t.Global(); i < n; i += t.Stride() {
		part = gpu.FMA(x[i], y[i], part)
	}
	for d := uint32(16); d > 0; d /= 2 {
		part += gpu.ShflDown(t, gpu.FullMask, part, d)
	}
	if t.Idx()%32 == 0 {
		gpu.AtomicAdd(sum, part)
	}
}

// Reduce adds up the elements of a block of 256 threads in shared memory.
func Reduce(t gpu.Thread, in, out []uint32) {
	s := gpu.Shared[[256]uint32](t)
	i := t.Idx()
	s[i] = in[t.Block()*256+i]
	t.Sync()
	for d := uint32(128); d > 0; d /= 2 {
		if i < d {
			s[i] += s[i+d]
		}
		t.Sync()
	}
	if i == 0 {
		out[t.Block()] = s[0]
	}
}

// Histogram counts in shared memory, with one atomic for each number.
func Histogram(t gpu.Thread, in, out []uint32, n uint32) {
	bins := gpu.Shared[[256]uint32](t)
	bins[t.Idx()] = 0
	t.Sync()
	for i := t.Global(); i < n; i += t.Stride() {
		gpu.AtomicAdd(&bins[in[i]&255], 1, gpu.BlockScope)
	}
	t.Sync()
	gpu.AtomicAdd(&out[t.Idx()], bins[t.Idx()])
}

// Step is a step of breadth-first search, with a thread for each vertex.
func Step(t gpu.Thread, row, col, level []uint32, depth uint32, changed *uint32, n uint32) {
	for u := t.Global(); u < n; u += t.Stride() {
		if gpu.Load(&level[u]) != depth {
			continue
		}
		for e := row[u]; e < row[u+1]; e++ {
			if gpu.AtomicCAS(&level[col[e]], ^uint32(0), depth+1) == ^uint32(0) {
				gpu.Store(changed, 1)
			}
		}
	}
}

// Product multiplies matrices of n rows and columns by blocks of 16 times 16 threads, with tiles in shared memory.
func Product(t gpu.Thread, a, b, c []float32, n uint32) {
	left := gpu.Shared[[16 * 16]float32](t)
	right := gpu.Shared[[16 * 16]float32](t)
	column, row := t.Idx(), t.IdxY()
	x, y := t.Block()*16+column, t.BlockY()*16+row
	sum := float32(0)
	for k := uint32(0); k < n; k += 16 {
		left[row*16+column] = a[y*n+k+column]
		right[row*16+column] = b[(k+row)*n+x]
		t.Sync()
		for j := range uint32(16) {
			sum = gpu.FMA(left[row*16+j], right[j*16+column], sum)
		}
		t.Sync()
	}
	c[y*n+x] = sum
}

// Rank is a step of PageRank: every vertex adds up what its neighbours have.
func Rank(t gpu.Thread, row, col []uint32, share, rank []float32, n uint32) {
	for u := t.Global(); u < n; u += t.Stride() {
		sum, end := float32(0), row[u+1]
		for e := row[u]; e < end; e++ {
			sum += share[col[e]]
		}
		rank[u] = gpu.FMA(0.85, sum, 0.15)
	}
}

// Scan replaces the numbers of a block of 256 by their sums from the first one on.
func Scan(t gpu.Thread, data []uint32) {
	s := gpu.Shared[[256]uint32](t)
	i := t.Idx()
	s[i] = data[t.Block()*256+i]
	t.Sync()
	for d := uint32(1); d < 256; d *= 2 {
		add := uint32(0)
		if i >= d {
			add = s[i-d]
		}
		t.Sync()
		s[i] += add
		t.Sync()
	}
	data[t.Block()*256+i] = s[i]
}

// Transpose transposes a matrix of n rows and columns by tiles of 32 times 32, with blocks of 32 times 8 threads.
func Transpose(t gpu.Thread, in, out []float32, n uint32) {
	tile := gpu.Shared[[32 * 33]float32](t)
	x, y := t.Block()*32+t.Idx(), t.BlockY()*32+t.IdxY()
	for j := uint32(0); j < 32; j += 8 {
		tile[(t.IdxY()+j)*33+t.Idx()] = in[(y+j)*n+x]
	}
	t.Sync()
	x, y = t.BlockY()*32+t.Idx(), t.Block()*32+t.IdxY()
	for j := uint32(0); j < 32; j += 8 {
		out[(y+j)*n+x] = tile[t.Idx()*33+t.IdxY()+j]
	}
}

// Mix computes without memory: 256 rounds of a generator of random numbers.
func Mix(t gpu.Thread, out []uint32) {
	x := t.Global() + 1
	for range 256 {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
	}
	out[t.Global()] = x
}
