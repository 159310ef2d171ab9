package catalog_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestHierarchicalQueues checks the answers of hierq with each hierarchy, with queues that overflow at every level, and
// with runs that change between its two kernels.
func TestHierarchicalQueues(t *testing.T) {
	g := graphOf(t, "rmat:scale=7,degree=6,seed=3")
	source, _ := g.MaxDegreeVertex()
	for name, params := range map[string]map[string]string{
		"global queue":           {"levels": "global"},
		"block queue":            {"levels": "block", "block-length": "30", "one-block": "0"},
		"block queue, 1 block":   {"levels": "block", "block-length": "30"},
		"short warp queues":      {"warp-queues": "5", "warp-length": "2", "block-length": "20", "one-block": "0"},
		"contiguous, 1 block":    {"warp-queues": "32", "warp-length": "3", "block-length": "40", "interleaved": "false", "one-block-threads": "64"},
		"the smallest capacity":  {"warp-queues": "1", "warp-length": "1", "block-length": "1"},
		"emptied block queue":    {"levels": "block", "block-length": "7", "one-block": "0", "full": "flush"},
		"emptied by warp queues": {"warp-queues": "8", "warp-length": "3", "block-length": "9", "one-block": "0", "full": "flush"},
		"straight":               {"warp-queues": "6", "warp-length": "9", "block-length": "20", "one-block": "0", "warp-to": "global"},
		"straight and emptied":   {"warp-queues": "6", "warp-length": "2", "block-length": "5", "one-block": "4", "warp-to": "global", "full": "flush"},
		"2 levels on the host":   {"host-levels": "2", "one-block": "10"},
		"warps reserve":          {"levels": "block", "block-length": "30", "one-block": "0", "reserve": "warp"},
		"registers":              {"levels": "block", "block-length": "29", "one-block": "5", "registers": "4"},
		"registers of warps":     {"levels": "block", "block-length": "1", "one-block": "0", "registers": "4", "reserve": "warp"},
		"8 registers":            {"levels": "block", "block-length": "29", "one-block": "5", "registers": "8"},
		"8 registers of warps":   {"levels": "block", "block-length": "9", "one-block": "0", "registers": "8", "reserve": "warp"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, algorithm := range []string{"bfs", "cc", "pagerank", "sssp"} {
				if algorithm == "pagerank" && params["host-levels"] != "" {
					continue // the host does not change arrays; TestHostLevelsRefuse
				}
				for _, device := range []string{"func", "sim:tiny"} {
					res, err := catalog.Run(t.Context(), openDevice(t, device), catalog.Request{
						Algorithm: algorithm, Scheduler: "hierq", Graph: g, Source: source, Params: params, Verify: true})
					require.NoError(t, err)
					require.True(t, res.Verified, "%s on %s: %v", algorithm, device, res.Mismatch)
				}
			}
		})
	}
	_, err := catalog.Run(t.Context(), openDevice(t, "sim:tiny"), catalog.Request{Algorithm: "bfs", Scheduler: "hierq", Graph: g, Source: source,
		Params: map[string]string{"levels": "block", "block-length": "32768"}})
	require.ErrorContains(t, err, "launch of hierq.PushSmall[kernels.BFS, hierq.BlockLevel, uint32]: a block takes ")
	require.ErrorContains(t, err, " bytes of shared memory; the device has 32768")
}

// TestNestedKernels checks that kernels that start each other do what a loop on the host does: the same launches with the same
// numbers, and the right answer, on a graph whose search has more launches than the GPU starts in one chain.
func TestNestedKernels(t *testing.T) {
	for spec, launches := range map[string]int{"rmat:scale=7,degree=6,seed=3": 3, "grid:width=24,keep=1,seed=1": device.MaxNested + 2} {
		g := graphOf(t, spec)
		source, _ := g.MaxDegreeVertex()
		for name, params := range map[string]map[string]string{
			"global queue":          {"levels": "global"},
			"block queue":           {"levels": "block", "block-length": "30", "one-block": "4"},
			"warp queues":           {"warp-queues": "5", "warp-length": "2", "block-length": "20", "one-block": "0"},
			"straight, 1 block":     {"warp-queues": "6", "warp-length": "9", "block-length": "20", "one-block": "9", "warp-to": "global"},
			"2 levels on the host":  {"host-levels": "2", "one-block": "4"},
			"1 block after another": {"one-block": "1024"},
		} {
			t.Run(spec+", "+name, func(t *testing.T) {
				for _, algorithm := range []string{"bfs", "cc", "sswp"} {
					var runs [2]*catalog.Result
					for i, from := range []string{"host", "device"} {
						params["launch-from"] = from
						var err error
						runs[i], err = catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{
							Algorithm: algorithm, Scheduler: "hierq", Graph: g, Source: source, Params: params, Verify: true})
						require.NoError(t, err)
						require.True(t, runs[i].Verified, "%s from the %s: %v", algorithm, from, runs[i].Mismatch)
					}
					require.Equal(t, runs[0].Iterations, runs[1].Iterations)
					if algorithm == "bfs" { // the order in which threads run changes what other algorithms do
						require.Len(t, runs[1].Steps, len(runs[0].Steps))
						for i, s := range runs[0].Steps {
							nested := runs[1].Steps[i]
							require.Equal(t, s.Iteration, nested.Iteration)
							for _, q := range []string{"frontier", "next"} {
								want, _ := s.Number(q)
								got, _ := nested.Number(q)
								require.InDelta(t, want, got, 0, "%s of launch %d", q, i)
							}
						}
						if name == "global queue" {
							require.GreaterOrEqual(t, len(runs[1].Steps), launches)
						}
					}
					res, err := catalog.Run(t.Context(), openDevice(t, "sim:k40"), catalog.Request{
						Algorithm: algorithm, Scheduler: "hierq", Graph: g, Source: source, Params: params, Verify: true})
					require.NoError(t, err)
					require.True(t, res.Verified, "%s: %v", algorithm, res.Mismatch)
				}
			})
		}
	}
}

// TestHostLevelsOfDemo runs the first iterations of cc on the host, in a launch of plain Go whose one thread visits a
// hundred thousand arcs and seldom changes a value.
func TestHostLevelsOfDemo(t *testing.T) {
	g := graphOf(t, graph.DemoName)
	for _, levels := range []string{"2", "3"} {
		res, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: "cc", Scheduler: "hierq", Graph: g,
			Params: map[string]string{"host-levels": levels}, Verify: true})
		require.NoError(t, err)
		require.True(t, res.Verified, "%v", res.Mismatch)
	}
}

// TestHostLevelsRefuse checks what a user reads if the host cannot run the first levels.
func TestHostLevelsRefuse(t *testing.T) {
	g := graphOf(t, "rmat:scale=5,degree=6,seed=3")
	for algorithm, want := range map[string]string{
		"pagerank": `scheduler "hierq" does not run pagerank: host-levels=1: kernels.PageRank keeps its array Rank in device memory, which the host does not change; use host-levels=0`,
		"kcore":    `scheduler "hierq" does not run kcore: host-levels=1: kernels.KCore runs in phases, which the host does not; use host-levels=0`,
	} {
		_, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: algorithm, Scheduler: "hierq", Graph: g, Params: map[string]string{"host-levels": "1"}})
		require.EqualError(t, err, want)
	}
}

// TestHostLevelsOfPhases checks delta-stepping whose first iterations are the host's: vertices
// that do not belong to the first phase are visited later.
func TestHostLevelsOfPhases(t *testing.T) {
	g := graphOf(t, "rmat:scale=7,degree=6,seed=3")
	source, _ := g.MaxDegreeVertex()
	for _, device := range []string{"func", "sim:tiny"} {
		res, err := catalog.Run(t.Context(), openDevice(t, device), catalog.Request{Algorithm: "sssp", Scheduler: "hierq", Graph: g, Source: source,
			Params: map[string]string{"delta": "20", "host-levels": "2"}, Verify: true})
		require.NoError(t, err)
		require.True(t, res.Verified, "%s: %v", device, res.Mismatch)
		require.Equal(t, "hierq.Place[uint32]", res.Kernel)
	}
}

// queueCosts is what a choice of warp queues costs in a run.
type queueCosts struct {
	collisions float64 // passes of shared atomics: lanes with the same queue take turns
	overflows  float64 // vertices that found their warp queue full
	loads      float64 // further passes of shared loads because of banks
	stores     float64 // the same of stores
}

// costsOf runs BFS with queues that share a number of words of shared memory.
func costsOf(t *testing.T, device string, queues, words int, interleaved bool) queueCosts {
	t.Helper()
	return costsWith(t, device, map[string]string{"warp-queues": fmt.Sprint(queues), "warp-length": fmt.Sprint(words / queues), "interleaved": fmt.Sprint(interleaved)})
}

// costsWith runs BFS by the grid alone.
func costsWith(t *testing.T, device string, params map[string]string) (c queueCosts) {
	t.Helper()
	g := graphOf(t, "uniform:n=4096,degree=8,seed=1")
	params["one-block"] = "0"
	res, err := catalog.Run(t.Context(), openDevice(t, device), catalog.Request{Algorithm: "bfs", Scheduler: "hierq", Graph: g, Verify: true, Params: params})
	require.NoError(t, err)
	require.True(t, res.Verified)
	for name, to := range map[string]*float64{
		"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum":   &c.collisions,
		"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": &c.loads,
		"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": &c.stores,
	} {
		x, ok := res.Report.Counter(name)
		require.True(t, ok, name)
		*to = x
	}
	for _, s := range res.Steps {
		x, _ := s.Number("warp-overflows")
		c.overflows += x
	}
	return c
}

// TestNumberOfWarpQueues checks "Dividing up the Resources" of lecture 7: with more queues in
// the same space, fewer lanes of a warp collide, but more vertices find their queue full.
func TestNumberOfWarpQueues(t *testing.T) {
	const words = 128
	for _, device := range []string{"sim:k40", "sim:tiny"} {
		one := costsOf(t, device, 1, words, true)
		few := one
		for _, queues := range []int{4, 8, 32} {
			many := costsOf(t, device, queues, words, true)
			require.Less(t, many.collisions, 0.9*few.collisions, "%s, %d queues", device, queues)
			// The queues of a block have as many words together: where all are full, as many updates do not fit.
			require.GreaterOrEqual(t, many.overflows, few.overflows, "%s, %d queues", device, queues)
			few = many
		}
		require.Greater(t, few.overflows, one.overflows, "%s: short queues are full while others have room", device)
	}
}

// TestInterleavedWarpQueues checks "Need to Think About Bank Conflicts": queues whose length is
// a power of 2 conflict on banks. Interleaved, they are moved to the block queue without a
// conflict of loads; an odd length has nearly the same effect.
func TestInterleavedWarpQueues(t *testing.T) {
	for _, device := range []string{"sim:k40", "sim:tiny"} {
		for _, queues := range []int{8, 32} {
			contiguous, interleaved := costsOf(t, device, queues, 512, false), costsOf(t, device, queues, 512, true)
			require.Zero(t, interleaved.loads, "%s, %d queues", device, queues)
			require.Positive(t, contiguous.loads, "%s, %d queues", device, queues)
			require.Greater(t, contiguous.stores, 1.2*interleaved.stores, "%s, %d queues", device, queues)
		}
		padded, power := costsOf(t, device, 32, 32*17, false), costsOf(t, device, 32, 32*16, false)
		require.Less(t, padded.loads, 0.1*power.loads, "%s: queues of 17 words begin in different banks", device)
	}
}

// TestReservations checks the two ideas of "More Thoughts on the Details" that need no warp queues: the lanes of a warp that
// reserve places in the block queue together, and threads that keep 4 vertices first, take fewer turns at its counter, threads
// that keep 8 still fewer, and both together the fewest. On sim:k40 it is 4,091 turns for each vertex alone, 1,863 with 4 and
// 1,548 with 8 vertices, and 629, 132 and 107 by warps: most threads find fewer than 8 in a launch.
func TestReservations(t *testing.T) {
	for _, device := range []string{"sim:k40", "sim:tiny"} {
		turns := func(reserve, registers string) float64 {
			return costsWith(t, device, map[string]string{"levels": "block", "reserve": reserve, "registers": registers}).collisions
		}
		each, kept, warp, both := turns("lane", "1"), turns("lane", "4"), turns("warp", "1"), turns("warp", "4")
		require.Less(t, kept, 0.5*each, device)
		require.Less(t, warp, 0.25*each, device)
		require.Less(t, both, 0.5*warp, device)
		require.Less(t, turns("lane", "8"), 0.9*kept, device)
		require.Less(t, turns("warp", "8"), 0.9*both, device)
	}
}

// TestKeptRegisters checks that the vertices that a kernel never keeps take no registers: one for each that it does keep.
func TestKeptRegisters(t *testing.T) {
	k, err := catalog.Kernels()
	require.NoError(t, err)
	registers := func(how string) int {
		kernel, err := k.Kernel(t.Context(), "hierq.PushKept[kernels.BFS, hierq."+how+", uint32]", nil)
		require.NoError(t, err)
		return ir.Compiled(kernel).Program.NumRegs
	}
	require.InDelta(t, 4, registers("EightLaneAdds")-registers("LaneAdds"), 1)
	require.InDelta(t, 4, registers("EightWarpAdds")-registers("KeptWarpAdds"), 1)
	require.InDelta(t, 3, registers("KeptWarpAdds")-registers("WarpAdds"), 1)
}
