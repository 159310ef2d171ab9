package exttest_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// TestExtremes sets each parameter to the ends of its range: the machine is rejected with a reason, or it runs and the
// answer is right, or the launch is reported not to fit. (Package catalog verifies the answer.)
func TestExtremes(t *testing.T) {
	g := graphOf(t, "rmat:scale=6,degree=8,seed=3")
	for _, preset := range []string{"tiny", "h200"} {
		refused := 0
		for _, p := range config.Parameters() {
			if p.Min == 0 && p.Max == 0 || large(p.Path) {
				continue
			}
			for _, v := range []float64{p.Min, p.Max} {
				text := strconv.FormatFloat(v, 'f', -1, 64)
				cfg, err := config.Load(preset)
				require.NoError(t, err)
				require.NoError(t, cfg.Set(p.Path, text))
				name := fmt.Sprintf("%s with %s=%s", preset, p.Path, text)
				d, err := sim.New(cfg, sim.Options{Seed: 1})
				if err != nil {
					assert.ErrorContains(t, err, "machine "+preset, name)
					refused++
					continue
				}
				assert.NotPanics(t, func() { err = attempt(d, g) }, name)
				var arg *device.ArgError
				if err != nil && !errors.As(err, &arg) {
					assert.ErrorContains(t, err, "does not fit", name)
				}
				require.NoError(t, d.Close())
			}
		}
		assert.Positive(t, refused, preset)
	}
}

// large reports whether the largest value of a parameter needs gigabytes of host memory.
func large(path string) bool {
	return path == "sm.count" || path == "l2.bytes" || path == "dram.capacity"
}

// attempt runs BFS with the scheme warp and verifies its answer.
func attempt(d device.Device, g *graph.CSR) error {
	source, _ := g.MaxDegreeVertex()
	res, err := catalog.Run(context.Background(), d, catalog.Request{Algorithm: "bfs", Scheduler: "warp", Graph: g, Source: source, Verify: true})
	if err == nil && !res.Verified {
		return fmt.Errorf("a wrong answer: %v", res.Mismatch)
	}
	return err
}
