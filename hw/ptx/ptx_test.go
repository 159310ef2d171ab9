package ptx

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	weft "github.com/weft-gpu/weft"
	"github.com/weft-gpu/weft/device/devicetest"
	"github.com/weft-gpu/weft/experiments/catalog"
	"github.com/weft-gpu/weft/internal/compile"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/scheduler"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func compiler(t *testing.T) *compile.Compiler {
	c := compile.New()
	require.NoError(t, c.MountTree(weft.Module, weft.Sources))
	return c
}

// TestKernels prints every kernel that a scheme launches for our algorithms, and
// every micro-kernel; where there is a golden file of one, it is what is printed,
// and none is left of one that is gone. A new scheme needs none.
func TestKernels(t *testing.T) {
	c := compiler(t)
	printed := map[string]bool{"ops.ptx": true, "ops_checked.ptx": true, "language.ptx": true, "language_checked.ptx": true}
	micros, err := c.Entries("kernels/micro")
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
			text, err := Module(Options{NonCoherent: true}, k)
			require.NoError(t, err)
			if _, err := os.Stat(filepath.Join("testdata", file)); err == nil {
				golden(t, file, text)
			}
			checked, err := Module(Options{Check: true, Watchdog: true}, k)
			require.NoError(t, err)
			require.Contains(t, checked, FaultVar)
		})
	}
	files, err := os.ReadDir("testdata")
	require.NoError(t, err)
	for _, f := range files {
		require.True(t, printed[f.Name()], "testdata/%s belongs to no kernel", f.Name())
	}
}

// TestLanguage prints kernels of the contract test that use rows of the language which no
// algorithm does.
func TestLanguage(t *testing.T) {
	k, err := devicetest.Kernels()
	require.NoError(t, err)
	var list []*ir.Kernel
	for _, name := range []string{"Shapes", "DynamicReverse", "DynamicViews", "Tables", "Records", "RecordParts"} {
		one, err := k.Kernel(t.Context(), "testkernels."+name, nil)
		require.NoError(t, err)
		list = append(list, one)
	}
	text, err := Module(Options{}, list...)
	require.NoError(t, err)
	golden(t, "language.ptx", text)
	text, err = Module(Options{Check: true}, list...)
	require.NoError(t, err)
	golden(t, "language_checked.ptx", text)
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
