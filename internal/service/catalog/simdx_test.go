package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestVariantsOfSimdx checks the answers of simdx with every fusion, filter and direction that an algorithm takes, with
// lists and bins that are too short, and with both forms of the global barrier.
func TestVariantsOfSimdx(t *testing.T) {
	g := graphOf(t, "rmat:scale=7,degree=4,seed=3,directed=true")
	source, _ := g.MaxDegreeVertex()
	sets := []map[string]string{
		{"fusion": "none"},
		{"fusion": "none", "filter": "batch"},
		{"fusion": "none", "filter": "ballot", "small": "3", "large": "6"},
		{"fusion": "all", "direction": "pull"},
		{"fusion": "all", "pull-above": "0.05", "barrier-kind": "locks", "block": "128"}, // more threads have too few registers on sim:tiny
		{"filter": "ballot", "direction": "push", "small": "3", "large": "6", "split": "8"},
		{"bin": "1", "block-list": "16", "one-block": "8", "small": "3", "large": "6"},
		{"bin": "2", "block-list": "0", "blocks": "1", "barrier-kind": "locks", "direction": "push"},
	}
	ran := map[string]int{}
	for _, e := range catalog.Entries() {
		if e.Scheduler.Name != "simdx" {
			continue
		}
		for _, params := range sets {
			values, err := e.Scheduler.Values(params)
			require.NoError(t, err)
			if e.Scheduler.Takes(e.Type, values) != nil {
				continue // TestTakes of the scheme has the reasons
			}
			for _, dev := range []string{"func", "sim:tiny"} {
				res, err := catalog.Run(t.Context(), openDevice(t, dev), catalog.Request{
					Algorithm: e.Algorithm.Name, Scheduler: "simdx", Graph: g, Source: source, Params: params, Verify: true})
				require.NoError(t, err, "%s on %s, %v", e.Algorithm.Name, dev, params)
				require.True(t, res.Verified, "%s on %s, %v: %v", e.Algorithm.Name, dev, params, res.Mismatch)
				ran[e.Algorithm.Name]++
			}
		}
	}
	for _, a := range []string{"bfs", "sssp", "cc", "wcc", "scc", "kcore", "pagerank", "pagerank-pull", "heat"} {
		require.Positive(t, ran[a], a)
	}
	require.Equal(t, 2*len(sets), ran["bfs"])
}

// TestSimdxBeginsWithALaterPhase checks k-core of a graph in which every vertex has a neighbor, so that no vertex is
// active in the first phase.
func TestSimdxBeginsWithALaterPhase(t *testing.T) {
	g := graphOf(t, "uniform:n=300,degree=4,seed=1")
	for _, fusion := range []string{"none", "push-pull", "all"} {
		res, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{
			Algorithm: "kcore", Scheduler: "simdx", Graph: g, Params: map[string]string{"fusion": fusion}, Verify: true})
		require.NoError(t, err)
		require.True(t, res.Verified, "%s: %v", fusion, res.Mismatch)
	}
}

// TestSimdxBesideOtherPackages checks that the names of its types do no harm: the compiler bounds the fields of types by
// their names, over all packages, and takes a variable that is indexed for a type of that name.
func TestSimdxBesideOtherPackages(t *testing.T) {
	k, err := catalog.Kernels()
	require.NoError(t, err)
	_, err = k.Kernel(t.Context(), "simdx.Push[kernels.BFS, uint32]", nil)
	require.NoError(t, err)
	require.NoError(t, k.Check(t.Context(), "internal/kernels/micro"))
}

// TestBarrierOfEquationOne checks that a grid by the paper's formula, which counts registers alone, hangs on a machine
// that holds fewer blocks, and that the same run ends with as many as are resident.
func TestBarrierOfEquationOne(t *testing.T) {
	g := graphOf(t, "rmat:scale=5,degree=4,seed=3")
	request := func(barrier string) catalog.Request {
		return catalog.Request{Algorithm: "bfs", Scheduler: "simdx", Graph: g, Params: map[string]string{"barrier": barrier, "block": "32"}, Verify: true}
	}
	res, err := catalog.Run(t.Context(), openDevice(t, "sim:k40"), request("occupancy"))
	require.NoError(t, err)
	require.True(t, res.Verified)
	_, err = catalog.Run(t.Context(), openDevice(t, "sim:k40"), request("eq1"))
	var hang *device.HangError
	require.ErrorAs(t, err, &hang)
	require.Equal(t, "simdx.Push[kernels.BFS, uint32]", hang.Kernel)
	require.Contains(t, hang.What, "blocks cannot be placed until others end")
}

// TestSimdxListsOfReversePhases checks that the lists have room for the vertices of a phase in reverse, in which a vertex
// belongs to the list of its incoming arcs: here no vertex has two outgoing arcs, and each third one has many incoming ones.
func TestSimdxListsOfReversePhases(t *testing.T) {
	var arcs [][2]uint32
	for v := range uint32(60) {
		if v%12 != 0 {
			arcs = append(arcs, [2]uint32{v, v - v%12})
		}
	}
	for v := uint32(0); v < 48; v += 12 {
		arcs = append(arcs, [2]uint32{v, v + 12})
	}
	g := fromArcs(60, arcs)
	for _, algorithm := range []string{"wcc", "scc"} {
		for _, fusion := range []string{"none", "push-pull", "all"} {
			for _, filter := range []string{"jit", "ballot"} {
				res, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: algorithm, Scheduler: "simdx", Graph: g, Verify: true,
					Params: map[string]string{"small": "3", "large": "8", "fusion": fusion, "filter": filter, "block": "64"}})
				require.NoError(t, err, "%s %s %s", algorithm, fusion, filter)
				require.True(t, res.Verified, "%s %s %s: %v", algorithm, fusion, filter, res.Mismatch)
			}
		}
	}
}
