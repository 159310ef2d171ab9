//go:build !kernel

package unionfind_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/scheme/unionfind"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/scheduler"
)

// onGroup runs an algorithm on a group of GPUs, with a launch for each step, which more than eight have in any case, and returns its outcome. All buffers must be free then. TestTogether of package catalog has runs in one kernel on each GPU: a native group
// runs launches one after another.
func onGroup(t *testing.T, gpus int, a scheduler.Type, g *graph.CSR, params map[string]string) *scheduler.Outcome {
	t.Helper()
	d := native.NewGroup(kernelsOf(), gpus)
	params = maps.Clone(params)
	if gpus <= scheduler.MostPeers+1 {
		params["fusion"] = "none"
	}
	v, err := unionfind.New().Values(params)
	require.NoError(t, err)
	out, err := unionfind.New().Run(t.Context(), scheduler.Job{Device: d, Kernels: d, Algorithm: a, Graph: g, Params: v})
	require.NoError(t, err)
	require.Zero(t, live(d), "buffers are left")
	return out
}

// live returns the number of buffers of all GPUs.
func live(d *native.Group) (n int) {
	for i := range d.GPUs() {
		n += d.GPU(i).(*native.Device).Live
	}
	return n
}

// TestGroups compares components, and largest degrees in them, with the reference on many graphs and groups, some of which have more GPUs than
// the graph has arcs.
func TestGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 120 {
		n := 1 + rng.IntN(400)
		g := random(t, rng, n, rng.IntN(3*n))
		want, err := reference.CC(t.Context(), g)
		require.NoError(t, err)
		params := settings(rng, i)
		gpus := []int{2, 3, 4, 5, 8, 16}[rng.IntN(6)]
		what := fmt.Sprintf("%d vertices, %d arcs, %d GPUs, %v", n, g.Arcs(), gpus, params)
		require.Equal(t, want, onGroup(t, gpus, ccType, g, params).Values, what)
		require.Equal(t, largest(g, want), onGroup(t, gpus, degreeType, g, params).Values, what)
	}
}

// TestLargestOfTwo has two dense parts, one on each of two GPUs. The arc from the first to the second, 63 to 65, is far behind in both rows, so that neither
// Init nor Sample hooks it. If each GPU left out the arcs of the largest tree that it found itself, both would leave out this arc.
func TestLargestOfTwo(t *testing.T) {
	const few, half, n = 4, 64, 124
	var edges []graph.Edge
	dense := func(first, end uint32) {
		for i := first; i < end; i++ {
			for j := first; j < i; j++ {
				edges = append(edges, graph.Edge{From: i, To: j})
			}
		}
	}
	dense(few, half)
	dense(half, n)
	for v := range uint32(few) { // what comes first in the row of 65
		edges = append(edges, graph.Edge{From: v, To: half + 1})
	}
	edges = append(edges, graph.Edge{From: half - 1, To: half + 1})
	g, _, err := graph.FromEdges(t.Context(), "two parts", n, edges, graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	require.Equal(t, []int{0, half, n}, scheduler.Ranges(g.Row, 2, 1))
	for _, skip := range []string{"always", "never"} {
		out := onGroup(t, 2, ccType, g, map[string]string{"skip": skip, "block": "32"})
		require.Equal(t, make([]uint32, n), out.Values, "one component, with vertex 0")
	}
}

// TestSentBetweenGPUs checks what is sent, by hand: without a sample, 4 bytes for each vertex up to the last one of the range, once for each GPU
// but the first; with one, the parents of all vertices to GPU 0, and its parents and the largest tree back, for each compress, and then once more.
func TestSentBetweenGPUs(t *testing.T) {
	g := open(t, "rmat:scale=8,degree=8,seed=3")
	n := uint64(g.Vertices())
	for _, gpus := range []uint64{2, 3, 4, 8} {
		out := onGroup(t, int(gpus), ccType, g, map[string]string{"skip": "never", "tile": "0"})
		total := uint64(0)
		for _, p := range out.Communication.Pairs {
			require.True(t, p.Bytes == 0 || p.To < p.From, "%+v", p)
			total += p.Bytes
		}
		require.LessOrEqual(t, total, 4*n*(gpus-1))
		require.GreaterOrEqual(t, total, 4*n, "the last GPU has the last vertex")
		if gpus == 2 {
			require.Equal(t, 4*n, total)
		}
		out = onGroup(t, int(gpus), ccType, g, map[string]string{"skip": "always"})
		compressed := uint64(0)
		for _, s := range out.Steps {
			if s.Kernel == "unionfind.Compress" {
				compressed++
			}
		}
		compressed-- // the first one flattens what each GPU has hooked
		require.Positive(t, compressed)
		require.Equal(t, (gpus-1)*(compressed*(4*n+4*n+8)+4*n), out.Communication.Bytes())
	}
}

// TestGroupEndsEarly checks that a run on several GPUs that fails says where, and frees all memory.
func TestGroupEndsEarly(t *testing.T) {
	g := open(t, "rmat:scale=6,degree=8,seed=3")
	run := func(d *native.Group) (*scheduler.Outcome, error) {
		v, err := unionfind.New().Values(map[string]string{"skip": "always", "fusion": "none"})
		require.NoError(t, err)
		return unionfind.New().Run(t.Context(), scheduler.Job{Device: d, Kernels: d, Algorithm: ccType, Graph: g, Params: v})
	}
	for at := 1; at <= 8; at++ {
		d := native.NewGroup(kernelsOf(), 2)
		d.FailAt, d.Failure = at, errors.New("index out of range")
		out, err := run(d)
		require.ErrorIs(t, err, d.Failure)
		require.Nil(t, out.Values)
		require.Zero(t, live(d))
	}
	for _, name := range []string{"g.Row", "g.Col", "outRow", "values", "forest.Parents", "other.Parents", "counts", "wide.Vertices"} {
		d := native.NewGroup(kernelsOf(), 2)
		d.NoMemory = name
		_, err := run(d)
		require.EqualError(t, err, "GPU 0: allocating "+name+": out of memory")
		require.Zero(t, live(d))
	}
}
