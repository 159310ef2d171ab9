package readmetest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// span is a code span that may be a path: its first part is a folder at the top.
var span = regexp.MustCompile("`([a-z]+/[A-Za-z0-9_./-]*)`")

// TestPaths checks that each path of the repository which a document names is there, and that README's map has every folder
// at the top and every folder below internal.
func TestPaths(t *testing.T) {
	files := []string{"README.md", "RATIONALE.md", "CONTRIBUTING.md"}
	for _, pattern := range []string{"docs/*.md", "results/*/README.md", "results/*/*/README.md", "results/*/*/*/README.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		for _, f := range found {
			rel, err := filepath.Rel(root, f)
			require.NoError(t, err)
			files = append(files, filepath.ToSlash(rel))
		}
	}
	n := 0
	for _, file := range files {
		for _, m := range span.FindAllStringSubmatch(read(t, file), -1) {
			path := m[1]
			first, _, _ := strings.Cut(path, "/")
			if info, err := os.Stat(filepath.Join(root, first)); err != nil || !info.IsDir() || first == "build" || first == "bin" {
				continue // "sim/h200", a device; or what a target makes
			}
			n++
			if regexp.MustCompile(`[A-Z]{3}`).MatchString(filepath.Base(path)) && !strings.HasSuffix(path, ".md") {
				continue // kernels/NAME.go
			}
			_, err := os.Stat(filepath.Join(root, path))
			_, beside := os.Stat(filepath.Join(root, filepath.Dir(file), path))
			assert.True(t, err == nil || beside == nil, "%s names %s, which is not there", file, path)
		}
	}
	require.Greater(t, n, 100)

	text := read(t, "README.md")
	for _, dir := range []string{".", "internal"} {
		list, err := os.ReadDir(filepath.Join(root, dir))
		require.NoError(t, err)
		for _, d := range list {
			name := filepath.ToSlash(filepath.Join(dir, d.Name()))
			if !d.IsDir() || strings.HasPrefix(name, ".") || slices.Contains([]string{"bin", "build", "internal", "testdata", "cmd", "record"}, name) {
				continue
			}
			assert.Contains(t, text, "| `"+name+"/` |", "README's map")
		}
	}
}
