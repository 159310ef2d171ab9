package profile_test

import (
	"context"
	"fmt"
	"path"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/profile"
)

// Profile breadth-first search on a small machine: find the source line at which warps spend the most cycles, and the
// address on which atomics contend most.
func Example() {
	cfg, err := config.Load("tiny")
	if err != nil {
		panic(err)
	}
	p := profile.New(0)
	d, err := sim.New(cfg, sim.Options{Profile: p})
	if err != nil {
		panic(err)
	}
	defer d.Close()
	ctx := context.Background()
	g, _, err := graph.Open(ctx, "rmat:scale=8,degree=8,seed=1", graph.LoadOptions{})
	if err != nil {
		panic(err)
	}
	source, _ := g.MaxDegreeVertex()
	if _, err := catalog.Run(ctx, d, catalog.Request{Algorithm: "bfs", Scheduler: "warp", Graph: g, Source: source}); err != nil {
		panic(err)
	}
	for _, k := range p.Kernels {
		lines := k.Lines()
		top := lines[0]
		for _, l := range lines {
			if l.Cycles() > top.Cycles() {
				top = l
			}
		}
		fmt.Println(k.Name, path.Base(top.File))
	}
	a := p.Addresses(1)[0]
	fmt.Printf("most contended: %s[%d]\n", a.Buffer, a.Index)
	// Output:
	// scheduler.Init[kernels.BFS, uint32] init.go
	// bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32] combine.go
	// most contended: queue.Count[0]
}
