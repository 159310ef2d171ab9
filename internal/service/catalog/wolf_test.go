package catalog_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/profile"
)

// TestVariantsOfWolf checks both variants of the edge-centric scheme; the other tests run only the default one.
func TestVariantsOfWolf(t *testing.T) {
	g := graphOf(t, "rmat:scale=6,degree=6,seed=3")
	source, _ := g.MaxDegreeVertex()
	for _, params := range []map[string]string{{"variant": "direct"}, {"variant": "shared", "edges-per-block": "100"}} {
		for _, a := range []string{"bfs", "cc", "pagerank", "sssp"} {
			for _, dev := range []string{"func", "sim:tiny"} {
				res, err := catalog.Run(t.Context(), openDevice(t, dev), catalog.Request{Algorithm: a, Scheduler: "wolf", Graph: g, Source: source, Params: params, Verify: true})
				require.NoError(t, err)
				require.True(t, res.Verified, "%s on %s, %v: %v", a, dev, params, res.Mismatch)
			}
		}
	}
	_, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: "bfs", Scheduler: "wolf", Graph: g, Params: map[string]string{"edges-per-block": "65536"}})
	require.EqualError(t, err, "launch of wolf.Gather[kernels.BFS, uint32]: a block takes 262144 bytes of shared memory; the device has 166912")
}

// TestPlansOfWolf checks the answers with the edges in the order of the file, with all edges in every iteration, and with
// blocks that end at a number of destinations, on graphs of all shapes: one vertex, self loops, edges that come twice in
// the file and in memory, no edges, and more vertices than the shared memory of a block holds.
func TestPlansOfWolf(t *testing.T) {
	file := func(name, text string) *graph.CSR {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		g, _, err := graph.Open(t.Context(), path, graph.LoadOptions{KeepSelfLoops: true})
		require.NoError(t, err)
		return g
	}
	parallel := &graph.CSR{Name: "parallel", Row: []uint64{0, 3, 5, 5}, Col: []uint32{1, 1, 2, 2, 2}, Weight: []uint32{3, 2, 9, 4, 5}}
	graphs := []*graph.CSR{
		graphOf(t, "rmat:scale=6,degree=6,seed=3"), graphOf(t, "rmat:scale=6,degree=4,directed=true,seed=2"), graphOf(t, "grid:width=7,keep=0.8,seed=2"),
		file("loop.txt", "5 5\n"), file("twice.txt", "3 1\n1 1\n1 2\n3 1\n2 3\n1 2\n2 2\n"), graphOf(t, "uniform:n=30,degree=0,seed=1"), parallel,
	}
	for _, params := range []map[string]string{
		{"order": "file"}, {"order": "file", "edges": "all", "variant": "direct"}, {"order": "file", "edges": "all", "edges-per-block": "128"},
		{"edges": "all", "destinations-per-block": "5"}, {"destinations-per-block": "7"}, {"order": "file", "destinations-per-block": "1", "block": "32"},
	} {
		for _, g := range graphs {
			for _, a := range []string{"bfs", "cc", "pagerank", "sssp", "sswp"} {
				if g == parallel && (params["order"] == "file" || a == "pagerank") {
					continue // it is of no file, and the reference merges equal arcs
				}
				source, _ := g.MaxDegreeVertex()
				for _, dev := range []string{"func", "sim:tiny"} {
					res, err := catalog.Run(t.Context(), openDevice(t, dev), catalog.Request{Algorithm: a, Scheduler: "wolf", Graph: g, Source: source, Params: params, Verify: true})
					require.NoError(t, err, "%s on %s, %v, %s", a, dev, params, g.Name)
					require.True(t, res.Verified, "%s on %s, %v, %s: %v", a, dev, params, g.Name, res.Mismatch)
				}
			}
		}
	}
	// A block of sim:tiny has 32,768 bytes of shared memory: 8,192 values.
	large := graphOf(t, "uniform:n=20000,degree=3,seed=5")
	q := catalog.Request{Algorithm: "cc", Scheduler: "wolf", Graph: large, Verify: true, Params: map[string]string{"edges-per-block": "20000"}}
	_, err := catalog.Run(t.Context(), openDevice(t, "sim:tiny"), q)
	require.EqualError(t, err, "launch of wolf.Gather[kernels.CC, uint32]: a block takes 80000 bytes of shared memory; the device has 32768")
	for _, order := range []string{"source", "file"} {
		q.Params = map[string]string{"edges-per-block": "20000", "destinations-per-block": "6000", "order": order}
		res, err := catalog.Run(t.Context(), openDevice(t, "sim:tiny"), q)
		require.NoError(t, err)
		require.True(t, res.Verified, "%v", res.Mismatch)
	}
}

// wolfLaunches runs SSSP by a variant of the edge-centric scheme, and returns what the profile has of its launches of
// a kernel.
func wolfLaunches(t *testing.T, g *graph.CSR, kernel string, params map[string]string) (list []profile.Launch) {
	t.Helper()
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	p := profile.New(0)
	d, err := sim.New(cfg, sim.Options{Profile: p})
	require.NoError(t, err)
	source, _ := g.MaxDegreeVertex()
	_, err = catalog.Run(t.Context(), d, catalog.Request{Algorithm: "sssp", Scheduler: "wolf", Graph: g, Source: source, Params: params})
	require.NoError(t, err)
	require.NoError(t, d.Close())
	for _, l := range p.Launches {
		if strings.HasPrefix(l.Kernel, kernel+"[") {
			list = append(list, l)
		}
	}
	require.NotEmpty(t, list, kernel)
	return list
}

// TestConflictsOfWolf checks that the profile has the conflicts of each iteration that WolfGraph's figures 5.4 and 5.5
// show: in shared memory by block, and fewer in global memory if updates meet in shared memory first.
func TestConflictsOfWolf(t *testing.T) {
	// Vertex 0 sends to all others, and they to vertex 300; all weights into a vertex differ.
	const n = 300
	g := &graph.CSR{Name: "star", Row: make([]uint64, n+2), Symmetric: false}
	for u := range uint32(n) {
		if u == 0 {
			for v := uint32(1); v < n; v++ {
				g.Col, g.Weight = append(g.Col, v), append(g.Weight, n-v)
			}
		}
		g.Col, g.Weight = append(g.Col, n), append(g.Weight, n-u)
		g.Row[u+1] = uint64(len(g.Col))
	}
	g.Row[n+1] = g.Row[n]
	shared := map[string]string{"edges-per-block": "128"}
	highest, meeting := uint32(0), uint64(0)
	for _, l := range wolfLaunches(t, g, "wolf.Gather", shared) {
		highest = max(highest, l.BlockDegree)
		require.LessOrEqual(t, l.BlockDegree, uint32(128), "a block has that many edges")
		require.Equal(t, l.Shared.Ops == 0, l.BlockDegree == 0)
		meeting += l.Shared.Ops
	}
	require.Greater(t, highest, uint32(1), "edges to the same vertex meet in a block")
	require.Positive(t, meeting)
	most := func(list []profile.Launch) (lanes uint32) {
		for _, l := range list {
			require.Zero(t, l.Shared.Ops)
			lanes = max(lanes, l.Global.Highest)
		}
		return lanes
	}
	direct := most(wolfLaunches(t, g, "wolf.Direct", map[string]string{"variant": "direct"}))
	require.Greater(t, direct, most(wolfLaunches(t, g, "wolf.WriteBack", shared)))
	require.EqualValues(t, 1, most(wolfLaunches(t, g, "wolf.WriteBack", shared)), "a block has one slot for each destination")
}

// TestBenchmarksOfWolf checks the three forms of the benchmark of atomics (algorithm 5.1): each of 1,024 threads takes one
// minimum, into as many locations as the degree of conflict leaves.
func TestBenchmarksOfWolf(t *testing.T) {
	const threads = 1024
	c, err := catalog.Kernels()
	require.NoError(t, err)
	example, err := catalog.Mount("../../../examples/wolfgraph")
	require.NoError(t, err)
	launch := func(dev device.Device, name string, args ...any) (counters func(name string) float64) {
		k, err := c.Kernel(t.Context(), name, nil)
		require.NoError(t, err)
		r, err := dev.Launch(t.Context(), device.Launch{Kernel: k, Grid: 1, Block: threads, Args: args})
		require.NoError(t, err)
		return func(name string) float64 {
			x, ok := r.Counter(name)
			require.True(t, ok, name)
			return x
		}
	}
	for mask, passes := range map[uint32]float64{threads - 1: 32, 31: 32, 0: threads} {
		got := launch(openDevice(t, "sim:tiny"), "internal/kernels/micro.WolfSharedOnce", mask)
		require.Equal(t, threads/32.0, got("smsp__inst_executed_op_shared_atom.sum"), "one atomic a thread")
		require.Equal(t, passes, got("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"), "mask %d: lanes of a warp that meet", mask)

		for _, name := range []string{"internal/kernels/micro.WolfGlobalOnce", example + ".Global"} {
			dev := openDevice(t, "sim:tiny")
			array := func(name string, of func(i uint32) uint32) device.Buffer {
				data := make([]uint32, threads)
				for i := range data {
					data[i] = of(uint32(i))
				}
				b, err := dev.Alloc(name, device.U32, threads)
				require.NoError(t, err)
				require.NoError(t, dev.Write(b, data))
				return b
			}
			bits, args := mask, []any{}
			if name == example+".Global" { // the kernel has the mask
				bits, args = threads-1, []any{mask}
			}
			results := array("results", func(uint32) uint32 { return threads + 1 })
			args = append(args, array("location", func(i uint32) uint32 { return i & bits }), array("values", func(i uint32) uint32 { return threads - i }), results)
			require.Equal(t, float64(threads), launch(dev, name, args...)(counter.AtomicOps), "one atomic a thread")
			least := make([]uint32, threads)
			require.NoError(t, dev.Read(results, least))
			for i, x := range least {
				want := uint32(threads + 1) // nobody's
				if uint32(i) <= mask {
					want = mask + 1 - uint32(i)
				}
				require.Equal(t, want, x, "%s, mask %d: location %d", name, mask, i)
			}
		}
	}
}

// blocksSeen is a device that sees the blocks of launches.
type blocksSeen struct {
	device.Device
	saw func(l device.Launch)
}

func (d blocksSeen) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	d.saw(l)
	return d.Device.Launch(ctx, l)
}

// TestBlocksOfWolf checks that block=64 gives an SM 32 blocks, with the shared memory that the scheme chooses, where the
// machine allows so many.
func TestBlocksOfWolf(t *testing.T) {
	g := graphOf(t, "rmat:scale=6,degree=6,seed=3")
	for preset, want := range map[string]int{"sim:h200": 32, "sim:gtx780ti": 16} {
		seen := 0
		dev := openDevice(t, preset)
		watched := blocksSeen{dev, func(l device.Launch) {
			if !strings.HasPrefix(l.Kernel.Name, "wolf.Gather[") {
				return
			}
			seen++
			require.Equal(t, 64, l.Block)
			occ, err := dev.Occupancy(l.Kernel, l.Block)
			require.NoError(t, err)
			require.Equal(t, want, occ.BlocksPerSM, "%s, %+v", preset, occ)
			require.LessOrEqual(t, l.DynamicShared, occ.SharedFree)
		}}
		_, err := catalog.Run(t.Context(), watched, catalog.Request{Algorithm: "sssp", Scheduler: "wolf", Graph: g, Params: map[string]string{"block": "64"}})
		require.NoError(t, err)
		require.Positive(t, seen)
	}
}
