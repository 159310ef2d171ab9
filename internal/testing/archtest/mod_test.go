package archtest

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDirectRequirements checks in go.mod what "go mod tidy" would report about
// direct and indirect requirements, without using the network: a requirement is
// direct if and only if one of our files imports it, whatever its build tags.
func TestDirectRequirements(t *testing.T) {
	out, err := goTool("mod", "edit", "-json")
	require.NoError(t, err)
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	require.NoError(t, json.Unmarshal(out, &mod))
	var direct, all, used []string
	for _, r := range mod.Require {
		all = append(all, r.Path)
		if !r.Indirect {
			direct = append(direct, r.Path)
		}
	}
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_")) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range f.Imports {
			name, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				return err
			}
			best := ""
			for _, m := range all {
				if within(name, m) && len(m) > len(best) {
					best = m
				}
			}
			if best != "" && !slices.Contains(used, best) {
				used = append(used, best)
			}
		}
		return nil
	}))
	slices.Sort(direct)
	slices.Sort(used)
	assert.Equal(t, used, direct, "go mod tidy")
}

// TestOutsideRequirements checks that examples/outside, a module of its own, is tested with the
// versions of this module.
func TestOutsideRequirements(t *testing.T) {
	versions := func(args ...string) map[string]string {
		out, err := goTool(append([]string{"mod", "edit", "-json"}, args...)...)
		require.NoError(t, err)
		var mod struct {
			Require []struct{ Path, Version string }
		}
		require.NoError(t, json.Unmarshal(out, &mod))
		m := map[string]string{}
		for _, r := range mod.Require {
			m[r.Path] = r.Version
		}
		return m
	}
	ours, outside := versions(), versions("examples/outside/go.mod")
	require.Contains(t, outside, module)
	for path, version := range ours {
		if v, ok := outside[path]; ok {
			assert.Equal(t, version, v, path)
		}
	}
}

// TestModules checks that the go.mod of every other module in the repository has what the go
// command needs: without it, nothing there can be built.
func TestModules(t *testing.T) {
	var found []string
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "go.mod" && filepath.Dir(path) != root {
			found = append(found, filepath.Dir(path))
		}
		return err
	}))
	require.NotEmpty(t, found)
	for _, dir := range found {
		rel, err := filepath.Rel(root, dir)
		require.NoError(t, err)
		_, err = goTool("-C", rel, "list", "-mod=readonly", "./...")
		assert.NoError(t, err, "after a change of go.mod: cd %s && go mod tidy", rel)
	}
}
