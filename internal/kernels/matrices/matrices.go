package matrices

import "github.com/weft-gpu/weft/gpu"

// Threads is the number of threads of a block, which computes a tile of Rows by Columns elements, Depth products of each at a time.
const (
	Threads = 128
	Rows    = 64
	Columns = 32
	Depth   = 16
)

// A row of a tile in shared memory is Depth/2 words long and begins words words behind the one before: the lanes of a warp then read their
// fragments from 32 banks. A row of float32 is Depth long, and one word is enough.
const (
	words   = Depth/2 + 4
	numbers = Depth + 1
)

// tile returns the first row and column of the tile of a block of a matrix of n columns.
func tile(t gpu.Thread, n uint32) (row, column uint32) {
	across := n / Columns
	return t.Block() / across * Rows, t.Block() % across * Columns
}

// Tensor computes c = a*b on the tensor cores. a has rows of k elements of f16, two to a word; b has columns of as many; c has rows of n
// elements. k is a multiple of Depth and n of Columns, and there is a block for each tile of c.
func Tensor(t gpu.Thread, a, b []uint32, c []float32, n, k uint32) {
	as := gpu.Shared[[Rows * words]uint32](t)
	bs := gpu.Shared[[Columns * words]uint32](t)
	row, column := tile(t, n)
	group, i := t.Lane()/4, t.Lane()%4
	atA, atB := (t.Warp()*16+group)*words+i, group*words+i // a warp computes 16 rows
	var s0, s1, s2, s3 [4]float32                          // of 8 columns each
	for from := uint32(0); from < k/2; from += Depth / 2 {
		for w := t.Idx(); w < Rows*Depth/2; w += Threads {
			r, word := w/(Depth/2), w%(Depth/2)
			as[r*words+word] = a[(row+r)*(k/2)+from+word]
		}
		for w := t.Idx(); w < Columns*Depth/2; w += Threads {
			r, word := w/(Depth/2), w%(Depth/2)
			bs[r*words+word] = b[(column+r)*(k/2)+from+word]
		}
		t.Sync()
		rows := [4]uint32{as[atA], as[atA+8*words], as[atA+4], as[atA+8*words+4]}
		s0 = gpu.MMA16x8x16F16(t, rows, [2]uint32{bs[atB], bs[atB+4]}, s0)
		s1 = gpu.MMA16x8x16F16(t, rows, [2]uint32{bs[atB+8*words], bs[atB+8*words+4]}, s1)
		s2 = gpu.MMA16x8x16F16(t, rows, [2]uint32{bs[atB+16*words], bs[atB+16*words+4]}, s2)
		s3 = gpu.MMA16x8x16F16(t, rows, [2]uint32{bs[atB+24*words], bs[atB+24*words+4]}, s3)
		t.Sync()
	}
	at := (row+t.Warp()*16+group)*n + column + 2*i
	store(c, at, n, s0)
	store(c, at+8, n, s1)
	store(c, at+16, n, s2)
	store(c, at+24, n, s3)
}

// store writes what a lane holds of a result of 16 rows and 8 columns.
func store(c []float32, at, n uint32, sum [4]float32) {
	c[at], c[at+1], c[at+8*n], c[at+8*n+1] = sum[0], sum[1], sum[2], sum[3]
}

// Plain is Tensor on float32, without the tensor cores: a thread computes 4 by 4 elements of a tile.
func Plain(t gpu.Thread, a, b, c []float32, n, k uint32) {
	as := gpu.Shared[[Rows * numbers]float32](t)
	bs := gpu.Shared[[Columns * numbers]float32](t)
	row, column := tile(t, n)
	down, right := t.Idx()/8, t.Idx()%8 // it has every 16th row and every 8th column from these on
	var s0, s1, s2, s3 [4]float32
	for from := uint32(0); from < k; from += Depth {
		for w := t.Idx(); w < Rows*Depth; w += Threads {
			as[w/Depth*numbers+w%Depth] = a[(row+w/Depth)*k+from+w%Depth]
		}
		for w := t.Idx(); w < Columns*Depth; w += Threads {
			bs[w/Depth*numbers+w%Depth] = b[(column+w/Depth)*k+from+w%Depth]
		}
		t.Sync()
		for d := range uint32(Depth) {
			x, y := down*numbers+d, right*numbers+d
			of := [4]float32{bs[y], bs[y+8*numbers], bs[y+16*numbers], bs[y+24*numbers]}
			s0 = add(s0, as[x], of)
			s1 = add(s1, as[x+16*numbers], of)
			s2 = add(s2, as[x+32*numbers], of)
			s3 = add(s3, as[x+48*numbers], of)
		}
		t.Sync()
	}
	at := (row+down)*n + column + right
	for q, sum := range [4][4]float32{s0, s1, s2, s3} {
		for p := range sum {
			c[at+uint32(q)*16*n+uint32(p)*8] = sum[p]
		}
	}
}

// add adds the products of x with four numbers.
func add(sum [4]float32, x float32, y [4]float32) [4]float32 {
	return [4]float32{gpu.FMA(x, y[0], sum[0]), gpu.FMA(x, y[1], sum[1]), gpu.FMA(x, y[2], sum[2]), gpu.FMA(x, y[3], sum[3])}
}

// Common counts for each of m rows of a and each of n rows of b, all of k bits, in how many places both have a bit, on the tensor
// cores: with rows of the adjacency matrix of a graph, the common neighbors of two vertices. A warp counts for 16 rows of a and 8 of
// b. m is a multiple of 16, n of 8, and k of 256.
func Common(t gpu.Thread, a, b []uint32, c []int32, m, n, k uint32) {
	group, i := t.Lane()/4, t.Lane()%4
	length := k / 32
	warps := t.Stride() / gpu.WarpSize
	for tile := t.Global() / gpu.WarpSize; tile < m/16*(n/8); tile += warps {
		row, column := tile/(n/8)*16+group, tile%(n/8)*8
		atA, atB := row*length+i, (column+group)*length+i
		var count [4]int32
		for from := uint32(0); from < length; from += 8 {
			rows := [4]uint32{a[atA+from], a[atA+8*length+from], a[atA+from+4], a[atA+8*length+from+4]}
			count = gpu.MMA16x8x256And(t, rows, [2]uint32{b[atB+from], b[atB+from+4]}, count)
		}
		at := row*n + column + 2*i
		c[at], c[at+1], c[at+8*n], c[at+8*n+1] = count[0], count[1], count[2], count[3]
	}
}
