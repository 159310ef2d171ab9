package catalog_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// TestThreadsOfGroups runs searches and others by each scheduler that works on groups, with kernels that wait for each other and
// kernels that store to other GPUs among them, on one thread and on several: all that the runs say is the same.
func TestThreadsOfGroups(t *testing.T) {
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	g := graphOf(t, "rmat:scale=8,degree=8,seed=3")
	source, _ := g.MaxDegreeVertex()
	for i, c := range []struct {
		algorithm, scheduler string
		params               map[string]string
	}{
		{"bfs", "bitmap", nil},
		{"parents", "bitmap", map[string]string{"direction": "push"}},
		{"bfs", "atos", nil},
		{"pagerank", "atos", nil},
		{"cc", "atos", map[string]string{"worker": "warp", "inbox": "32"}},
		{"cc", "union-find", nil},
		{"wcc", "union-find", map[string]string{"partition": "random"}},
		{"bfs", "multi", map[string]string{"transfer": "store"}},
		{"pagerank", "multi", map[string]string{"transfer": "peer", "overlap": "true"}},
		{"sssp", "multi", map[string]string{"loop": "device"}},
		{"sssp", "near-far", map[string]string{"one-block": "8"}},
	} {
		for gpus := 2; gpus <= 4; gpus += 2 {
			run := func(threads int) string {
				dev, err := sim.NewGroup(cfg, gpus, sim.Options{Seed: uint64(i), Threads: threads})
				require.NoError(t, err)
				res, err := catalog.Run(t.Context(), dev, catalog.Request{Algorithm: c.algorithm, Scheduler: c.scheduler, Graph: g, Source: source, Verify: true, Params: c.params})
				require.NoError(t, err, "%s by %s: %v", c.algorithm, c.scheduler, c.params)
				require.True(t, res.Verified, "%s by %s: %v", c.algorithm, c.scheduler, c.params)
				text, err := json.MarshalIndent([]any{fmt.Sprint(res.Values), dev.Total(), dev.Now(), dev.Links(), dev.RemoteUses()}, "", " ")
				require.NoError(t, err)
				require.NoError(t, dev.Close())
				return string(text)
			}
			want := run(1)
			for threads := 2; threads <= gpus; threads++ {
				require.Equal(t, want, run(-threads), "%s by %s, %v, on %d GPUs with %d threads", c.algorithm, c.scheduler, c.params, gpus, threads)
			}
		}
	}
}
