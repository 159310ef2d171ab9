package modules_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/modules"
)

// tree writes files to a new directory, keyed by path, and returns the
// directory. In the texts, ROOT stands for it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(strings.ReplaceAll(text, "ROOT", root)), 0o644))
	}
	return root
}

// files are a main module with all kinds of requirements, and the modules that
// it requires.
var files = map[string]string{
	"main/go.mod": `module example.com/main

go 1.26

require (
	example.com/lib v1.2.0
	example.com/Big v0.1.0
	example.com/near v0.0.0
	example.com/far v1.0.0
	example.com/swapped v1.0.0
	example.com/gone v1.0.0
	example.com/main/extra v1.0.0
	example.com/nowhere v1.0.0
)

replace example.com/near => ../near

replace example.com/far v1.0.0 => ROOT/elsewhere

replace example.com/swapped => example.com/lib v1.2.0

replace example.com/nowhere => ../nowhere
`,
	"main/alg/alg.go":                              "package alg",
	"main/helper/deep/deep.go":                     "package deep",
	"main/nested/go.mod":                           "module example.com/main/nested",
	"main/nested/in/in.go":                         "package in",
	"main/empty/README":                            "no Go",
	"near/go.mod":                                  "module example.com/near",
	"near/near.go":                                 "package near",
	"elsewhere/sub/sub.go":                         "package sub",
	"cache/example.com/lib@v1.2.0/a/a.go":          "package a",
	"cache/example.com/!big@v0.1.0/big.go":         "package big",
	"cache/example.com/main/extra@v1.0.0/extra.go": "package extra",
	"outside/one.go":                               "package one",
	"malformed/go.mod":                             "module example.com/x\n\nrequire lib\n",
	"malformed/x/x.go":                             "package x",
	"nameless/go.mod":                              "go 1.26\n",
	"space/go.work":                                "go 1.26\n\nuse (\n\t./a\n\t./b\n)\n\nreplace example.com/near => ../near\n",
	"space/a/go.mod":                               "module example.com/a\n\ngo 1.26\n\nrequire example.com/lib v1.1.0\n",
	"space/b/go.mod":                               "module example.com/b\n\ngo 1.26\n\nrequire example.com/lib v1.2.0\n",
	"space/a/a.go":                                 "package a",
	"space/b/c/c.go":                               "package c",
	"space/apart/go.mod":                           "module example.com/apart\n",
	"work2/go.work":                                "use ./none\n",
	"work2/a/go.mod":                               "module example.com/a\n",
	"vendoring/go.mod":                             "module example.com/v\n\ngo 1.26\n\nrequire example.com/lib v1.2.0\n",
	"vendoring/vendor/modules.txt":                 "# example.com/lib v1.2.0\n",
	"vendoring/vendor/example.com/lib/vendored/vendored.go": "package vendored",
}

func TestDir(t *testing.T) {
	root := tree(t, files)
	t.Setenv("GOMODCACHE", filepath.Join(root, "cache"))
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "")
	for _, c := range []struct{ from, path, dir, err string }{
		{from: "main/alg", path: "example.com/main/helper/deep", dir: "main/helper/deep"},
		{from: "main/alg", path: "example.com/main/alg", dir: "main/alg"},
		{from: "main", path: "example.com/lib/a", dir: "cache/example.com/lib@v1.2.0/a"},
		{from: "main", path: "example.com/Big", dir: "cache/example.com/!big@v0.1.0"},
		{from: "main", path: "example.com/near", dir: "near"},
		{from: "main", path: "example.com/far/sub", dir: "elsewhere/sub"},
		{from: "main", path: "example.com/swapped/a", dir: "cache/example.com/lib@v1.2.0/a"},
		{from: "main", path: "example.com/main/extra", dir: "cache/example.com/main/extra@v1.0.0"},
		{from: "main", path: "fmt"},
		{from: "main", path: "math/bits"},
		{from: "outside", path: "fmt"},
		{from: "main", path: "example.com/main/none", err: `package "example.com/main/none" is not found: module example.com/main in ROOT/main has no Go files in folder none`},
		{from: "main", path: "example.com/main/empty", err: `package "example.com/main/empty" is not found: module example.com/main in ROOT/main has no Go files in folder empty`},
		{from: "main", path: "example.com/main/nested/in", err: `package "example.com/main/nested/in" is not found: module example.com/main in ROOT/main has no Go files in folder nested/in`},
		{from: "main", path: "example.com/lib/b", err: `package "example.com/lib/b" is not found: module example.com/lib in ROOT/cache/example.com/lib@v1.2.0 has no Go files in folder b`},
		{from: "main", path: "example.com/gone", err: `package "example.com/gone" is not found: module example.com/gone v1.0.0 is not in the module cache; run "go mod download example.com/gone" in ROOT/main`},
		{from: "main", path: "example.com/nowhere", err: `package "example.com/nowhere" is not found: go.mod replaces it by ROOT/nowhere, which is no directory`},
		{from: "main", path: "example.com/other", err: `package "example.com/other" is in no module that ROOT/main/go.mod requires; run "go get example.com/other" in ROOT/main`},
		{from: "outside", path: "example.com/lib/a", err: `package "example.com/lib/a" is not found, for there is no go.mod in ROOT/outside or above it; "go mod init" makes one, and packages of a module import each other by its path`},
		{from: "space/a", path: "example.com/b/c", dir: "space/b/c"},
		{from: "space/a", path: "example.com/lib/a", dir: "cache/example.com/lib@v1.2.0/a"},
		{from: "space/a", path: "example.com/near", dir: "near"},
		{from: "space/apart", path: "example.com/b/c", err: `package "example.com/b/c" is in no module that ROOT/space/apart/go.mod requires; run "go get example.com/b/c" in ROOT/space/apart`},
		{from: "vendoring", path: "example.com/lib/vendored", dir: "vendoring/vendor/example.com/lib/vendored"},
		{from: "vendoring", path: "example.com/lib/a", err: `package "example.com/lib/a" is not in ROOT/vendoring/vendor; run "go mod vendor", or set GOFLAGS=-mod=mod`},
	} {
		b, err := modules.For(filepath.Join(root, c.from))
		require.NoError(t, err)
		dir, err := b.Dir(c.path)
		if c.err != "" {
			require.EqualError(t, err, strings.ReplaceAll(c.err, "ROOT", root))
			continue
		}
		require.NoError(t, err)
		want := ""
		if c.dir != "" {
			want = filepath.Join(root, c.dir)
		}
		require.Equal(t, want, dir, "%s from %s", c.path, c.from)
	}
}

// TestSettings checks the go command's settings, from the environment and from
// "go env -w".
func TestSettings(t *testing.T) {
	root := tree(t, files)
	find := func(from, path string) string {
		b, err := modules.For(filepath.Join(root, from))
		require.NoError(t, err)
		dir, err := b.Dir(path)
		if err != nil {
			return err.Error()
		}
		rel, err := filepath.Rel(root, dir)
		require.NoError(t, err)
		return filepath.ToSlash(rel)
	}
	cached := "cache/example.com/lib@v1.2.0/a"
	t.Setenv("GOMODCACHE", "")
	t.Setenv("GOENV", filepath.Join(root, "env"))
	require.NoError(t, os.WriteFile(filepath.Join(root, "env"), []byte("GOMODCACHE="+filepath.Join(root, "cache")+"\nGOFLAGS=-mod=mod\n"), 0o644))
	require.Equal(t, cached, find("vendoring", "example.com/lib/a"))
	t.Setenv("GOENV", "off")
	t.Setenv("GOMODCACHE", filepath.Join(root, "cache"))
	t.Setenv("GOFLAGS", "-trimpath -mod=readonly")
	require.Equal(t, cached, find("vendoring", "example.com/lib/a"))
	t.Setenv("GOFLAGS", "-mod=vendor")
	require.Contains(t, find("vendoring", "example.com/lib/a"), "is not in")
	t.Setenv("GOWORK", "off")
	require.Contains(t, find("space/a", "example.com/b/c"), "is in no module that")
	t.Setenv("GOWORK", filepath.Join(root, "space", "go.work"))
	require.Equal(t, "space/b/c", find("space/b", "example.com/b/c"))
	t.Setenv("GOMODCACHE", "")
	t.Setenv("GOPATH", filepath.Join(root, "path")+string(filepath.ListSeparator)+"x")
	t.Setenv("GOWORK", "off")
	require.NoError(t, os.MkdirAll(filepath.Join(root, "path", "pkg"), 0o755))
	require.NoError(t, os.Rename(filepath.Join(root, "cache"), filepath.Join(root, "path", "pkg", "mod")))
	require.Equal(t, "path/pkg/mod/example.com/lib@v1.2.0/a", find("main", "example.com/lib/a"))
	require.Equal(t, filepath.Join(root, "path", "pkg", "mod", "example.com", "lib@v1.2.0"), modules.Own("example.com/lib", "v1.2.0"))
	require.Empty(t, modules.Own("example.com/lib", "v1.3.0"))
}

// TestMalformed checks that errors in module files have a line.
func TestMalformed(t *testing.T) {
	root := tree(t, files)
	t.Setenv("GOWORK", "")
	for from, want := range map[string]string{
		"malformed/x": "ROOT/malformed/go.mod:3: usage: require module/path v1.2.3",
		"nameless":    "ROOT/nameless/go.mod:1: it has no module directive; write module and a path",
		"work2/a":     "ROOT/work2/go.work:1: there is no go.mod in ROOT/work2/none",
	} {
		_, err := modules.For(filepath.Join(root, from))
		require.EqualError(t, err, strings.ReplaceAll(want, "ROOT", root))
	}
}

func TestWorks(t *testing.T) {
	root := tree(t, files)
	t.Setenv("GOWORK", "")
	b, err := modules.For(filepath.Join(root, "space", "a"))
	require.NoError(t, err)
	require.True(t, b.Main("example.com/b"))
	require.False(t, b.Main("example.com/lib"))
	require.True(t, b.Works(filepath.Join(root, "space", "b", "c")))
	require.False(t, b.Works(filepath.Join(root, "near")))
}
