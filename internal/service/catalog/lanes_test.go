package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// parting returns a machine on which the lanes of a warp part at every backward branch and poll, as they may since Volta, and meet others wherever these are:
// in another iteration of the same loop, too.
func parting(t *testing.T) *config.GPU {
	t.Helper()
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	for name, value := range map[string]string{"sm.divergence": "its", "issue.patience": "1", "issue.yield": "1"} {
		require.NoError(t, cfg.Set(name, value))
	}
	return cfg
}

// TestLanesMeetAnywhere checks that no kernel relies on which lanes of a warp execute together: that they have the same counter, or are in the same
// iteration of a loop. A kernel that does gives two lanes one place in a list, which is a race, and leaves another place empty.
func TestLanesMeetAnywhere(t *testing.T) {
	one := func(races *device.Races) device.Device {
		d, err := sim.New(parting(t), sim.Options{Races: races, Strict: true})
		require.NoError(t, err)
		return d
	}
	const spec = "rmat:scale=5,degree=6,seed=3"
	for _, e := range catalog.Entries() {
		t.Run(e.Name(), func(t *testing.T) {
			noRaces(t, one, spec, catalog.Request{Algorithm: e.Algorithm.Name, Scheduler: e.Scheduler.Name, Params: short[e.Algorithm.Name], Verify: true})
		})
	}
	for _, p := range persistent {
		noRaces(t, one, spec, catalog.Request{Algorithm: p.algorithm, Scheduler: p.scheduler, Params: p.params, Verify: true})
	}
	group := func(races *device.Races) device.Device {
		g, err := sim.NewGroup(parting(t), 4, sim.Options{Races: races, Strict: true})
		require.NoError(t, err)
		return g
	}
	// Each list has a case for each of these graphs, one after the other; here all have the same.
	for every, cases := range map[int][]groupCase{7 * len(tiny(t)): groupCases(t, false, true), 2 * len(tiny(t)): deviceLoops(t), 5: queueCases(t, 1)} {
		for i, c := range cases {
			if i%every == 0 {
				noRaces(t, group, spec, catalog.Request{Algorithm: c.entry.Algorithm.Name, Scheduler: c.entry.Scheduler.Name, Params: c.params, Verify: true})
			}
		}
	}
}
