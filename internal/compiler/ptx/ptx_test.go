package ptx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/testing/devicetest"
	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/scheduler"
)

func TestMain(m *testing.M) { os.Exit(golden.Run(m, "testdata/*.ptx")) }

func compiler(t *testing.T) *compile.Compiler {
	c := compile.New(catalog.Sources()...)
	return c
}

// TestKernels prints every kernel that a scheme launches for our algorithms, and every micro-kernel. If a kernel has a
// golden file, the output must match it, and every golden file must belong to a kernel. A new scheme needs no golden
// file.
func TestKernels(t *testing.T) {
	c := compiler(t)
	printed := map[string]bool{}
	micros, err := c.Entries("internal/kernels/micro")
	require.NoError(t, err)
	all := catalog.EntryPoints()
	for _, name := range micros {
		e := scheduler.EntryPoint{Name: name}
		if strings.HasPrefix(filepath.Base(name), "micro.AtomicThroughput") {
			e.Bind = map[string]any{"pattern": uint32(3)}
		}
		all = append(all, e)
	}
	for _, e := range all {
		file := ir.Symbol(e.Name) + ".ptx"
		require.False(t, printed[file], "%s is the name of two kernels", file)
		printed[file] = true
		t.Run(e.Name, func(t *testing.T) {
			k, err := c.Kernel(t.Context(), e.Name, e.Bind)
			require.NoError(t, err)
			text, err := Module(Options{NonCoherent: true}, ir.Compiled(k))
			require.NoError(t, err)
			if _, err := os.Stat(filepath.Join("testdata", file)); err == nil {
				golden.Check(t, filepath.Join("testdata", file), text)
			}
			checked, err := Module(Options{Check: true, Watchdog: true}, ir.Compiled(k))
			require.NoError(t, err)
			require.Contains(t, checked, FaultVar)
		})
	}
}

// TestLanguage prints kernels of the contract test that use parts of the language that no algorithm uses.
func TestLanguage(t *testing.T) {
	k, err := devicetest.Kernels()
	require.NoError(t, err)
	var list []*ir.Kernel
	for _, name := range []string{"Shapes", "DynamicReverse", "DynamicViews", "Tables", "Records", "RecordParts"} {
		one, err := k.Kernel(t.Context(), "testkernels."+name, nil)
		require.NoError(t, err)
		list = append(list, ir.Compiled(one))
	}
	text, err := Module(Options{}, list...)
	require.NoError(t, err)
	golden.Check(t, filepath.Join("testdata", "language.ptx"), text)
	text, err = Module(Options{Check: true}, list...)
	require.NoError(t, err)
	golden.Check(t, filepath.Join("testdata", "language_checked.ptx"), text)
}

// TestReadOnlyBuild checks that a kernel executes fewer loads if no buffers overlap, except in code that records which
// instruction of the plain program failed.
func TestReadOnlyBuild(t *testing.T) {
	k, err := compiler(t).Kernel(t.Context(), "blockqueue.Push[kernels.PageRank, float32]", nil)
	require.NoError(t, err)
	loads := func(o Options) int {
		text, err := Module(o, ir.Compiled(k))
		require.NoError(t, err)
		return strings.Count(text, "ld.global.u32") + strings.Count(text, "ld.global.nc.u32")
	}
	plain := loads(Options{})
	require.Equal(t, plain-3, loads(Options{NonCoherent: true}), "an offset merged, and an end that stood in front of the loop and in it")
	require.Equal(t, plain, loads(Options{NonCoherent: true, Watchdog: true}))
	require.Equal(t, plain, loads(Options{NonCoherent: true, Check: true}))
}

// TestPeers checks the scopes of a kernel on one of several GPUs: those of a block stay.
func TestPeers(t *testing.T) {
	k, err := devicetest.Kernels()
	require.NoError(t, err)
	one, err := k.Kernel(t.Context(), "testkernels.Histogram", nil)
	require.NoError(t, err)
	text, err := Module(Options{}, ir.Compiled(one))
	require.NoError(t, err)
	require.Contains(t, text, "red.relaxed.gpu.global.add.u32")
	peers, err := Module(Options{Peers: true}, ir.Compiled(one))
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(text, "relaxed.gpu", "relaxed.sys"), peers)
}

// TestPeersByName checks that a kernel that names the scope of the system keeps its other scopes, and reads what other GPUs may write
// as they wrote it.
func TestPeersByName(t *testing.T) {
	k, err := compiler(t).Kernel(t.Context(), "barrier.MeetGroup", nil)
	require.NoError(t, err)
	peers, err := Module(Options{NonCoherent: true, Peers: true}, ir.Compiled(k))
	require.NoError(t, err)
	plain, err := Module(Options{}, ir.Compiled(k))
	require.NoError(t, err)
	require.Equal(t, plain, peers)
	require.Contains(t, peers, "fence.acq_rel.gpu")
	require.Contains(t, peers, "fence.acq_rel.sys")
}

// TestVersion has the versions of PTX that the PTX ISA gives for what kernels have ("PTX ISA Notes").
func TestVersion(t *testing.T) {
	kernels, err := devicetest.Kernels()
	require.NoError(t, err)
	for name, version := range map[string]string{"Chain": "8.0", "SmallProduct": "8.7", "GroupHalves[[2]uint32]": "8.0", "StoreMatrices": "8.0", "SendValues": "8.1"} {
		k, err := kernels.Kernel(t.Context(), "testkernels."+name, nil)
		require.NoError(t, err)
		text, err := Module(Options{Target: "sm_90"}, ir.Compiled(k))
		require.NoError(t, err)
		require.Contains(t, text, "\n.version "+version+"\n", name)
	}
}
