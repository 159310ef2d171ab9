package catalog_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// Run breadth-first search with one warp per vertex on a small simulated GPU, and verify the answer.
func ExampleRun() {
	cfg, err := config.Load("tiny")
	if err != nil {
		panic(err)
	}
	dev, err := sim.New(cfg, sim.Options{Seed: 1})
	if err != nil {
		panic(err)
	}
	defer dev.Close()
	ctx := context.Background()
	g, _, err := graph.Open(ctx, "grid:width=4", graph.LoadOptions{})
	if err != nil {
		panic(err)
	}
	res, err := catalog.Run(ctx, dev, catalog.Request{Algorithm: "bfs", Scheduler: "warp", Graph: g, Source: 0, Verify: true})
	if err != nil {
		panic(err)
	}
	fmt.Println("verified:", res.Verified)
	fmt.Println("levels:", res.Values)
	// Output:
	// verified: true
	// levels: [0 1 2 3 1 2 3 4 2 3 4 5 3 4 5 6]
}

// Lookup says which schemes support an algorithm if the given one does not exist.
func ExampleLookup() {
	_, err := catalog.Lookup("bfs", "wrap")
	known, _, _ := strings.Cut(err.Error(), "block-queue")
	fmt.Println(known + "...")
	// Output:
	// unknown scheduler "wrap"; there are: atos, balanced, bitmap, block, ...
}
