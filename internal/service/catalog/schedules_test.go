package catalog_test

import (
	"maps"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// persistent are the pairs with parameters whose kernels wait for other blocks: they must end, with the right answer,
// whatever the schedule; and those whose blocks have barriers that threads reach by different ways. All pairs with default parameters are tested with fewer schedules.
var persistent = []struct {
	algorithm, scheduler string
	params               map[string]string
}{
	{"bfs", "atos", map[string]string{"worker": "thread"}},
	{"bfs", "atos", map[string]string{"worker": "warp", "fetch": "1"}},
	{"bfs", "atos", map[string]string{"worker": "block"}},
	{"sssp", "atos", map[string]string{"worker": "warp"}},
	{"sssp", "atos", map[string]string{"worker": "block", "merge": "false"}},
	{"pagerank", "atos", map[string]string{"worker": "warp"}},
	{"cc", "atos", map[string]string{"worker": "block", "blocks": "3"}},
	{"pagerank", "atos", map[string]string{"worker": "block", "check": "32"}},
	{"colouring", "atos", map[string]string{"worker": "warp"}},
	{"colouring", "atos", map[string]string{"worker": "block", "block": "64"}},
	{"bfs", "simdx", map[string]string{"fusion": "all", "block": "64"}},
	{"sssp", "simdx", map[string]string{"fusion": "push-pull", "block": "64", "one-block": "0"}},
	{"scc", "simdx", map[string]string{"fusion": "push-pull", "block": "64", "bin": "2", "block-list": "0"}},
	{"bc", "simdx", map[string]string{"fusion": "all", "block": "64", "bin": "2", "block-list": "0"}},
	{"pagerank", "simdx", map[string]string{"fusion": "all", "block": "64", "barrier-kind": "locks"}},
	{"kcore", "simdx", map[string]string{"fusion": "all", "block": "64", "direction": "both", "pull-above": "0.1"}},
	{"sssp", "simdx", map[string]string{"filter": "khorasani", "block": "64", "direction": "both", "pull-above": "0.1"}},
	{"bfs", "simdx", map[string]string{"filter": "atomic", "block": "64", "direction": "push"}},
	{"bp", "simdx", map[string]string{"block": "64", "direction": "push"}},
	{"scc", "forward-backward", map[string]string{"block": "64", "one-block-arcs": "0"}},
	{"scc", "forward-backward", map[string]string{"block": "64", "pivot": "never", "one-block-arcs": "0", "sweeps": "1"}},
	{"scc", "forward-backward", map[string]string{"block": "64", "blocks": "3", "one-block": "0", "pull-above": "0", "push-below": "0"}},
	{"sssp", "wolf", map[string]string{"order": "file", "edges-per-block": "64"}},
	{"cc", "wolf", map[string]string{"order": "file", "edges": "all", "variant": "direct", "edges-per-block": "50"}},
	{"pagerank", "wolf", map[string]string{"edges": "all", "destinations-per-block": "9", "block": "64"}},
	{"sssp", "hierq", map[string]string{"levels": "block", "block-length": "5", "one-block": "0", "full": "flush", "block": "64"}},
	{"pagerank", "hierq", map[string]string{"warp-length": "2", "block-length": "5", "one-block": "0", "full": "flush", "block": "64"}},
	{"cc", "hierq", map[string]string{"warp-length": "2", "block-length": "9", "one-block": "0", "full": "flush", "warp-to": "global", "block": "64"}},
	{"sssp", "hierq", map[string]string{"warp-length": "4", "block-length": "16", "one-block": "8", "warp-to": "global", "block": "64"}},
	{"sssp", "hierq", map[string]string{"levels": "block", "block-length": "9", "one-block": "0", "reserve": "warp", "block": "64"}},
	{"cc", "hierq", map[string]string{"levels": "block", "block-length": "9", "one-block": "0", "registers": "4", "block": "64"}},
	{"pagerank", "hierq", map[string]string{"levels": "block", "block-length": "9", "one-block": "0", "reserve": "warp", "registers": "4", "block": "64"}},
	{"sssp", "hierq", map[string]string{"levels": "block", "block-length": "9", "one-block": "0", "reserve": "warp", "registers": "8", "block": "64"}},
}

// schedules returns how many seeded schedules to test: 20, or as many as WEFT_SCHEDULES says ("make test-schedules").
func schedules(t *testing.T) int {
	t.Helper()
	text, set := os.LookupEnv("WEFT_SCHEDULES")
	if !set || text == "" {
		if testing.Short() {
			return 4
		}
		return 20
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, "WEFT_SCHEDULES")
	require.Positive(t, n, "WEFT_SCHEDULES")
	return n
}

// scheduled are small graphs of different shapes: a long path of levels, a few hubs, a star with many ties, and parts
// that are not connected, and arcs of one direction.
var scheduled = []string{"grid:width=7,keep=0.8,seed=2", "rmat:scale=6,degree=8,seed=3", "rmat:scale=5,degree=16,a=0.9,b=0.04,c=0.04,seed=1", "smallworld:n=60,degree=4,rewire=0.2,seed=5",
	"rmat:scale=6,degree=4,directed=true,seed=2"}

// TestSchedules runs persistent kernels on a simulated machine under seeded schedules: blocks go to any SM and start at
// any time, any ready warp issues, and messages overtake each other. Each run must end, and its answer must be right.
func TestSchedules(t *testing.T) {
	n := schedules(t)
	for _, p := range persistent {
		t.Run(strings.Join([]string{p.algorithm, p.scheduler, p.params["worker"]}, "/"), func(t *testing.T) {
			for seed := range n {
				onSchedule(t, uint64(seed), catalog.Request{Algorithm: p.algorithm, Scheduler: p.scheduler, Params: p.params})
			}
		})
	}
	for _, e := range catalog.Entries() {
		t.Run("default/"+e.Algorithm.Name+"/"+e.Scheduler.Name, func(t *testing.T) {
			for seed := range max(n/20, 1) {
				onSchedule(t, uint64(seed), catalog.Request{Algorithm: e.Algorithm.Name, Scheduler: e.Scheduler.Name})
			}
		})
	}
}

// onSchedule runs a request under the schedule of a seed.
func onSchedule(t *testing.T, seed uint64, q catalog.Request) {
	t.Helper()
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	cfg.VarySchedules()
	d, err := sim.New(cfg, sim.Options{Seed: seed, Budget: 50_000_000})
	require.NoError(t, err)
	g, _, err := graph.Open(t.Context(), scheduled[seed%uint64(len(scheduled))], graph.LoadOptions{})
	require.NoError(t, err)
	q.Graph, q.Params, q.Verify = g, maps.Clone(q.Params), true
	q.Source, _ = g.MaxDegreeVertex()
	res, err := catalog.Run(t.Context(), d, q)
	require.NoError(t, err, "%s by %s %v, seed %d on %s", q.Algorithm, q.Scheduler, q.Params, seed, g.Name)
	require.NoError(t, res.Mismatch, "%s by %s %v, seed %d on %s", q.Algorithm, q.Scheduler, q.Params, seed, g.Name)
	require.Equal(t, res.Reference, res.Verified, "%s by %s", q.Algorithm, q.Scheduler)
	require.NoError(t, d.Close())
}
