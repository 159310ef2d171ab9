package catalog_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/scheduler"
)

// TestRemoteByCause checks that the bytes that GPUs moved between them, by cause, are in sum what the links between them have carried, and that all are of a cause
// that the scheme names. On func they are those of the accesses; then values and sets of vertices are what the scheme says that it sent.
func TestRemoteByCause(t *testing.T) {
	g := graphOf(t, "rmat:scale=8,degree=6,seed=3")
	source, _ := g.MaxDegreeVertex()
	for _, group := range []struct {
		name string
		gpus int
	}{{"func", 2}, {"func", 3}, {"sim:tiny", 2}} {
		for _, c := range []struct {
			algorithm, scheme string
			params            map[string]string
			some              []scheduler.Cause // of which there are bytes
		}{
			{"bfs", "multi", map[string]string{"loop": "device"}, []scheduler.Cause{scheduler.ForValues, scheduler.ForFrontier, scheduler.ForCounters, scheduler.ForBarriers}},
			{"sssp", "multi", map[string]string{"loop": "device"}, []scheduler.Cause{scheduler.ForValues, scheduler.ForCounters, scheduler.ForBarriers}},
			{"pagerank", "multi", map[string]string{"loop": "device", "direction": "pull", "exchange": "all"}, []scheduler.Cause{scheduler.ForValues, scheduler.ForCounters, scheduler.ForBarriers}},
			{"pagerank", "multi", map[string]string{"loop": "device", "direction": "pull", "exchange": "vr-online"}, []scheduler.Cause{scheduler.ForValues, scheduler.ForCounters, scheduler.ForBarriers}},
			{"bfs", "multi", map[string]string{"exchange": "all"}, []scheduler.Cause{scheduler.ForValues}},
			{"bfs", "multi", map[string]string{"exchange": "ms", "transfer": "store"}, []scheduler.Cause{scheduler.ForValues}},
			{"sssp", "multi", map[string]string{"base": "push"}, []scheduler.Cause{scheduler.ForValues}},
			{"scc", "multi", nil, []scheduler.Cause{scheduler.ForValues}},
			{"sssp", "atos", nil, []scheduler.Cause{scheduler.ForValues, scheduler.ForCounters}},
			{"parents", "atos", map[string]string{"inbox": "1"}, []scheduler.Cause{scheduler.ForValues, scheduler.ForCounters}},
			{"bfs", "bitmap", map[string]string{"block": "32", "one-block": "0", "blocks": "1", "direction": "push"}, []scheduler.Cause{scheduler.ForFrontier, scheduler.ForCounters, scheduler.ForBarriers}}, // levels are alike
			{"parents", "bitmap", map[string]string{"block": "32", "one-block": "0", "pull-above": "0.1"}, []scheduler.Cause{scheduler.ForValues, scheduler.ForFrontier, scheduler.ForCounters, scheduler.ForBarriers}},
			{"sssp", "near-far", map[string]string{"block": "32", "one-block": "8"}, []scheduler.Cause{scheduler.ForValues, scheduler.ForCounters, scheduler.ForBarriers}},
			{"cc", "union-find", map[string]string{"skip": "always", "fusion": "none"}, []scheduler.Cause{scheduler.ForValues, scheduler.ForCounters}},
			{"cc", "union-find", nil, []scheduler.Cause{scheduler.ForValues, scheduler.ForFrontier, scheduler.ForCounters, scheduler.ForBarriers}},
		} {
			params := maps.Clone(c.params)
			dev := openGroup(t, group.name, group.gpus, nil)
			res, err := catalog.Run(t.Context(), dev, catalog.Request{Algorithm: c.algorithm, Scheduler: c.scheme, Graph: g, Source: source, Verify: true, Params: params})
			require.NoError(t, err)
			require.True(t, res.Verified, "%v", res.Mismatch)
			carried, sum, by := uint64(0), uint64(0), map[scheduler.Cause]uint64{}
			for _, l := range dev.Links() {
				if strings.HasPrefix(l.From, "GPU") && (l.Kind == "" || strings.HasPrefix(l.Kind, "NVLink")) {
					carried += l.Bytes
				}
			}
			var some []scheduler.Cause
			for _, u := range res.Communication.Remote {
				if by[u.Cause] = u.Bytes; u.Bytes > 0 {
					some = append(some, u.Cause)
				}
				sum += u.Bytes
			}
			what := []any{"%s by %s on %sx%d, %v", c.algorithm, c.scheme, group.name, group.gpus, c.params}
			require.Equal(t, carried, sum, what...)
			require.Equal(t, c.some, some, what...)
			pairs := uint64(group.gpus * (group.gpus - 1))
			if group.name == "func" && c.params["fusion"] != "none" {
				require.Equal(t, res.Communication.Bytes(), by[scheduler.ForValues]+by[scheduler.ForFrontier], what...)
			}
			if group.name == "func" && c.params["direction"] == "pull" {
				// There is a barrier first and one in each iteration, and a word for each other GPU says how many values have changed.
				require.Equal(t, 4*pairs*uint64(res.Iterations+1), by[scheduler.ForBarriers], what...)
				require.Equal(t, 4*pairs*uint64(res.Iterations), by[scheduler.ForCounters], what...)
			}
			require.NoError(t, dev.Close())
		}
	}
}
