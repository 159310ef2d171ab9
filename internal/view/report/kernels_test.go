package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/internal/service/bound"
	"github.com/weft-gpu/weft/internal/service/run"
)

// TestKernels holds the form of what is said of kernels: at most three, those with
// little of the time left out, and what bounds the run if no kernel does.
func TestKernels(t *testing.T) {
	half := 0.5
	launches := &bound.Bound{Kind: bound.Launches, Text: "launches: kernels run for 9.8% of the algorithm time"}
	list := []bound.Kernel{
		{Name: "a.First", Launches: 1200, Share: 0.6, Grid: bound.Range{Least: 1, Most: 1024}, Block: bound.Range{Least: 256, Most: 256}, Registers: 40, Estimated: true,
			SharedBytes: 4104, Occupancy: &bound.Occupancy{Blocks: 6, Warps: 48, MaxWarps: 64, Limit: "registers", Active: &half},
			Stalls: []bound.Stall{{Name: "long_scoreboard", Share: 0.9, What: "memory"}, {Name: "wait", Share: 0.009, What: "a result"}},
			Bound:  &bound.Bound{Kind: bound.Latency, Text: "latency: no unit"}},
		{Name: "a.Second", Launches: 1, Share: 0.2, Grid: bound.Range{Least: 1, Most: 1}, Block: bound.Range{Least: 32, Most: 32},
			Occupancy: &bound.Occupancy{Blocks: 1, Warps: 1, MaxWarps: 64, Limit: "the driver's calculation"}},
		{Name: "a.Third", Launches: 1, Share: 0.1}, {Name: "a.Fourth", Launches: 1, Share: 0.1},
	}
	text := func(r *run.Work) string {
		var out strings.Builder
		Kernels(&out, r)
		return out.String()
	}
	assert.Equal(t, `
kernel     a.First
           1,200 launches, 60.0% of the GPU time
launched   256 threads per block, 1 to 1,024 blocks, 40 registers per thread (estimated), 4,104 bytes of shared memory per block
occupancy  6 blocks, 48 of 64 warps per SM, limited by registers; 50.0% resident on average
stalls      90.0%  long_scoreboard: memory
bound by   latency: no unit

kernel     a.Second
           1 launch, 20.0% of the GPU time
launched   32 threads per block, 1 block, no shared memory
occupancy  1 block, 1 of 64 warps per SM, by the driver's calculation

the run    bound by launches: kernels run for 9.8% of the algorithm time
`, text(&run.Work{Cycles: 1, Kernels: list[:2], Bound: launches}))

	all := text(&run.Work{Kernels: list, Bound: list[0].Bound})
	assert.Contains(t, all, "a.Third\n")
	assert.NotContains(t, all, "a.Fourth", "three at most")
	assert.NotContains(t, all, "the run", "the first kernel says it")
	assert.Contains(t, all, "60.0% of the warp instructions\n", "of a device without a clock")
	list[1].Share = 0.04
	assert.NotContains(t, text(&run.Work{Kernels: list}), "a.Second", "less than 5%")
	list[0].Share = 0.01
	assert.Contains(t, text(&run.Work{Kernels: list[:1]}), "a.First", "the first is always shown")
	assert.Empty(t, text(&run.Work{}))
}
