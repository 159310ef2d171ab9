package micro

import "github.com/weft-gpu/weft/gpu"

// tile is the number of rows and of columns of a tile of TiledProduct.
const tile = 32

// Product computes c = a*b for matrices of n rows and columns. n is a multiple of 32, a warp computes 32 columns of a
// row, and a block of 256 threads 8 such rows, one below the other. All blocks of a column of blocks load the same part
// of b, and all blocks of a row of blocks the same rows of a.
func Product(t gpu.Thread, a, b, c []float32, n uint32) {
	x := t.Block()%(n/32)*32 + t.Idx()%32
	y := t.Block()/(n/32)*8 + t.Idx()/32
	sum := float32(0)
	for k := range n {
		sum = gpu.FMA(a[y*n+k], b[k*n+x], sum)
	}
	c[y*n+x] = sum
}

// TiledProduct is Product by blocks of 1,024 threads that copy tiles of a and b to shared memory. A warp's accesses to a
// tile are to one row, so that none of them has a bank conflict.
func TiledProduct(t gpu.Thread, a, b, c []float32, n uint32) {
	left := gpu.Shared[[tile * tile]float32](t)
	right := gpu.Shared[[tile * tile]float32](t)
	column, row := t.Idx()%tile, t.Idx()/tile
	x, y := t.Block()%(n/tile)*tile+column, t.Block()/(n/tile)*tile+row
	sum := float32(0)
	for k := uint32(0); k < n; k += tile {
		left[t.Idx()] = a[y*n+k+column]
		right[t.Idx()] = b[(k+row)*n+x]
		t.Sync()
		for j := range uint32(tile) {
			sum = gpu.FMA(left[row*tile+j], right[j*tile+column], sum)
		}
		t.Sync()
	}
	c[y*n+x] = sum
}

// NBody computes the potential of each body in the field of all bodies, which are x, y, z and mass, 16 bytes each. All
// threads load all bodies, one after the other; L1 has what another warp of the SM has loaded.
func NBody(t gpu.Thread, bodies, potential []float32) {
	me, sum := gpu.Load4(bodies, 4*t.Global()), float32(0)
	for i := range gpu.Len(bodies) / 4 {
		sum += pull(me, gpu.Load4(bodies, 4*i))
	}
	potential[t.Global()] = sum
}

// TiledNBody is NBody by blocks of 256 threads that copy 256 bodies at a time to shared memory. The number of bodies is a
// multiple of 256.
func TiledNBody(t gpu.Thread, bodies, potential []float32) {
	part := gpu.Shared[[4 * 256]float32](t)
	me, sum := gpu.Load4(bodies, 4*t.Global()), float32(0)
	for k := uint32(0); k < gpu.Len(bodies)/4; k += 256 {
		gpu.Store4(part[:], 4*t.Idx(), gpu.Load4(bodies, 4*(k+t.Idx())))
		t.Sync()
		for i := range uint32(256) {
			sum += pull(me, gpu.Load4(part[:], 4*i))
		}
		t.Sync()
	}
	potential[t.Global()] = sum
}

// pull is the potential of one body at another one, which can be itself.
func pull(at, of [4]float32) float32 {
	x, y, z := of[0]-at[0], of[1]-at[1], of[2]-at[2]
	return of[3] * gpu.Rsqrt(gpu.FMA(x, x, gpu.FMA(y, y, gpu.FMA(z, z, 1e-3))))
}
