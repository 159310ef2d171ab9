package sim_test

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// Simulate breadth-first search on a small machine with one parameter changed, and read a counter.
func Example() {
	cfg, err := config.Load("tiny")
	if err != nil {
		panic(err)
	}
	if err := cfg.Set("l2.latency", "300"); err != nil {
		panic(err)
	}
	d, err := sim.New(cfg, sim.Options{Seed: 1})
	if err != nil {
		panic(err)
	}
	defer d.Close()
	ctx := context.Background()
	g, _, err := graph.Open(ctx, "rmat:scale=6,degree=4,seed=1", graph.LoadOptions{})
	if err != nil {
		panic(err)
	}
	res, err := catalog.Run(ctx, d, catalog.Request{Algorithm: "bfs", Scheduler: "warp", Graph: g, Verify: true})
	if err != nil {
		panic(err)
	}
	sectors, ok := res.Report.Counter("lts__t_sectors_op_read.sum")
	fmt.Println(d.Name(), "verified:", res.Verified)
	fmt.Println("cycles:", res.Report.Cycles > 0, "sectors read from the L2:", ok && sectors > 0)
	// Output:
	// sim:tiny verified: true
	// cycles: true sectors read from the L2: true
}
