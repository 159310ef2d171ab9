package reference_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
)

// A path of three vertices. The answer to check has a wrong level at vertex 2.
func ExampleCheckBFS() {
	ctx := context.Background()
	g, _, err := graph.Open(ctx, "grid:width=3,height=1", graph.LoadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	levels, _ := reference.BFS(ctx, g, 0)
	fmt.Println(levels, reference.CheckBFS(ctx, g, 0, levels))

	err = reference.CheckBFS(ctx, g, 0, []uint32{0, 1, 1})
	var m *reference.Mismatch
	fmt.Println(errors.As(err, &m), err)
	// Output:
	// [0 1 2] <nil>
	// true bfs: vertex 2 has level 1, the reference level 2; 1 of 3 vertices is wrong
}
