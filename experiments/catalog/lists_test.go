package catalog_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/experiments/catalog"
	"github.com/weft-gpu/weft/internal/ir"
)

func TestListsAreSorted(t *testing.T) {
	require.True(t, slices.IsSortedFunc(catalog.Algorithms(), func(a, b catalog.Algorithm) int { return strings.Compare(a.Name, b.Name) }))
	require.True(t, slices.IsSortedFunc(catalog.Schedulers(), func(a, b catalog.Scheduler) int { return strings.Compare(a.Name, b.Name) }))
}

// What the catalog names is what the compiled package holds, no more, no less.
func TestEntriesMatchCompiledKernels(t *testing.T) {
	k, err := catalog.Kernels()
	require.NoError(t, err)
	compiled, err := k.Entries("kernels")
	require.NoError(t, err)
	named := map[string]bool{}
	for _, e := range catalog.Entries() {
		named[e.Init], named[e.Kernel] = true, true
	}
	for _, name := range compiled {
		require.True(t, named[name], "%s is an entry point of package kernels, but the catalog does not list it", name)
		delete(named, name)
	}
	require.Empty(t, named, "the catalog lists entry points that package kernels does not have")
}

// An entry point is the same program as the instantiation that a user's
// algorithm would get.
func TestInstancesEqualEntryPoints(t *testing.T) {
	k, err := catalog.Kernels()
	require.NoError(t, err)
	for _, e := range catalog.Entries() {
		if e.Scheduler.Kernel != "" {
			continue
		}
		written, err := k.Kernel(t.Context(), e.Kernel, nil)
		require.NoError(t, err)
		asked, err := k.Kernel(t.Context(), catalog.Instance(e.Algorithm, e.Scheduler), nil)
		require.NoError(t, err)
		require.Equal(t, ops(written), ops(asked), e.Name())
	}
}

// ops are the operations of a kernel, block after block.
func ops(k *ir.Kernel) (list []ir.Op) {
	for _, b := range k.Func.Blocks {
		for _, v := range b.Ins {
			list = append(list, v.Op)
		}
	}
	return list
}

// Whatever can be asked for compiles: our pairs, pulls that nobody wrote down,
// and a user's types.
func TestInstancesCompile(t *testing.T) {
	k, err := catalog.Kernels()
	require.NoError(t, err)
	for _, s := range catalog.Schedulers() {
		if s.Only != "" {
			continue
		}
		asked := []string{
			"bsp.Pull[kernels.BFS, " + s.Mapping + ", uint32]",
			"bsp.Pull[kernels.SSSP, " + s.Mapping + ", uint32]",
		}
		for _, name := range []string{"paths.Widest", "paths.Reliable", "kcore.KCore"} {
			e, err := catalog.Lookup("./testdata/user/"+name, s.Name)
			require.NoError(t, err)
			asked = append(asked, e.Init, e.Kernel)
		}
		for _, name := range asked {
			_, err := k.Kernel(t.Context(), name, nil)
			require.NoError(t, err, name)
		}
	}
}

func TestLookup(t *testing.T) {
	e, err := catalog.Lookup("bfs", "warp")
	require.NoError(t, err)
	require.Equal(t, "kernels.BFSWarp", e.Kernel)
	require.Equal(t, "bfs/warp", e.Name())
	e, err = catalog.Lookup("bfs", "block-queue")
	require.NoError(t, err)
	require.Equal(t, "kernels.BFSBlockQueue", e.Kernel)
	e, err = catalog.Lookup("./testdata/user/paths.Widest", "block")
	require.NoError(t, err)
	require.Equal(t, "bsp.Push[testdata/user/paths.Widest, scheduler.BlockPerVertex, uint32]", e.Kernel)
	for _, c := range []struct{ algorithm, scheduler, want string }{
		{"bsf", "warp", `unknown algorithm "bsf"; there are: bfs, cc, pagerank, pagerank-pull, sssp (a type of your own is written ./directory.Type)`},
		{"bfs", "wrap", `unknown scheduler "wrap"; there are: block, block-queue, thread, warp`},
		{"sssp", "wrap", `unknown scheduler "wrap"; there are: block, thread, warp`},
		{"sssp", "block-queue", `scheduler "block-queue" runs bfs only, not sssp`},
		{"./testdata", "warp", `algorithm "./testdata" names a directory and no type in it; write ./testdata.Type`},
		{"./testdata/user/paths.widest", "warp", `algorithm "./testdata/user/paths.widest": "widest" is not the name of an exported type; write ./directory.Type`},
		{"./nowhere.Type", "warp", "algorithm ./nowhere.Type: stat ./nowhere: no such file or directory"},
		{"./lists_test.go.Type", "warp", "algorithm ./lists_test.go.Type: open ./lists_test.go: not a directory"},
		{"./testdata/user.Type", "warp", `algorithm ./testdata/user.Type: package "testdata/user" holds no device code (no Go file without //go:build !kernel)`},
		{"./testdata/user/paths.Narrowest", "warp", `algorithm ./testdata/user/paths.Narrowest: unknown type "Narrowest"; there are: Reliable, Widest`},
	} {
		_, err := catalog.Lookup(c.algorithm, c.scheduler)
		require.EqualError(t, err, c.want)
	}
}

// A type that is no algorithm is told what it lacks.
func TestUserTypesThatAreNoAlgorithms(t *testing.T) {
	for _, name := range []string{"Bare", "Wrong", "Text", "Number", "Fielded", "Mapped", "Generic", "Missing", "Twice"} {
		t.Run(name, func(t *testing.T) {
			_, err := catalog.Lookup("./testdata/user/broken."+name, "warp")
			require.Error(t, err)
			golden := filepath.Join("testdata", "errors", name+".txt")
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(err.Error()+"\n"), 0o644))
			}
			want, readErr := os.ReadFile(golden)
			require.NoError(t, readErr)
			require.Equal(t, string(want), err.Error()+"\n")
		})
	}
}

func TestParams(t *testing.T) {
	for _, a := range catalog.Algorithms() {
		params, err := catalog.Params(a)
		require.NoError(t, err)
		if strings.HasPrefix(a.Name, "pagerank") {
			require.Equal(t, map[string]string{"damping": "0.85", "epsilon": "0.0001"}, params)
		} else {
			require.Empty(t, params)
		}
	}
}
