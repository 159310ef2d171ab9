//go:build !kernel

package scheduler_test

import (
	"fmt"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Widest is single-source widest paths: the value of a vertex is the largest w for which
// some path from the source consists of arcs with a weight of at least w.
type Widest struct{ scheduler.Max[uint32] }

// Init returns the largest number for the source, and 0 (no path) for all other vertices.
func (Widest) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	if v.ID == in.Source {
		return ^uint32(0)
	}
	return 0
}

// Start reports whether v is the source.
func (Widest) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Compute returns the smaller one of the source's value and the arc's weight.
func (Widest) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return min(src, e.Weight()), true }

// push is the kernel of a scheme: it sends the values of the vertices in the frontier along their arcs.
func push(t gpu.Thread, alg Widest, g scheduler.Graph, values []uint32, in scheduler.Frontier, out scheduler.Queue) {
	scheduler.WarpPerVertex{}.Vertices(t, in.Count, func(i uint32) {
		scheduler.SendUpdates[Widest, scheduler.WarpPerVertex, uint32](t, alg, g, values, in.Vertices[i], in.Phase, out.Add)
	})
}

// A host loop in miniature: it runs the kernels of a scheme as plain Go until the
// frontier is empty. RunPush does the same on a device.
func ExampleAlgorithm() {
	// The arcs 0 -> 1, 0 -> 2 and 2 -> 1 with weights 2, 7 and 5.
	g := scheduler.Graph{Row: []uint32{0, 2, 2, 3}, Col: []uint32{1, 2, 1}, Weight: []uint32{2, 7, 5}}
	values, stamp := make([]uint32, 3), make([]uint32, 3)
	frontier, next := make([]uint32, 3), make([]uint32, 3)
	count := uint32(0)

	first := scheduler.Queue{Vertices: frontier, Count: &count, Stamp: stamp}
	err := gpu.Launch(1, 32, func(t gpu.Thread) {
		scheduler.Init(t, Widest{}, g, scheduler.Problem{Source: 0, Vertices: 3}, values, first)
	})
	for i := uint32(1); err == nil && count > 0; i++ {
		in := scheduler.Frontier{Vertices: frontier, Count: count}
		fmt.Println("iteration", i, "frontier", frontier[:count], "values", values[1:])
		count = 0
		out := scheduler.Queue{Vertices: next, Count: &count, Stamp: stamp, Iteration: i}
		err = gpu.Launch(1, 32, func(t gpu.Thread) { push(t, Widest{}, g, values, in, out) })
		frontier, next = next, frontier
	}
	fmt.Println("values", values[1:], err)
	// Output:
	// iteration 1 frontier [0] values [0 0]
	// iteration 2 frontier [1 2] values [2 7]
	// iteration 3 frontier [1] values [5 7]
	// values [5 7] <nil>
}

// A block adds up the numbers of its threads.
func ExampleReduce() {
	err := gpu.Launch(1, 64, func(t gpu.Thread) {
		sum := scheduler.Reduce(t, scheduler.BlockPerVertex{}, t.Idx(), 0, func(a, b uint32) uint32 { return a + b })
		if t.Idx() == 0 {
			fmt.Println(sum)
		}
	})
	fmt.Println(err)
	// Output:
	// 2016
	// <nil>
}
