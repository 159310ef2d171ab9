package scheduler

import "github.com/weft-gpu/weft/gpu"

// Buckets are the vertices of a frontier by degree, for a thread, a warp and a block each (Merrill, Garland and
// Grimshaw, PPoPP 2012).
type Buckets struct {
	Small, Medium, Large []uint32 // degree below a warp's threads, below a block's, and others
	Counts               []uint32 // the number of vertices of each; 0 before Split
	Next                 []uint32 // the Counts of the next iteration, which Split sets to 0
	Out                  *uint32  // the counter of the next frontier, which becomes 0
	Block                uint32   // the degree from which a vertex is large
}

// Split is the kernel that sorts the vertices of a frontier into buckets.
func Split(t gpu.Thread, row []uint32, in Frontier, b Buckets) {
	if t.Global() == 0 {
		b.Next[0], b.Next[1], b.Next[2], *b.Out = 0, 0, 0, 0
	}
	// All lanes of a warp stay in the loop for AddWarp.
	for first := t.Global() - t.Lane(); first < in.Count; first += t.Stride() {
		i := first + t.Lane()
		v, degree := uint32(0), uint32(0)
		if i < in.Count {
			v = in.Vertices[i]
			degree = row[v+1] - row[v]
		}
		Queue{Vertices: b.Small, Count: &b.Counts[0]}.AddWarp(t, v, i < in.Count && degree < gpu.WarpSize)
		Queue{Vertices: b.Medium, Count: &b.Counts[1]}.AddWarp(t, v, degree >= gpu.WarpSize && degree < b.Block)
		Queue{Vertices: b.Large, Count: &b.Counts[2]}.AddWarp(t, v, degree >= max(gpu.WarpSize, b.Block))
	}
}
