package policy_test

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/policy"
)

// evictions counts the lines that all caches have evicted.
var evictions int

// mostRecent is a replacement policy: it evicts the most recently used line of a set.
type mostRecent struct{ last []int } // by set

func (m *mostRecent) Reset(sets, _ int)         { m.last = make([]int, sets) }
func (m *mostRecent) Used(set, way int, _ bool) { m.last[set] = way }
func (m *mostRecent) Victim(set int) int        { evictions++; return m.last[set] }

func init() {
	policy.RegisterReplacement("most-recent", func(uint64) policy.Replacement { return &mostRecent{} })
}

// A program registers its own L1 replacement policy and selects it by its name. On the command line of a program that
// imports this package, the same is --set l1.replacement=most-recent.
func Example() {
	cfg, err := config.Load("tiny")
	if err != nil {
		panic(err)
	}
	if err := cfg.Set("l1.replacement", "most-recent"); err != nil {
		panic(err)
	}
	d, err := sim.New(cfg, sim.Options{})
	if err != nil {
		panic(err)
	}
	defer d.Close()
	ctx := context.Background()
	g, _, err := graph.Open(ctx, "rmat:scale=9,degree=8,seed=1", graph.LoadOptions{})
	if err != nil {
		panic(err)
	}
	res, err := catalog.Run(ctx, d, catalog.Request{Algorithm: "bfs", Scheduler: "warp", Graph: g, Verify: true})
	if err != nil {
		panic(err)
	}
	fmt.Println("answer verified:", res.Verified)
	fmt.Println("evicted lines:", evictions > 0)
	// Output:
	// answer verified: true
	// evicted lines: true
}

// The built-in warp schedulers and those registered by the program can be selected by issue.scheduler.
func ExampleWarpSchedulers() {
	fmt.Println(policy.WarpSchedulers())
	// Output:
	// [gto lrr oldest random]
}
