package ptx

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	weft "github.com/weft-gpu/weft"
	"github.com/weft-gpu/weft/internal/compile"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func compiler(t *testing.T) *compile.Compiler {
	c := compile.New()
	require.NoError(t, c.MountTree(weft.Module, weft.Sources))
	return c
}

// TestKernels prints every entry point of the algorithms and micro-kernels, and
// holds that no golden file is left of one that is gone.
func TestKernels(t *testing.T) {
	c := compiler(t)
	printed := map[string]bool{"ops.ptx": true, "ops_checked.ptx": true}
	for _, pkg := range []string{"kernels", "kernels/micro"} {
		entries, err := c.Entries(pkg)
		require.NoError(t, err)
		require.NotEmpty(t, entries)
		for _, name := range entries {
			printed[EntryName(name)+".ptx"] = true
			t.Run(name, func(t *testing.T) {
				var bind map[string]any
				if strings.HasPrefix(filepath.Base(name), "micro.AtomicThroughput") {
					bind = map[string]any{"pattern": uint32(3)}
				}
				k, err := c.Kernel(t.Context(), name, bind)
				require.NoError(t, err)
				text, err := Module(Options{NonCoherent: true}, k)
				require.NoError(t, err)
				golden(t, EntryName(name)+".ptx", text)
				checked, err := Module(Options{Check: true, Watchdog: true}, k)
				require.NoError(t, err)
				require.Contains(t, checked, FaultVar)
			})
		}
	}
	files, err := os.ReadDir("testdata")
	require.NoError(t, err)
	for _, f := range files {
		require.True(t, printed[f.Name()], "testdata/%s belongs to no kernel", f.Name())
	}
}

func golden(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run with -update to write it")
	require.Equal(t, string(want), text)
}

// TestEntryName keeps names to what PTX allows.
func TestEntryName(t *testing.T) {
	require.Equal(t, "kernels_Push_BFS_scheduler_WarpPerVertex_uint32_", EntryName("kernels.Push[BFS, scheduler.WarpPerVertex, uint32]"))
}
