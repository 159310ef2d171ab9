package catalog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// algorithm returns a package with BFS that imports path and calls its function Next.
func algorithm(path string) string {
	return `package alg

import (
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"

	lib "` + path + `"
)

// Search is breadth-first search.
type Search struct{ kernels.BFS }

// Compute is the next level.
func (Search) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return lib.Next(src), true }
`
}

const (
	next     = "package helper\n\nimport \"example.com/m/inner\"\n\n// Next is a level more.\nfunc Next(x uint32) uint32 { return min(x, inner.Most-1) + 1 }\n"
	inner    = "package inner\n\n// Most is no level.\nconst Most = ^uint32(0)\n"
	hostHalf = "//go:build !kernel\n\npackage helper\n\nimport \"os\"\n\nvar _ = os.Args\n"
)

// written creates files in a new directory and makes it the working directory.
func written(t *testing.T, files map[string]string) {
	t.Helper()
	root := filepath.Join(t.TempDir(), "m")
	for name, text := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	t.Chdir(root)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOMODCACHE", filepath.Join(filepath.Dir(root), "cache"))
}

// TestHelperPackages checks that device code can import packages of its own module, of a module that go.mod replaces
// with a directory, and of the module cache.
func TestHelperPackages(t *testing.T) {
	g := graphOf(t, "grid:width=6")
	for _, c := range []struct{ name, dir, path, shown string }{
		{"module", "./alg", "example.com/m/helper", "helper/helper.go"},
		{"replaced", "alg", "example.com/near/helper", "/near/helper/helper.go"},
		{"cache", "./alg/../alg", "example.com/lib/helper", "/cache/example.com/lib@v1.0.0/helper/helper.go"},
		{"kernels", "./alg", "example.com/m/kernels", "/m/kernels/helper.go"}, // also the name of a package of Weft
	} {
		t.Run(c.name, func(t *testing.T) {
			written(t, map[string]string{
				"go.mod":                   "module example.com/m\n\ngo 1.26\n\nrequire (\n\texample.com/lib v1.0.0\n\texample.com/near v1.0.0\n\tgithub.com/weft-gpu/weft v1.0.0\n)\n\nreplace example.com/near => ../near\n",
				"alg/alg.go":               algorithm(c.path),
				"helper/helper.go":         next,
				"helper/host.go":           hostHalf,
				"helper/helper_test.go":    "package helper\nbroken",
				"kernels/helper.go":        strings.Replace(next, "package helper", "package kernels", 1),
				"inner/inner.go":           inner,
				"../near/go.mod":           "module example.com/near\n",
				"../near/helper/helper.go": next,
				"../cache/example.com/lib@v1.0.0/helper/helper.go": next,
			})
			c2, err := catalog.New()
			require.NoError(t, err)
			res, err := c2.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: c.dir + ".Search", Scheduler: "thread", Graph: g})
			require.NoError(t, err)
			want, err := c2.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: "bfs", Scheduler: "thread", Graph: g})
			require.NoError(t, err)
			require.Equal(t, want.Values, res.Values)
			e, err := c2.Lookup(c.dir+".Search", "thread")
			require.NoError(t, err)
			k, err := c2.Compiler().Kernel(t.Context(), e.Kernel, nil)
			require.NoError(t, err)
			var files []string
			for _, p := range ir.Compiled(k).Program.Pos {
				if strings.HasSuffix(p.File, c.shown) {
					files = append(files, p.File)
				}
			}
			require.NotEmpty(t, files, "positions name the helper's file")
			require.Equal(t, c.name != "module", filepath.IsAbs(files[0]), files[0])
			full, err := filepath.Abs(files[0])
			require.NoError(t, err)
			require.Equal(t, full, c2.Compiler().OnDisk(files[0]))
			text, err := c2.Compiler().Source(files[0])
			require.NoError(t, err)
			require.Contains(t, string(text), "Next is a level more")
		})
	}
}

// TestHelperPackagesRefused checks that an error of an import is reported at the import, and an error in a helper
// package in its file.
func TestHelperPackagesRefused(t *testing.T) {
	mod := "module example.com/m\n\ngo 1.26\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no go.mod": {map[string]string{"alg/alg.go": algorithm("example.com/m/helper")},
			`alg/alg.go:7:6: package "example.com/m/helper" is not found, for there is no go.mod in HERE/alg or above it; "go mod init" makes one, and packages of a module import each other by its path`},
		"missing": {map[string]string{"go.mod": mod, "alg/alg.go": algorithm("example.com/m/helper")},
			`alg/alg.go:7:6: package "example.com/m/helper" is not found: module example.com/m in HERE has no Go files in folder helper`},
		"missing in a helper": {map[string]string{"go.mod": mod, "alg/alg.go": algorithm("example.com/m/helper"), "helper/helper.go": next},
			`helper/helper.go:3:8: package "example.com/m/inner" is not found: module example.com/m in HERE has no Go files in folder inner`},
		"malformed go.mod": {map[string]string{"go.mod": mod + "\nrequire lib\n", "alg/alg.go": algorithm("example.com/m/helper")},
			`alg/alg.go:7:6: package "example.com/m/helper" is not found: HERE/go.mod:5: usage: require module/path v1.2.3`},
		"library": {map[string]string{"go.mod": mod, "alg/alg.go": algorithm("math")},
			`alg/alg.go:7:6: package "math" cannot be used in device code; use gpu.Sqrt, gpu.Exp and similar functions, and write constants as numbers. Code for the host belongs in a separate file whose name begins with host and whose first line is //go:build !kernel`},
		"library in a helper": {map[string]string{"go.mod": mod, "alg/alg.go": algorithm("example.com/m/helper"), "helper/helper.go": "package helper\n\nimport \"fmt\"\n\n// Next prints.\nfunc Next(x uint32) uint32 { fmt.Println(x); return x }\n"},
			`helper/helper.go:3:8: package "fmt" cannot be used in device code; write results to a buffer, and stop with panic("text"). Code for the host belongs in a separate file whose name begins with host and whose first line is //go:build !kernel`},
		"host code of Weft": {map[string]string{"go.mod": mod, "alg/alg.go": algorithm("github.com/weft-gpu/weft/graph")},
			`alg/alg.go:7:6: package "github.com/weft-gpu/weft/graph" cannot be used in device code; device code imports only gpu and other device packages. Code for the host belongs in a separate file whose name begins with host and whose first line is //go:build !kernel`},
		"cycle": {map[string]string{"go.mod": mod, "alg/alg.go": algorithm("example.com/m/helper"), "helper/helper.go": next, "inner/inner.go": "package inner\n\nimport _ \"example.com/m/helper\"\n\nconst Most = ^uint32(0)\n"},
			`inner/inner.go:3:10: import cycle through "example.com/m/helper"; move what both packages need into a third one`},
		"cycle through the user's package": {map[string]string{"go.mod": mod, "alg/alg.go": algorithm("example.com/m/helper"), "helper/helper.go": next, "inner/inner.go": "package inner\n\nimport _ \"example.com/m/alg\"\n\nconst Most = ^uint32(0)\n"},
			`inner/inner.go:3:10: import cycle through "example.com/m/alg"; move what both packages need into a third one`},
		"host code alone": {map[string]string{"go.mod": mod, "alg/alg.go": algorithm("example.com/m/helper"), "helper/host.go": hostHalf},
			`alg/alg.go:7:6: package "example.com/m/helper" holds no device code (no Go file without //go:build !kernel)`},
		"language": {map[string]string{"go.mod": mod, "alg/alg.go": algorithm("example.com/m/helper"), "helper/helper.go": "package helper\n\n// Next asks a map.\nfunc Next(x uint32) uint32 { return map[uint32]uint32{}[x] }\n"},
			"helper/helper.go:4:54: maps are not supported in device code; use a slice indexed by the key\n\talg/alg.go:14:85: inlined from here\n\tscheduler/push.go:"},
		"types": {map[string]string{"go.mod": mod, "alg/alg.go": algorithm("example.com/m/helper"), "helper/helper.go": "package helper\n\n// Next is no number.\nfunc Next(x uint32) uint32 { return \"x\" }\n"},
			`helper/helper.go:4:37: cannot use "x" (untyped string constant) as uint32 value in return statement`},
	} {
		t.Run(name, func(t *testing.T) {
			written(t, c.files)
			own, err := catalog.New()
			require.NoError(t, err)
			_, err = own.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: "./alg.Search", Scheduler: "thread", Graph: &graph.CSR{Row: []uint64{0, 0}}})
			require.Error(t, err)
			here, err2 := os.Getwd()
			require.NoError(t, err2)
			want, got := strings.ReplaceAll(c.want, "HERE", here), strings.TrimPrefix(err.Error(), "algorithm ./alg.Search: ")
			if head, ok := strings.CutSuffix(want, "push.go:"); ok { // more lines with positions in Weft follow
				require.Contains(t, got, head)
				return
			}
			require.Equal(t, want, got)
		})
	}
}

// TestHelperPackagesOfAFileSystem checks that folders of a file system are packages below its import path.
func TestHelperPackagesOfAFileSystem(t *testing.T) {
	kernel := func(path string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("package mine\n\nimport (\n\t\"github.com/weft-gpu/weft/gpu\"\n\n\t\"" + path + "\"\n)\n\n// Fill writes.\nfunc Fill(t gpu.Thread, a []uint32) { a[t.Global()] = helper.Next(0) }\n")}
	}
	files := fstest.MapFS{
		"mine.go":           kernel("example.com/files/helper"),
		"helper/helper.go":  {Data: []byte(strings.ReplaceAll(next, "example.com/m", "example.com/files/helper"))},
		"helper/inner/x.go": {Data: []byte(inner)},
	}
	require.NoError(t, catalog.MountFS("example.com/files", files))
	c, err := catalog.Kernels()
	require.NoError(t, err)
	_, err = c.Kernel(t.Context(), "example.com/files.Fill", nil)
	require.NoError(t, err)
	require.NoError(t, catalog.MountFS("example.com/second", fstest.MapFS{"mine.go": kernel("example.com/files/helper")}))
	_, err = c.Kernel(t.Context(), "example.com/second.Fill", nil)
	require.NoError(t, err, "one package imports those of another file system")
	require.NoError(t, catalog.MountFS("example.com/third", fstest.MapFS{"mine.go": kernel("example.com/third/helper")}))
	_, err = c.Kernel(t.Context(), "example.com/third.Fill", nil)
	require.EqualError(t, err, `example.com/third/mine.go:6:2: package "example.com/third/helper" is not found: the file system of package example.com/third has no Go files in folder helper
Fill itself has no error, but a package with an error of this kind does not compile at all`)
}
