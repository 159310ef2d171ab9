package adopt_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/examples/adopt"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/scheduler"
)

// TestAdoption runs the algorithm under every scheme that can pull it, and compares it with
// the reference.
func TestAdoption(t *testing.T) {
	c, err := catalog.New(catalog.Extensions{Algorithms: []func() scheduler.Host{adopt.New}})
	require.NoError(t, err)
	g, _, err := graph.Open(t.Context(), "rmat:scale=8,degree=8,seed=1", graph.LoadOptions{})
	require.NoError(t, err)
	ran := 0
	for _, s := range c.Schedulers() {
		if _, err := c.Lookup("adoption", s.Name); err != nil {
			assert.Regexp(t, "adopt.Adoption (cannot be pushed|has no method (Spreads|Triangles|Reaches|Strong))", err.Error(), s.Name)
			continue
		}
		for _, name := range []string{"func", "sim:tiny"} {
			spec, err := devices.New(name, devices.Options{Seed: 1})
			require.NoError(t, err)
			dev, err := spec.Open(t.Context(), devices.Watch{})
			require.NoError(t, err)
			r, err := c.Run(t.Context(), dev, catalog.Request{Algorithm: "adoption", Scheduler: s.Name, Graph: g, Verify: true, Params: map[string]string{"k": "2"}})
			require.NoError(t, err)
			require.NoError(t, r.Mismatch)
			assert.True(t, r.Verified)
			assert.Greater(t, r.Iterations, 2)
			require.NoError(t, dev.Close())
			ran++
		}
	}
	assert.GreaterOrEqual(t, ran, 6)
}
