package catalog_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// noRaces runs a request on a device that looks for races, and requires that the source allows all that there are.
func noRaces(t *testing.T, open func(races *device.Races) device.Device, spec string, q catalog.Request) {
	t.Helper()
	races := device.NewRaces()
	d := open(races)
	q.Graph, q.Params = graphOf(t, spec), maps.Clone(q.Params)
	q.Source, _ = q.Graph.MaxDegreeVertex()
	_, err := catalog.Run(t.Context(), d, q)
	require.NoError(t, err)
	require.NoError(t, d.Close())
	for _, r := range races.List() {
		assert.NotEmpty(t, r.Racy, "%s by %s %v: %s", q.Algorithm, q.Scheduler, q.Params, &r)
	}
}

func racesOnFunc(races *device.Races) device.Device {
	return function.New(function.Options{Races: races})
}

// TestNoRacesOnFunc checks that no pair of algorithm and scheduler has a race that its source does not allow.
func TestNoRacesOnFunc(t *testing.T) {
	for _, e := range catalog.Entries() {
		t.Run(e.Name(), func(t *testing.T) {
			noRaces(t, racesOnFunc, "rmat:scale=5,degree=6,seed=3", catalog.Request{
				Algorithm: e.Algorithm.Name, Scheduler: e.Scheduler.Name, Params: short[e.Algorithm.Name]})
		})
	}
}

// TestNoRacesInPersistentKernels is TestNoRacesOnFunc for persistent kernels with several parameters, whose threads
// order their accesses by flags and fences, also on a simulated machine, whose warps run at the same time.
func TestNoRacesInPersistentKernels(t *testing.T) {
	onSim := func(races *device.Races) device.Device {
		cfg, err := config.Load("tiny")
		require.NoError(t, err)
		cfg.VarySchedules()
		d, err := sim.New(cfg, sim.Options{Races: races, Seed: 1})
		require.NoError(t, err)
		return d
	}
	for _, p := range persistent {
		q := catalog.Request{Algorithm: p.algorithm, Scheduler: p.scheduler, Params: p.params}
		t.Run(strings.Join([]string{p.algorithm, p.scheduler, p.params["worker"]}, "/"), func(t *testing.T) {
			if p.algorithm != "pagerank" || p.scheduler != "atos" { // its warps look for tasks all the time
				noRaces(t, racesOnFunc, "grid:width=7,keep=0.8,seed=2", q)
			}
			noRaces(t, onSim, "rmat:scale=5,degree=6,seed=3", q)
		})
	}
}
