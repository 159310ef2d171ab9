package catalog_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestPullsHaveNoAtomics checks that kernels which pull write values by plain stores: their only atomics are on counters,
// and on the words of the global barrier.
func TestPullsHaveNoAtomics(t *testing.T) {
	c, err := catalog.Kernels()
	require.NoError(t, err)
	fused := []string{"m.Counts", "m.Locks", "m.Status"}
	for name, counters := range map[string][]string{
		"bsp.Pull[kernels.BFS, scheduler.ThreadPerVertex, uint32]":             {"changed"},
		"bsp.Pull[kernels.SSSP, scheduler.WarpPerVertex, uint32]":              {"changed"},
		"bsp.Pull[kernels.PageRankPull, scheduler.BlockPerVertex, float32]":    {"changed"},
		"vwc.Pull[kernels.SSSP, vwc.Lanes8, uint32]":                           {"changed"},
		"warpseg.Pull[kernels.BFS, uint32]":                                    {"changed"},
		"warpseg.Pull[kernels.PageRankPull, float32]":                          {"changed"},
		"simdx.Pull[kernels.BFS, uint32]":                                      fused,
		"simdx.Pull[kernels.SSSP, uint32]":                                     fused,
		"simdx.Pull[kernels.PageRankPull, float32]":                            fused,
		"simdx.Gather[kernels.BFS, scheduler.ThreadPerVertex, uint32]":         {"m.Counts"},
		"simdx.Gather[kernels.SSSP, scheduler.BlockPerVertex, uint32]":         {"m.Counts"},
		"simdx.Gather[kernels.PageRankPull, scheduler.WarpPerVertex, float32]": {"m.Counts"},
	} {
		k, err := c.Kernel(t.Context(), name, nil)
		require.NoError(t, err)
		p := ir.Compiled(k).Program
		counts, stores := 0, 0
		for pc := range p.Code {
			in := &p.Code[pc]
			switch {
			case in.Op.Action() == ir.ActAtomic:
				require.Contains(t, counters, rootName(p, in), "%s: %s", name, in.Op)
				counts++
			case in.Op == ir.OpStore && (rootName(p, in) == "next" || in.Root < 0): // of a fused kernel, which swaps the arrays
				stores++
			}
		}
		require.Positive(t, counts, "%s counts what changed", name)
		require.Positive(t, stores, "%s writes values", name)
	}
}

// rootName returns the name of the buffer that an instruction accesses.
func rootName(p *ir.Program, in *ir.Inst) string {
	if in.Root < 0 || p.Roots[in.Root].Leaf < 0 {
		return ""
	}
	return p.Leaves[p.Roots[in.Root].Leaf].Name
}

// TestLoadsBeforeTheSearch checks that a warp of scheme warpseg loads the neighbor of an arc before it searches for the
// vertex of the arc, and also the neighbor's value, unless that may not be needed.
func TestLoadsBeforeTheSearch(t *testing.T) {
	c, err := catalog.Kernels()
	require.NoError(t, err)
	for name, want := range map[string][]string{
		"warpseg.Pull[kernels.PageRankPull, float32]": {"g.Col", "values", "search"},
		"warpseg.Pull[kernels.SSSP, uint32]":          {"g.Col", "values", "search"},
		"warpseg.Pull[kernels.BFS, uint32]":           {"g.Col", "search", "values"},
	} {
		k, err := c.Kernel(t.Context(), name, nil)
		require.NoError(t, err)
		p := ir.Compiled(k).Program
		order := []string{}
		for pc := range p.Code {
			in := &p.Code[pc]
			switch from := p.Pos[in.Pos].Func; {
			case in.Op == ir.OpLoad && from == "walk":
				order = append(order, rootName(p, in))
			case from == "segmentOf" && in.Op == ir.OpShfl:
				order = append(order, "search")
			}
		}
		require.Equal(t, want, slices.Compact(order), name)
	}
}

// TestReductionsEndWithTheLargestSegment lets warps of scheme warpseg reduce strips in which each vertex has one arc: they need no step, for which
// they vote once, and else five.
func TestReductionsEndWithTheLargestSegment(t *testing.T) {
	const n = 4096
	var edges []graph.Edge
	for v := range uint32(n) {
		edges = append(edges, graph.Edge{From: v, To: (v + 1) % n})
	}
	ring, _, err := graph.FromEdges(t.Context(), "ring", n, edges, graph.LoadOptions{})
	require.NoError(t, err)
	instructions := map[string]float64{}
	for _, reduce := range []string{"whole", "sized"} {
		res, err := catalog.Run(t.Context(), openDevice(t, "sim:tiny"), catalog.Request{Algorithm: "pagerank-pull", Scheduler: "warpseg", Graph: ring,
			Params: map[string]string{"reduce": reduce}, Verify: true})
		require.NoError(t, err)
		require.True(t, res.Verified, "%v", res.Mismatch)
		for _, c := range res.Report.Counters {
			if c.Name == "smsp__inst_executed.sum" {
				instructions[reduce] = c.Value
			}
		}
	}
	require.Positive(t, instructions["sized"])
	require.Less(t, instructions["sized"], instructions["whole"])
}
