package graph_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/graph"
)

// A generator's specification is accepted wherever a file is. The notes say what was done.
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

// Read loads a graph from any reader; here a SNAP edge list whose ids have gaps.
func ExampleRead() {
	text := "# a path\n10 20\n20 30\n30 10\n"
	g, _, err := graph.Read(context.Background(), "path.txt", strings.NewReader(text), int64(len(text)), graph.LoadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("rows", g.Row, "columns", g.Col)
	v, _ := g.VertexOf(20)
	fmt.Println("vertex", v, "has id", g.FileID(v), "and neighbors", g.Neighbors(v))
	// Output:
	// rows [0 1 2 3] columns [1 2 0]
	// vertex 1 has id 20 and neighbors [2]
}

// A graph built by hand: 0 -> 1, 0 -> 2 and 1 -> 2.
func ExampleCSR() {
	g := &graph.CSR{Name: "triangle", Row: []uint64{0, 2, 3, 3}, Col: []uint32{1, 2, 2}}
	if err := g.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	both, err := g.Symmetrize(context.Background())
	fmt.Println(g.Degree(0), g.Neighbors(2), both.Neighbors(2), err)
	// Output: 2 [] [0 1] <nil>
}

// Duplicate arcs are merged, and the notes say so.
func ExampleFromEdges() {
	arcs := []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 0, To: 1}}
	g, notes, err := graph.FromEdges(context.Background(), "path", 3, arcs, graph.LoadOptions{Symmetrize: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Row, g.Col, g.Symmetric)
	fmt.Println(notes.Count(graph.NoteDuplicates), "duplicate")
	// Output:
	// [0 1 3 4] [1 0 2 1] true
	// 1 duplicate
}
