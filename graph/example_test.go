package graph_test

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/graph"
)

// A generator stands wherever a file does, and the notes tell what was done.
func ExampleOpen() {
	g, notes, err := graph.Open(context.Background(), "grid:width=3,height=2", graph.LoadOptions{Weights: graph.WeightsAlways})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Vertices(), "vertices,", g.Arcs(), "arcs; vertex 4:", g.Neighbors(4), g.Weights(4))
	for _, n := range notes {
		fmt.Println(n)
	}
	// Output:
	// 6 vertices, 14 arcs; vertex 4: [1 3 5] [25 42 8]
	// generated: grid:width=3,height=2 (7 edges)
	// undirected: each edge is stored as two arcs
	// weights are assigned: 1 + the top 6 bits of the first output of splitmix64 seeded with min(u,v)*2^32 + max(u,v), so 1 to 64, the same for u-v and v-u
}
