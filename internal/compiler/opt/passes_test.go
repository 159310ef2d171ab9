package opt

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/internal/testing/irtext"
)

func TestMain(m *testing.M) {
	os.Exit(golden.Run(m, "testdata/kernels/*.txt", "testdata/passes/*.txt"))
}

// passesByName returns the passes that a test file can name.
func passesByName() map[string]pass {
	all := map[string]pass{}
	for _, p := range slices.Concat(pipeline, readOnlyPipeline) {
		all[p.name] = p
	}
	return all
}

// A file of testdata/passes holds "passes: NAME...", a kernel, "-- after --"
// and the kernel after these passes. Unless it declares others, it has the
// leaves of header: buffers a and b, numbers n, m, i and f.
const header = `kernel test
leaf "a" u64 base u32 4 0
leaf "a.len" s64 length void 0 0
leaf "b" u64 base u32 4 1
leaf "b.len" s64 length void 0 1
leaf "n" u32 scalar void 0 2
leaf "m" u32 scalar void 0 3
leaf "i" s64 scalar void 0 4
leaf "f" f32 scalar void 0 5
shared "q" u32 1024 4 4 0
local "tmp" u32 64 4 4 0
trap "boom"
`

func TestPasses(t *testing.T) {
	files, err := filepath.Glob("testdata/passes/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	tested := map[string]bool{}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			first, rest, _ := strings.Cut(string(data), "\n")
			before, _, _ := strings.Cut(rest, "-- after --\n")
			names, ok := strings.CutPrefix(first, "passes: ")
			require.True(t, ok, "the first line names the passes")
			f, err := irtext.Parse(header + before)
			require.NoError(t, err)
			require.NoError(t, f.Verify())
			c := newContext(f)
			prepare(c)
			for _, n := range strings.Fields(names) {
				p, ok := passesByName()[n]
				require.True(t, ok, "no pass %q", n)
				tested[n] = true
				p.run(c)
				require.NoError(t, f.Verify())
			}
			f.Analyze()
			got := body(f)
			golden.Check(t, file, first+"\n"+before+"-- after --\n"+got)
		})
	}
	for n := range passesByName() {
		if n != "prepare" {
			require.True(t, tested[n], "pass %s has no test in testdata/passes", n)
		}
	}
}

// body returns the text of f without its declarations. Values are numbered from
// 0, so that one more value in a pass does not change every line.
func body(f *ir.Func) string {
	n := 0
	for _, b := range f.Blocks {
		for _, list := range [][]*ir.Value{b.Phis, b.Ins} {
			for _, v := range list {
				if v.K != ir.Void {
					v.ID = n
					n++
				}
			}
		}
	}
	text := f.String()
	return text[strings.Index(text, "\nb0:")+1:]
}

func TestDisable(t *testing.T) {
	text := header + "b0:\n\tv1:u32 = mul $n, 4:u32\n\tv2:u32 = add v1, $m\n\tstore.u32.global [$a], v2\n\tret\n"
	run := func(o Options) string {
		f, err := irtext.Parse(text)
		require.NoError(t, err)
		o.VerifyEach = true
		require.NoError(t, Optimize(f, o))
		return body(f)
	}
	require.Contains(t, run(Options{}), "mad $n, 4:u32, $m")
	require.Contains(t, run(Options{Disable: map[string]bool{"fuse": true}}), "shl $n, 2:u32")
	require.Contains(t, run(Options{Disable: map[string]bool{"fuse": true, "simplify": true}}), "mul $n, 4:u32")
	names, what := Passes()
	require.Equal(t, len(names), len(what))
	require.Contains(t, names, "rotate")
}

func TestEmptyKernel(t *testing.T) {
	require.Error(t, Optimize(&ir.Func{Name: "k"}, Options{}))
	_, err := Program(&ir.Func{Name: "k"})
	require.Error(t, err)
}
