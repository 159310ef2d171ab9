package catalog_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/catalog/testdata/linked"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// extended returns a catalog with additional algorithms linked into the program.
func extended(t *testing.T, algorithms ...func() scheduler.Host) (*catalog.Catalog, error) {
	t.Helper()
	return catalog.New(catalog.Extensions{Algorithms: algorithms})
}

// TestLinkedAlgorithm checks that an algorithm added by a program runs with every scheme, pushed and pulled, and is
// verified against its own reference.
func TestLinkedAlgorithm(t *testing.T) {
	c, err := extended(t, linked.New)
	require.NoError(t, err)
	g := graphOf(t, "rmat:scale=7,degree=3,seed=4,directed=true")
	for _, how := range []struct{ scheduler, direction string }{{"thread", "push"}, {"warp", "pull"}, {"block", "pull"}, {"block-queue", ""}} {
		req := catalog.Request{Algorithm: "near", Scheduler: how.scheduler, Graph: g, Verify: true, Params: map[string]string{"step": "9"}}
		if how.direction != "" {
			req.Params["direction"] = how.direction
		}
		res, err := c.Run(t.Context(), openDevice(t, "func"), req)
		require.NoError(t, err)
		require.NoError(t, res.Mismatch)
		require.True(t, res.Verified)
		require.Equal(t, "hop", res.Value)
		require.Contains(t, res.Notes[0], "the graph is directed: near runs on its symmetric closure")
		require.Len(t, res.Notes, 1, "it does not look at weights")
	}
	res, err := c.Run(t.Context(), liar{openDevice(t, "func")}, catalog.Request{Algorithm: "near", Scheduler: "thread", Graph: g, Verify: true})
	require.NoError(t, err)
	require.EqualError(t, res.Mismatch, "near: vertex 5 has hop 77, the reference hop 2; 1 of 128 vertices is wrong")
	require.Equal(t, "uint32", byName(c, "near").Value)
}

// byName returns the algorithm of the given name.
func byName(c *catalog.Catalog, name string) catalog.Algorithm {
	for _, a := range c.Algorithms() {
		if a.Name == name {
			return a
		}
	}
	return catalog.Algorithm{}
}

func TestLinkedAlgorithmsOfOneName(t *testing.T) {
	named := func(name string, device any) func() scheduler.Host {
		return func() scheduler.Host { return scheduler.Host{Name: name, Device: device} }
	}
	type local struct{}
	pretender := func() scheduler.Host {
		return scheduler.Host{Name: "mine", Device: local{}, Sources: []gpu.Package{{Path: kernels.Sources.Path, Files: linked.Sources.Files}}}
	}
	for want, more := range map[string][]func() scheduler.Host{
		`algorithm "near": there is a scheduler or another algorithm of that name`:                                                 {linked.New, linked.New},
		`algorithm "bfs": there is a scheduler or another algorithm of that name`:                                                  {named("bfs", kernels.BFS{})},
		`algorithm "Near": a name consists of lower-case letters, digits and hyphens`:                                              {named("Near", kernels.BFS{})},
		`algorithm "warp": there is a scheduler or another algorithm of that name`:                                                 {named("warp", kernels.BFS{})},
		`algorithm "mine": Sources has no package github.com/weft-gpu/weft/internal/service/catalog_test, which declares its type`: {named("mine", local{})},
		`algorithm "mine": Sources: there is another package github.com/weft-gpu/weft/kernels`:                                     {pretender},
	} {
		_, err := extended(t, more...)
		require.EqualError(t, err, want)
	}
}

// TestWhatAlgorithmsNeed checks that the need for a source, weights and symmetry is derived from the code.
func TestWhatAlgorithmsNeed(t *testing.T) {
	type needs struct{ source, weights, symmetric bool }
	for name, want := range map[string]needs{
		"bc": {source: true}, "bfs": {source: true}, "bp": {weights: true}, "circuit": {true, true, true}, "heat": {true, true, true}, "nn": {source: true, weights: true}, "cc": {symmetric: true}, "colouring": {symmetric: true}, "kcore": {symmetric: true}, "scc": {}, "wcc": {}, "pagerank": {}, "pagerank-pull": {}, "parents": {source: true}, "sssp": {source: true, weights: true}, "sswp": {source: true, weights: true},
		"./testdata/user/paths.Widest": {source: true, weights: true}, "./testdata/user/kcore.KCore": {}, "./testdata/user/ranks.Personal": {source: true},
	} {
		e, err := catalog.Lookup(name, "warp")
		require.NoError(t, err)
		require.Equal(t, want, needs{e.Type.Source, e.Type.Weighted, e.Type.Symmetric}, name)
	}
}

// TestReferenceFails checks that an error of a reference that is not a mismatch is returned unchanged.
func TestReferenceFails(t *testing.T) {
	c, err := extended(t, func() scheduler.Host {
		h := linked.New()
		h.Reference = func(context.Context, scheduler.Input) (any, error) { return []float32{1}, nil }
		return h
	})
	require.NoError(t, err)
	res, err := c.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: "near", Scheduler: "thread", Graph: &graph.CSR{Row: []uint64{0, 0}, Symmetric: true}, Verify: true})
	require.NoError(t, err)
	require.False(t, res.Verified)
	require.EqualError(t, res.Mismatch, "near: the answer is []uint32, the reference []float32")
}
