package catalog_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestCoresAcrossGPUs checks what is sent when vertices are peeled on several GPUs: each vertex is removed once, and then tells each
// neighbor of another GPU, so that an arc across the cut is one pair of 8 bytes, whatever the order. All of them are useful.
func TestCoresAcrossGPUs(t *testing.T) {
	g := graphOf(t, "rmat:scale=8,degree=6,seed=3")
	for _, device := range []string{"func", "sim:tiny"} {
		for _, gpus := range []int{1, 2, 3, 8} {
			dev := openGroup(t, device, gpus, nil)
			res, err := catalog.Run(t.Context(), dev, catalog.Request{Algorithm: "kcore", Scheduler: "multi", Graph: g, Verify: true})
			require.NoError(t, err)
			require.True(t, res.Verified, "%v", res.Mismatch)
			require.NoError(t, dev.Close())
			// The ranges have about equal numbers of arcs: an independent division, by the arcs before a vertex.
			owner := func(v uint32) (i int) {
				for i = gpus - 1; i > 0; i-- {
					if g.Row[v] >= uint64(g.Arcs())/uint64(gpus)*uint64(i) {
						return i
					}
				}
				return 0
			}
			cut := 0
			for u := range uint32(g.Vertices()) {
				for _, v := range g.Neighbors(u) {
					if owner(u) != owner(v) {
						cut++
					}
				}
			}
			sent, useful := uint64(0), uint64(0)
			for _, p := range res.Communication.Pairs {
				sent, useful = sent+p.Bytes, useful+p.Useful
			}
			require.Equal(t, uint64(8*cut), sent, "%s, %d GPUs", device, gpus)
			require.Equal(t, uint64(4*cut), useful, "%s, %d GPUs: the value of a pair has half of its bytes", device, gpus)
			require.Equal(t, gpus > 1, cut > 0)
		}
	}
}

// TestDeltaAcrossGPUs checks that delta-stepping on several GPUs has the phases that it has on one: as many visits of vertices as
// the scheme warp, which pushes as well, makes with the same delta where a bucket is one distance; wider buckets have more visits, and
// none is without delta.
func TestDeltaAcrossGPUs(t *testing.T) {
	g := graphOf(t, "grid:width=12")
	visits := func(scheduler, delta string, gpus int) (n float64) {
		dev := openGroup(t, "func", gpus, nil)
		res, err := catalog.Run(t.Context(), dev, catalog.Request{Algorithm: "sssp", Scheduler: scheduler, Graph: g, Verify: true, Params: map[string]string{"delta": delta}})
		require.NoError(t, err)
		require.True(t, res.Verified, "%v", res.Mismatch)
		for _, s := range res.Steps {
			if frontier, ok := s.Number("frontier"); ok {
				n += frontier
			}
		}
		require.NoError(t, dev.Close())
		return n
	}
	for _, gpus := range []int{1, 2, 5} {
		require.Equal(t, float64(g.Vertices()), visits("multi", "1", gpus), "Dijkstra's algorithm visits each vertex once")
		last := 0.0
		for _, delta := range []int{1, 40, 4000} {
			n := visits("multi", strconv.Itoa(delta), gpus)
			require.Greater(t, n, last, "delta=%d, %d GPUs", delta, gpus)
			last = n
		}
	}
	require.Equal(t, visits("warp", "1", 1), visits("multi", "1", 3))
}

// TestDeltaNeedsPhases checks that delta is refused, and not ignored, where several GPUs have no phases.
func TestDeltaNeedsPhases(t *testing.T) {
	dev := openGroup(t, "func", 2, nil)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	for setting, params := range map[string]map[string]string{"loop=device": {"loop": "device"}, "base=thread": {"base": "thread"}, "base=warpseg": {"overlap": "true"}} {
		params["delta"] = "50"
		_, err := catalog.Run(t.Context(), dev, catalog.Request{Algorithm: "sssp", Scheduler: "multi", Graph: graphOf(t, "grid:width=12"), Params: params})
		require.EqualError(t, err, "kernels.SSSP runs in phases, which "+setting+" does not have")
		delete(params, "delta")
		_, err = catalog.Run(t.Context(), dev, catalog.Request{Algorithm: "sssp", Scheduler: "multi", Graph: graphOf(t, "grid:width=12"), Params: params})
		require.NoError(t, err)
	}
}

// TestPhasesNeedRoom checks that the limit of iterations is one for each phase on several GPUs as well, and that a run that passes it says so.
func TestPhasesNeedRoom(t *testing.T) {
	dev := openGroup(t, "func", 2, nil)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	_, err := catalog.Run(t.Context(), dev, catalog.Request{Algorithm: "wcc", Scheduler: "multi", Graph: graphOf(t, "grid:width=12"), Params: map[string]string{"max-iterations": "3"}})
	require.ErrorContains(t, err, "kernels.WCC did not end within 3 iterations")
}
