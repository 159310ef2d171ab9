package bench

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/scheduler"
)

func TestMedian(t *testing.T) {
	assert.Equal(t, 2.0, Median([]float64{3, 1, 2}))
	assert.Equal(t, 2.5, Median([]float64{4, 1, 2, 3}))
	assert.Zero(t, Median(nil))
}

// TestCompiled compiles some of the kernels of the benchmark of the compiler.
func TestCompiled(t *testing.T) {
	rate, err := compiled(t.Context(), catalog.EntryPoints()[:2])
	require.NoError(t, err)
	assert.Positive(t, rate)
	_, err = compiled(t.Context(), []scheduler.EntryPoint{{Name: "kernels.Nothing"}})
	assert.Error(t, err)
}

func TestCosts(t *testing.T) {
	run := func(g string, limit, cost float64) SimSpeed {
		return SimSpeed{Algorithm: "bfs", Scheduler: "warp", Graph: g, Limit: limit, PerInst: cost}
	}
	got := costs([]SimSpeed{run("a", 1, 500), run("a", 10, 300), run("a", 100, 400), run("b", 1, 7), run("c", 1, 2), run("c", 10, 3)})
	assert.Equal(t, []CostBySize{{"bfs", "warp", "", "a", 300, 500}, {"bfs", "warp", "", "c", 2, 3}}, got)
	assert.Empty(t, costs(nil))

	// Runs that the host's clock of CPU time did not see have no cost.
	assert.Equal(t, []CostBySize{{"bfs", "warp", "", "a", 300, 400}}, costs([]SimSpeed{run("a", 1, 0), run("a", 10, 300), run("a", 100, 400)}))
	assert.Empty(t, costs([]SimSpeed{run("a", 1, 0), run("a", 10, 300)}))
	assert.Empty(t, costs([]SimSpeed{run("a", 1, 0), run("a", 10, 0)}))
}

// TestCostsAreTold checks the lines below the table.
func TestCostsAreTold(t *testing.T) {
	var b strings.Builder
	r := SimReport{Device: "sim:tiny", Costs: []CostBySize{{"bfs", "warp", "", "a", 300, 400}, {"", "", "internal/kernels/micro.TiledProduct", "512 rows", 2, 5}}}
	r.Text(&b)
	assert.Contains(t, b.String(), "\nbfs warp on a: 300 to 400 ns an instruction, +33%\nmicro.TiledProduct on 512 rows: 2.00 to 5.00 ns an instruction, +150%\n\nsim:tiny; warp instructions")
}
