package device

import "fmt"

// Shape is how many blocks a grid and how many threads a block has along each
// dimension: x, y, z. Blocks of a grid and threads of a block are numbered with
// x fastest; 32 successive threads are a warp. The zero Shape has one dimension.
type Shape struct{ Grid, Block [3]int }

// Shape is what the fields of a launch say; dimensions that it leaves out are 1.
func (l *Launch) Shape() Shape {
	return Shape{
		Grid:  [3]int{l.Grid, orOne(l.GridY), orOne(l.GridZ)},
		Block: [3]int{l.Block, orOne(l.BlockY), orOne(l.BlockZ)},
	}
}

func orOne(n int) int {
	if n == 0 {
		return 1
	}
	return n
}

// Blocks is the number of blocks of the grid.
func (s Shape) Blocks() int { return s.Grid[0] * s.Grid[1] * s.Grid[2] }

// Threads is the number of threads of a block.
func (s Shape) Threads() int { return s.Block[0] * s.Block[1] * s.Block[2] }

// BlockName is block n of the grid as people name it: "5", or "(1,2)".
func (s Shape) BlockName(n int) string { return index(s.Grid, n) }

// ThreadName is thread n of a block as people name it: "37", or "(5,1,0)".
func (s Shape) ThreadName(n int) string { return index(s.Block, n) }

func index(dim [3]int, n int) string {
	switch {
	case n < 0 || dim[1] <= 1 && dim[2] <= 1:
		return fmt.Sprint(n)
	case dim[2] <= 1:
		return fmt.Sprintf("(%d,%d)", n%dim[0], n/dim[0])
	}
	return fmt.Sprintf("(%d,%d,%d)", n%dim[0], n/dim[0]%dim[1], n/dim[0]/dim[1])
}
