// Package matrices has products of matrices: by the tensor cores, and by multiplications and additions of float32 beside them.
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
	var sum [Columns / 8][4]float32
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
		for j := range sum {
			at := atB + uint32(j)*8*words
			sum[j] = gpu.MMA16x8x16F16(t, rows, [2]uint32{bs[at], bs[at+4]}, sum[j])
		}
		t.Sync()
	}
	for j := range sum {
		at := (row+t.Warp()*16+group)*n + column + uint32(j)*8 + 2*i
		c[at], c[at+1], c[at+8*n], c[at+8*n+1] = sum[j][0], sum[j][1], sum[j][2], sum[j][3]
	}
}

// Plain is Tensor on float32, without the tensor cores: a thread computes 4 by 4 elements of a tile.
func Plain(t gpu.Thread, a, b, c []float32, n, k uint32) {
	as := gpu.Shared[[Rows * numbers]float32](t)
	bs := gpu.Shared[[Columns * numbers]float32](t)
	row, column := tile(t, n)
	down, right := t.Idx()/8, t.Idx()%8 // it has every 16th row and every 8th column from these on
	var sum [4][4]float32
	for from := uint32(0); from < k; from += Depth {
		for w := t.Idx(); w < Rows*Depth; w += Threads {
			as[w/Depth*numbers+w%Depth] = a[(row+w/Depth)*k+from+w%Depth]
		}
		for w := t.Idx(); w < Columns*Depth; w += Threads {
			bs[w/Depth*numbers+w%Depth] = b[(column+w/Depth)*k+from+w%Depth]
		}
		t.Sync()
		for d := range uint32(Depth) {
			var x, y [4]float32
			for e := range uint32(4) {
				x[e], y[e] = as[(down+16*e)*numbers+d], bs[(right+8*e)*numbers+d]
			}
			for p := range x {
				for q := range y {
					sum[p][q] = gpu.FMA(x[p], y[q], sum[p][q])
				}
			}
		}
		t.Sync()
	}
	for p := range uint32(4) {
		for q := range uint32(4) {
			c[(row+down+16*p)*n+column+right+8*q] = sum[p][q]
		}
	}
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
