package gpu

import (
	"errors"
	"fmt"
)

// Dim is a number of blocks or threads along each dimension. A zero Y or Z means 1.
type Dim struct{ X, Y, Z int }

// GPUs allow at most maxDepth threads per block along z, and maxGridY blocks along y and
// along z.
const (
	maxDepth = 64
	maxGridY = 65535
)

// full returns d with zero Y and Z replaced by 1.
func (d Dim) full() Dim {
	if d.Y == 0 {
		d.Y = 1
	}
	if d.Z == 0 {
		d.Z = 1
	}
	return d
}

// list returns d as an array.
func (d *Dim) list() [3]int { return [3]int{d.X, d.Y, d.Z} }

// size returns the number of blocks or threads over all dimensions.
func (d Dim) size() int { return d.X * d.Y * d.Z }

// at returns the coordinates of number n, x fastest.
func (d *Dim) at(n int) [3]int { return [3]int{n % d.X, n / d.X % d.Y, n / d.X / d.Y} }

// flat reports whether d has one dimension only.
func (d *Dim) flat() bool { return d.Y <= 1 && d.Z <= 1 }

// name returns the text for number n: "5", or "(1,2)" if there are several dimensions.
func (d *Dim) name(n int) string {
	if d.flat() {
		return fmt.Sprint(n)
	}
	i := d.at(n)
	if d.Z == 1 {
		return fmt.Sprintf("(%d,%d)", i[0], i[1])
	}
	return fmt.Sprintf("(%d,%d,%d)", i[0], i[1], i[2])
}

// LaunchDim is [Launch] with grids and blocks of up to three dimensions: at most MaxBlock
// threads per block, 64 of them along z, and at most 65,535 blocks along y and along z.
// Threads in a block and blocks in a grid are numbered along x first, then y, then z.
func LaunchDim(grid, block Dim, kernel func(t Thread), opts ...Option) error {
	grid, block = grid.full(), block.full()
	if block.X < 1 || block.Y < 1 || block.Z < 1 || block.X > MaxBlock || block.Y > MaxBlock || block.Z > maxDepth || block.size() > MaxBlock {
		return fmt.Errorf("gpu: launch with blocks of %dx%dx%d threads: want 1 to %d in all, at most %d along z", block.X, block.Y, block.Z, MaxBlock, maxDepth)
	}
	if grid.X < 1 || grid.Y < 1 || grid.Z < 1 || grid.Y > maxGridY || grid.Z > maxGridY {
		return fmt.Errorf("gpu: launch of %dx%dx%d blocks: want at least 1, and at most %d along y and along z", grid.X, grid.Y, grid.Z, maxGridY)
	}
	l := &launch{grid: grid.size(), block: block.size(), gridDim: grid, blockDim: block, kernel: kernel, options: options{rounds: 10_000, poison: -1, clusterDim: Dim{1, 1, 1}}}
	for _, o := range opts {
		o(&l.options)
	}
	if l.dynamic < 0 || l.dynamic > maxDynamic {
		return fmt.Errorf("gpu: launch with %d bytes of dynamic shared memory: want 0 to %d", l.dynamic, maxDynamic)
	}
	if why := l.checkCluster(); why != "" {
		return errors.New(why)
	}
	turn.Lock()
	defer turn.Unlock()
	l.place()
	defer l.end()
	return l.run()
}
