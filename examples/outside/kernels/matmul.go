// Package kernels has free-form kernels: a matrix product with tiles in shared
// memory, a histogram with atomics on shared memory, and a sum by shuffles.
package kernels

import "github.com/weft-gpu/weft/gpu"

// Tile is the width of a block of MatMul, which has Tile x Tile threads.
const Tile = 16

// tile is a part of a matrix in shared memory.
type tile [Tile][Tile]float32

// MatMul computes c = a b for n x n matrices in row-major order. The grid has
// n/Tile blocks (rounded up) along x and along y.
func MatMul(t gpu.Thread, a, b, c []float32, n uint32) {
	as := gpu.Shared[tile](t)
	bs := gpu.Shared[tile](t)
	x, y := t.Idx(), t.IdxY()
	row, col := t.BlockY()*Tile+y, t.Block()*Tile+x
	sum := float32(0)
	for k := uint32(0); k < n; k += Tile {
		as[y][x] = 0
		if row < n && k+x < n {
			as[y][x] = a[row*n+k+x]
		}
		bs[y][x] = 0
		if k+y < n && col < n {
			bs[y][x] = b[(k+y)*n+col]
		}
		t.Sync()
		for i := range uint32(Tile) {
			sum = gpu.FMA(as[y][i], bs[i][x], sum)
		}
		t.Sync()
	}
	if row < n && col < n {
		c[row*n+col] = sum
	}
}
