package device

import "fmt"

// Shape is the number of blocks of a grid and of threads of a block along each dimension:
// x, y, z. Blocks in a grid and threads in a block are numbered with x fastest; each 32
// consecutive threads form a warp. A zero Shape has one dimension.
type Shape struct {
	Grid, Block [3]int
	// Clusters are the numbers of blocks of a cluster, if it has several along y or z: blocks are then numbered cluster by cluster. Else they are
	// 0, and blocks are numbered along x first, then y, then z, which is the same for clusters along x.
	Clusters [3]int `json:",omitzero"`
}

// Shape returns the shape of a launch; dimensions that are 0 become 1.
func (l *Launch) Shape() Shape {
	s := Shape{
		Grid:  [3]int{l.Grid, orOne(l.GridY), orOne(l.GridZ)},
		Block: [3]int{l.Block, orOne(l.BlockY), orOne(l.BlockZ)},
	}
	if l.ClusterY > 1 || l.ClusterZ > 1 {
		s.Clusters = [3]int{orOne(l.Cluster), orOne(l.ClusterY), orOne(l.ClusterZ)}
	}
	return s
}

// Place returns the index of block n of the grid along each dimension.
func (s Shape) Place(n int) [3]int {
	c := s.Clusters
	if c == [3]int{} {
		return along(s.Grid, n)
	}
	size := c[0] * c[1] * c[2]
	in, of := along(c, n%size), along([3]int{s.Grid[0] / c[0], s.Grid[1] / c[1], s.Grid[2] / c[2]}, n/size)
	for i := range of {
		of[i] = of[i]*c[i] + in[i]
	}
	return of
}

// Number returns the number of the block with an index along each dimension: Place of it is that index.
func (s Shape) Number(at [3]int) int {
	c := s.Clusters
	if c == [3]int{} {
		return number(s.Grid, at)
	}
	var in, of, clusters [3]int
	for i := range at {
		in[i], of[i], clusters[i] = at[i]%c[i], at[i]/c[i], s.Grid[i]/c[i]
	}
	return number(clusters, of)*c[0]*c[1]*c[2] + number(c, in)
}

// number is the reverse of along.
func number(dim, at [3]int) int { return at[0] + dim[0]*(at[1]+dim[1]*at[2]) }

// along returns the index along each of some dimensions of number n.
func along(dim [3]int, n int) [3]int {
	return [3]int{n % dim[0], n / dim[0] % dim[1], n / dim[0] / dim[1]}
}

func orOne(n int) int {
	if n == 0 {
		return 1
	}
	return n
}

// Blocks returns the number of blocks in the grid.
func (s Shape) Blocks() int { return s.Grid[0] * s.Grid[1] * s.Grid[2] }

// Threads returns the number of threads per block.
func (s Shape) Threads() int { return s.Block[0] * s.Block[1] * s.Block[2] }

// BlockName returns the name of block n of the grid: "5", or "(1,2)" if the grid has
// several dimensions.
func (s Shape) BlockName(n int) string {
	if s.Clusters != [3]int{} && n >= 0 {
		n = number(s.Grid, s.Place(n))
	}
	return index(s.Grid, n)
}

// ThreadName returns the name of thread n of a block: "37", or "(5,1,0)" if the block has
// several dimensions.
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
