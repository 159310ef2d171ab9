package catalog_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/scheduler"
)

func TestListsAreSorted(t *testing.T) {
	require.True(t, slices.IsSortedFunc(catalog.Algorithms(), func(a, b catalog.Algorithm) int { return strings.Compare(a.Name, b.Name) }))
	require.True(t, slices.IsSortedFunc(catalog.Schedulers(), func(a, b scheduler.Scheme) int { return strings.Compare(a.Name, b.Name) }))
}

// TestKernelsHasNoEntryPoints checks that package kernels has algorithms but no kernels of its own; schemes provide
// those.
func TestKernelsHasNoEntryPoints(t *testing.T) {
	k, err := catalog.Kernels()
	require.NoError(t, err)
	names, err := k.Entries("kernels")
	require.NoError(t, err)
	require.Empty(t, names, "an entry point in package kernels runs under no scheme")
}

// TestKernelsCompile checks that all kernels that schemes may launch compile, for Weft's and users' types.
func TestKernelsCompile(t *testing.T) {
	k, err := catalog.Kernels()
	require.NoError(t, err)
	asked := catalog.EntryPoints()
	for _, s := range catalog.Schedulers() {
		for _, name := range []string{"paths.Widest", "paths.Reliable", "kcore.KCore", "ranks.Personal", "component.Size"} {
			e, err := catalog.Lookup("./testdata/user/"+name, s.Name)
			if err != nil && s.Name == "union-find" {
				require.ErrorContains(t, err, " has no method Spreads that returns true: ")
				continue
			}
			if err != nil && s.Name == "oriented" {
				require.ErrorContains(t, err, " has no method Triangles that returns true: ")
				continue
			}
			if err != nil && s.Name == "bitmap" {
				require.ErrorContains(t, err, " has no method Reaches that returns true: ")
				continue
			}
			if err != nil && s.Name == "near-far" {
				require.Regexp(t, " does not have the Combine of Min or Max: | runs in phases, ", err.Error())
				continue
			}
			if err != nil && s.Name == "forward-backward" {
				require.ErrorContains(t, err, " has no method Strong that returns true: ")
				continue
			}
			if name != "paths.Widest" && err != nil {
				require.ErrorContains(t, err, " cannot be pulled: ")
				continue
			}
			require.NoError(t, err)
			asked = append(asked, e.Kernels...)
		}
	}
	for _, e := range asked {
		require.NotEmpty(t, e.What, e.Name)
		_, err := k.Kernel(t.Context(), e.Name, e.Bind)
		require.NoError(t, err, e.Name)
	}
}

// TestLargestBlocks checks that schemes offer no larger blocks than their kernels are built for (//weft:block).
func TestLargestBlocks(t *testing.T) {
	k, err := catalog.Kernels()
	require.NoError(t, err)
	bounded := 0
	for _, e := range catalog.Entries() {
		for _, entry := range e.Kernels {
			compiled, err := k.Kernel(t.Context(), entry.Name, entry.Bind)
			require.NoError(t, err)
			if compiled.MaxThreads == 0 {
				continue
			}
			bounded++
			i := slices.IndexFunc(e.Scheduler.Params, func(p scheduler.Param) bool { return p.Name == "block" })
			require.GreaterOrEqual(t, i, 0)
			require.EqualValues(t, compiled.MaxThreads, e.Scheduler.Params[i].Max, entry.Name)
		}
	}
	require.Positive(t, bounded)
}

// TestPairs checks which scheme supports which of Weft's algorithms.
func TestPairs(t *testing.T) {
	takes := map[string][]string{}
	for _, e := range catalog.Entries() {
		takes[e.Scheduler.Name] = append(takes[e.Scheduler.Name], e.Algorithm.Name)
	}
	all := []string{"bc", "bfs", "bp", "cc", "circuit", "colouring", "heat", "kcore", "nn", "pagerank", "pagerank-pull", "parents", "paths", "scc", "sssp", "sswp", "tc", "wcc"}
	without := func(names ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(names, name) })
	}
	pushed, pulled := without("bp", "circuit", "colouring", "heat", "nn", "pagerank-pull", "paths", "tc"), without("bc", "kcore", "scc", "wcc")
	for scheme, want := range map[string][]string{"block": all, "block-queue": pushed, "hierq": pushed, "thread": all, "union-find": {"cc", "wcc"}, "oriented": {"tc"}, "bitmap": {"bfs", "parents"}, "forward-backward": {"scc"}, "near-far": {"bfs", "cc", "parents", "sssp", "sswp"}, "vwc": pulled, "warp": all,
		"warpseg": slices.DeleteFunc(slices.Clone(pulled), func(name string) bool { return name == "tc" }), "wolf": without("bc", "bp", "circuit", "colouring", "heat", "kcore", "nn", "pagerank-pull", "paths", "scc", "tc", "wcc"), "nodes": without("bc", "bp", "circuit", "colouring", "heat", "kcore", "nn", "pagerank-pull", "paths", "scc", "tc", "wcc")} {
		require.Equal(t, want, takes[scheme], scheme)
	}
}

func TestLookup(t *testing.T) {
	e, err := catalog.Lookup("bfs", "warp")
	require.NoError(t, err)
	require.Equal(t, "bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]", e.Kernel)
	require.Equal(t, "bfs/warp", e.Name())
	e, err = catalog.Lookup("bfs", "block-queue")
	require.NoError(t, err)
	require.Equal(t, "blockqueue.Push[kernels.BFS, uint32]", e.Kernel)
	e, err = catalog.Lookup("./testdata/user/paths.Widest", "block")
	require.NoError(t, err)
	require.Equal(t, "bsp.Push[testdata/user/paths.Widest, scheduler.BlockPerVertex, uint32]", e.Kernel)
	taking := func(algorithm string) string { // the schemes that support it
		var names []string
		for _, e := range catalog.Entries() {
			if e.Algorithm.Name == algorithm {
				names = append(names, e.Scheduler.Name)
			}
		}
		return strings.Join(names, ", ")
	}
	for _, c := range []struct{ algorithm, scheduler, want string }{
		{"bsf", "warp", `unknown algorithm "bsf"; there are: bc, bfs, bp, cc, circuit, colouring, heat, kcore, nn, pagerank, pagerank-pull, parents, paths, scc, sssp, sswp, tc, wcc (a type of your own is written ./directory.Type)`},
		{"bfs", "wrap", `unknown scheduler "wrap"; there are: ` + taking("bfs") + " (auto chooses one by the graph)"},
		{"pagerank-pull", "wrap", `unknown scheduler "wrap"; there are: ` + taking("pagerank-pull") + " (auto chooses one by the graph)"},
		{"pagerank-pull", "block-queue", `scheduler "block-queue" does not run pagerank-pull: kernels.PageRankPull cannot be pushed: it defines Apply, which only a pull scheme calls, and none of Take, Update and Active; these do: ` + taking("pagerank-pull")},
		{"pagerank-pull", "wolf", `scheduler "wolf" does not run pagerank-pull: kernels.PageRankPull cannot be pushed: it defines Apply, which only a pull scheme calls, and none of Take, Update and Active; these do: ` + taking("pagerank-pull")},
		{"kcore", "wolf", `scheduler "wolf" does not run kcore: kernels.KCore runs in phases, which the scheduler does not have; these do: ` + taking("kcore")},
		{"scc", "vwc", `scheduler "vwc" does not run scc: kernels.SCC runs in phases, which the scheduler does not have; these do: ` + taking("scc")},
		{"wcc", "warpseg", `scheduler "warpseg" does not run wcc: kernels.WCC runs in phases, which the scheduler does not have; these do: ` + taking("wcc")},
		{"./testdata", "warp", `algorithm "./testdata" names a directory and no type in it; write ./testdata.Type`},
		{"./testdata/user/paths.widest", "warp", `algorithm "./testdata/user/paths.widest": "widest" is not the name of an exported type; write ./directory.Type`},
		{"./nowhere.Type", "warp", "algorithm ./nowhere.Type: stat ./nowhere: no such file or directory"},
		{"./testdata/user/paths/paths.Widest", "warp", "algorithm ./testdata/user/paths/paths.Widest: stat ./testdata/user/paths/paths: no such file or directory; the name of the package is not repeated: write ./testdata/user/paths.Widest"},
		{"./lists_test.go.Type", "warp", "algorithm ./lists_test.go.Type: open ./lists_test.go: not a directory"},
		{"./testdata/user.Type", "warp", `algorithm ./testdata/user.Type: package "testdata/user" holds no device code (no Go file without //go:build !kernel)`},
		{"./testdata/user/paths.Narrowest", "warp", `algorithm ./testdata/user/paths.Narrowest: unknown type "Narrowest"; there are: Reliable, Widest`},
	} {
		_, err := catalog.Lookup(c.algorithm, c.scheduler)
		require.EqualError(t, err, c.want)
	}
}

// TestUserTypesThatAreNoAlgorithms checks the error for a type that is not an algorithm.
func TestUserTypesThatAreNoAlgorithms(t *testing.T) {
	for _, name := range []string{"Bare", "Wrong", "Text", "Number", "Fielded", "Mapped", "Generic", "Missing", "Twice"} {
		t.Run(name, func(t *testing.T) {
			_, err := catalog.Lookup("./testdata/user/broken."+name, "warp")
			require.Error(t, err)
			golden.Check(t, filepath.Join("testdata", "errors", name+".txt"), err.Error()+"\n")
		})
	}
}

// TestMistakenAlgorithms checks the error for an algorithm that compiles and cannot be what its author means.
func TestMistakenAlgorithms(t *testing.T) {
	for _, name := range []string{"Misspelled", "Prefixed", "Counted", "Split", "Endless", "Alone"} {
		t.Run(name, func(t *testing.T) {
			_, err := catalog.Lookup("./testdata/user/mistaken."+name, "warp")
			require.Error(t, err)
			golden.Check(t, filepath.Join("testdata", "errors", name+".txt"), err.Error()+"\n")
		})
	}
	_, err := catalog.Lookup("./testdata/user/mistaken.Helped", "warp")
	require.NoError(t, err)
}

func TestParams(t *testing.T) {
	for _, a := range catalog.Algorithms() {
		params, err := catalog.Params(a)
		require.NoError(t, err)
		want := map[string]string{}
		switch a.Name {
		case "pagerank":
			want = map[string]string{"damping": "0.85", "epsilon": "0.0001"}
		case "pagerank-pull":
			want = map[string]string{"damping": "0.85", "epsilon": "0.0001", "tolerance": "0"}
		case "sssp":
			want = map[string]string{"delta": "0"}
		case "kcore":
			want = map[string]string{"k": "0"}
		case "bp":
			want = map[string]string{"coupling": "0.5", "epsilon": "0.001"}
		case "circuit":
			want = map[string]string{"leak": "0.1", "epsilon": "0.001"}
		case "heat":
			want = map[string]string{"rate": "0.5", "epsilon": "0.001"}
		case "nn":
			want = map[string]string{"gain": "0.9", "epsilon": "0.001"}
		}
		require.Equal(t, want, params, a.Name)
	}
}
