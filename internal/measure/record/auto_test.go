package record

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestRecordsWhatAutoChooses checks that a record has every pair by its default parameters, and the choices of auto that
// have others.
func TestRecordsWhatAutoChooses(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "grid:width=30,keep=1", graph.LoadOptions{})
	require.NoError(t, err)
	list, err := toMeasure(t.Context(), g)
	require.NoError(t, err)
	pairs := len(catalog.Entries())
	require.Greater(t, len(list), pairs)
	for i, m := range list {
		assert.Equal(t, i >= pairs, len(m.params) > 0)
		e, err := catalog.Resolve(t.Context(), m.Algorithm, catalog.Auto, g, 1)
		require.NoError(t, err)
		if i >= pairs {
			assert.Equal(t, e.Scheduler.Name, m.Scheduler)
			assert.Equal(t, e.Chosen.Params, m.params)
		}
	}
}
