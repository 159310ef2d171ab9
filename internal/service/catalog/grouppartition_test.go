package catalog_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/scheduler"
)

// partitions are the values of parameter partition, with what goes with them.
var partitions = []map[string]string{{"partition": "arcs"}, {"partition": "vertices"}, {"partition": "random", "partition-seed": "7"}, {"partition": "hubs"}}

// TestPartitions checks the answers of all algorithms on groups whose vertices are divided in each way, with a loop of the host and one of the device. The
// catalog checks them in the order of the run; inFileOrder does so in that of the graph.
func TestPartitions(t *testing.T) {
	graphs := []*graph.CSR{graphOf(t, "rmat:scale=7,degree=6,seed=3,directed=true"), graphOf(t, "grid:width=7,keep=0.8,seed=2"), tiny(t)[2]}
	for _, group := range []struct {
		name string
		gpus int
	}{{"func", 2}, {"func", 3}, {"sim:tiny", 2}} {
		runs, compared := 0, map[string]bool{}
		for _, e := range catalog.Entries() {
			if e.TakesGroup() != nil {
				continue
			}
			for i, of := range partitions {
				for k, loop := range []string{"host", "device"} {
					params := maps.Clone(of)
					maps.Copy(params, short[e.Algorithm.Name])
					switch e.Scheduler.Name {
					case "multi":
						params["loop"] = loop
					case "atos":
						params["worker"], params["block"], params["blocks"] = []string{"warp", "block"}[k], "64", "2"
					case "bitmap", "near-far":
						params["one-block"], params["block"] = []string{"256", "0"}[k], "64"
					default:
						params["skip"] = []string{"always", "never"}[k]
					}
					if _, err := e.Parameters(params); err != nil {
						require.Regexp(t, "runs in phases, which loop=device does not have", err.Error())
						continue
					}
					list := graphs
					if group.name != "func" { // one of them
						list = graphs[(i+k)%2:][:1]
					}
					for _, g := range list {
						source, _ := g.MaxDegreeVertex()
						dev := openGroup(t, group.name, group.gpus, nil)
						res, err := catalog.Run(t.Context(), dev, catalog.Request{Algorithm: e.Algorithm.Name, Scheduler: e.Scheduler.Name, Graph: g, Source: source, Verify: true, Params: params})
						require.NoError(t, err, "%s on %s, %v", e.Name(), g.Name, params)
						require.True(t, res.Verified, "%s on %s, %d GPUs, %v: %v", e.Name(), g.Name, group.gpus, params, res.Mismatch)
						compared[e.Algorithm.Name] = inFileOrder(t, e, res, source) || compared[e.Algorithm.Name]
						require.NoError(t, dev.Close())
						runs++
					}
				}
			}
		}
		t.Logf("%d runs with right answers on %sx%d, compared in the order of the graph: %v", runs, group.name, group.gpus, compared)
		for _, name := range []string{"bfs", "sssp", "sswp", "kcore", "cc", "wcc", "scc", "parents"} {
			require.True(t, compared[name], name)
		}
	}
}

// inFileOrder compares an answer that does not depend on the numbers of vertices with that of a CPU on the graph of the request. It returns false for others.
func inFileOrder(t *testing.T, e catalog.Entry, res *catalog.Result, source uint32) bool {
	t.Helper()
	g := res.Graph
	switch e.Algorithm.Name {
	case "bfs", "sssp", "sswp", "kcore":
		params, err := e.Type.Scalars(res.Params)
		require.NoError(t, err)
		_, err = e.Algorithm.Host.Judge(t.Context(), scheduler.Input{Graph: g, Source: source, Params: params}, nil, res.Values)
		require.NoError(t, err)
	case "cc", "wcc", "scc":
		of := map[string]func() ([]uint32, error){"cc": func() ([]uint32, error) { return reference.CC(t.Context(), g) }, "wcc": func() ([]uint32, error) { return reference.CC(t.Context(), g) },
			"scc": func() ([]uint32, error) { return reference.SCC(t.Context(), g) }}
		want, err := of[e.Algorithm.Name]()
		require.NoError(t, err)
		labels, stands := res.Values.([]uint32), map[uint32]uint32{}
		for v, label := range labels {
			if _, ok := stands[label]; !ok {
				stands[label] = uint32(v) // the smallest
			}
			require.Equal(t, want[v], stands[label], "%s, vertex %d", e.Name(), v)
			require.Equal(t, label, labels[label], "a label is a vertex of its component")
		}
	case "parents":
		levels, err := reference.BFS(t.Context(), g, source)
		require.NoError(t, err)
		for v, parent := range res.Values.([]uint32) {
			switch {
			case uint32(v) == source:
				require.Equal(t, source, parent)
			case levels[v] == reference.Unreached:
				require.EqualValues(t, uint32(reference.Unreached), parent)
			default:
				require.Equal(t, levels[v], levels[parent]+1)
				require.Contains(t, g.Neighbors(parent), uint32(v))
			}
		}
	default:
		return false
	}
	return true
}

// sentBy runs an algorithm on two functional GPUs, and returns what they sent each other.
func sentBy(t *testing.T, algorithm, scheme string, g *graph.CSR, source uint32, params map[string]string) *scheduler.Communication {
	t.Helper()
	dev := openGroup(t, "func", 2, nil)
	res, err := catalog.Run(t.Context(), dev, catalog.Request{Algorithm: algorithm, Scheduler: scheme, Graph: g, Source: source, Verify: true, Params: params})
	require.NoError(t, err)
	require.True(t, res.Verified, "%v", res.Mismatch)
	require.NoError(t, dev.Close())
	return res.Communication
}

// TestPartitionByArcs checks that a partition by arcs is what a run without the parameter has, and that a random one is that of the graph that
// LoadOptions.Permute makes with the same seed, by vertices.
func TestPartitionByArcs(t *testing.T) {
	const spec = "rmat:scale=8,degree=6,seed=3"
	g := graphOf(t, spec)
	permuted, _, err := graph.Open(t.Context(), spec, graph.LoadOptions{Permute: 7})
	require.NoError(t, err)
	source, _ := g.MaxDegreeVertex()
	there, _ := permuted.VertexOf(g.FileID(source))
	for _, c := range [][2]string{{"bfs", "multi"}, {"pagerank", "multi"}, {"cc", "union-find"}} {
		require.Equal(t, sentBy(t, c[0], c[1], g, source, nil), sentBy(t, c[0], c[1], g, source, map[string]string{"partition": "arcs"}))
		require.Equal(t, sentBy(t, c[0], c[1], permuted, there, map[string]string{"partition": "vertices"}), sentBy(t, c[0], c[1], g, source, partitions[2]))
	}
}

// TestCutOfPartitions counts the cut arcs of a star with a center of 8 leaves and a path of 8 vertices behind it, by hand. By arcs and by vertices the star is on GPU
// 0 and the path on GPU 1, but for the vertex where one ends and the other begins.
func TestCutOfPartitions(t *testing.T) {
	var edges []graph.Edge
	for leaf := range uint32(7) {
		edges = append(edges, graph.Edge{From: 0, To: leaf + 1})
	}
	for v := range uint32(7) {
		edges = append(edges, graph.Edge{From: 8 + v, To: 9 + v})
	}
	g, _, err := graph.FromEdges(t.Context(), "star and path", 16, append(edges, graph.Edge{From: 7, To: 8}), graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	for _, scheme := range []string{"multi", "union-find"} {
		sent := func(params map[string]string) *scheduler.Communication {
			params = maps.Clone(params)
			if scheme == "union-find" {
				params["fusion"] = "none" // in one kernel ranges begin with multiples of 32
			}
			return sentBy(t, "cc", scheme, g, 0, params)
		}
		require.Equal(t, 2, sent(map[string]string{"partition": "vertices"}).Cut, "7-8, in both directions")
		require.Equal(t, 2, sent(map[string]string{"partition": "hubs"}).Cut, "the center of degree 7 is below 4 times the mean of 1.9")
		shuffled := sent(partitions[2])
		require.Greater(t, shuffled.Cut, 2)
		require.Equal(t, g.Arcs(), shuffled.Arcs)
	}
	// Half of the 30 arcs are before vertex 8: 7 of the center, 7 of its leaves, and the one from 7 to 8.
	require.Equal(t, 2, sentBy(t, "cc", "multi", g, 0, nil).Cut)
}
