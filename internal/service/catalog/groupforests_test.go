package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestForestsOfGroups checks answers of union-find with a launch for each step on groups of 2, 3, 4 and 8 GPUs, with and without the largest component and tiles, on graphs of
// which one has fewer vertices than there are GPUs.
func TestForestsOfGroups(t *testing.T) {
	runs := 0
	for _, name := range []string{"func", "sim:tiny"} {
		for _, algorithm := range []string{"cc", "wcc"} {
			for i, g := range tiny(t) {
				for k, gpus := range []int{2, 3, 4, 8} {
					params := []map[string]string{{"skip": "always"}, {"skip": "never"}, {"skip": "never", "tile": "0"}, {"skip": "always", "rounds": "1"}}[(i+k)%4]
					params["fusion"] = "none"
					dev := openGroup(t, name, gpus, nil)
					res, err := catalog.Run(t.Context(), dev, catalog.Request{Algorithm: algorithm, Scheduler: "union-find", Graph: g, Verify: true, Params: params})
					require.NoError(t, err)
					require.True(t, res.Verified, "%s on %s, %d GPUs of %s, %v: %v", algorithm, g.Name, gpus, name, params, res.Mismatch)
					require.NoError(t, dev.Close())
					runs++
				}
			}
		}
	}
	t.Logf("%d runs with right answers", runs)
}
