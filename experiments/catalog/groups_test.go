package catalog_test

import (
	"context"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/experiments/catalog"
	"github.com/weft-gpu/weft/internal/exec"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// openGroup opens n GPUs, "func" or "sim:preset", for one test.
func openGroup(t testing.TB, name string, n int) device.Group {
	t.Helper()
	if name == "func" {
		g, err := exec.NewGroup(n, exec.Options{})
		require.NoError(t, err)
		return g
	}
	machine, err := config.Load(name[len("sim:"):])
	require.NoError(t, err)
	g, err := sim.NewGroup(machine, n, sim.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	return g
}

// TestGroups runs each algorithm that several GPUs can run with every base and every exchange, on graphs of which one
// has fewer vertices than there are GPUs. The number of GPUs and the way of the values differ from case to case.
func TestGroups(t *testing.T) {
	ways := []map[string]string{{"transfer": "peer"}, {"transfer": "host"}, {"transfer": "store"}, {"transfer": "peer", "overlap": "true"}, {"transfer": "host", "overlap": "true"}}
	for name, counts := range map[string][]int{"func": {2, 3, 4, 8, 1}, "sim:tiny": {2, 4, 3}} {
		t.Run(name, func(t *testing.T) {
			at := 0
			for _, e := range catalog.Entries() {
				if !e.Scheduler.Groups {
					continue
				}
				for _, base := range []string{"warpseg", "thread", "warp", "push"} {
					for _, exchange := range []string{"all", "ms", "vr-offline", "vr-online"} {
						if name != "func" && base != "warpseg" && exchange != "vr-online" {
							continue
						}
						params := map[string]string{"base": base, "exchange": exchange, "block": "64"}
						maps.Copy(params, short[e.Algorithm.Name])
						if _, err := e.Parameters(params); err != nil {
							require.Contains(t, err.Error(), "cannot be pushed")
							continue
						}
						for _, g := range tiny(t) {
							at++
							way := maps.Clone(ways[at%len(ways)])
							if base == "push" {
								delete(way, "overlap")
							}
							delete(params, "overlap")
							maps.Copy(params, way)
							source, _ := g.MaxDegreeVertex()
							res, err := catalog.Run(context.Background(), openGroup(t, name, counts[at%len(counts)]), catalog.Request{
								Algorithm: e.Algorithm.Name, Scheduler: e.Scheduler.Name, Graph: g, Source: source, Verify: true, Params: params})
							require.NoError(t, err, "%s on %s, %d GPUs: %v", e.Name(), g.Name, counts[at%len(counts)], params)
							require.True(t, res.Verified, "%s on %s, %d GPUs, %v: %v", e.Name(), g.Name, counts[at%len(counts)], params, res.Mismatch)
						}
					}
				}
			}
			require.Positive(t, at)
		})
	}
}
