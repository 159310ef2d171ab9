package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTouched checks which packages a change touches, and which import them.
func TestTouched(t *testing.T) {
	ps, err := decode(strings.NewReader(`
{"ImportPath": "github.com/weft-gpu/weft", "Imports": ["fmt", "github.com/weft-gpu/weft/sim"]}
{"ImportPath": "github.com/weft-gpu/weft/sim", "Imports": ["github.com/weft-gpu/weft/sim/config"]}
{"ImportPath": "github.com/weft-gpu/weft/sim/config"}
{"ImportPath": "github.com/weft-gpu/weft/graph", "XTestImports": ["github.com/weft-gpu/weft/sim"]}
{"ImportPath": "github.com/weft-gpu/weft/gpu"}
`))
	require.NoError(t, err)
	own := touched(ps, []string{"sim/config/testdata/a/b.yaml", "sim/config/file.go", "docs/running.md", "README.md"})
	assert.Equal(t, []string{"sim/config"}, own)
	assert.Equal(t, []string{".", "graph", "sim"}, ps.importers(own))
	assert.Equal(t, []string{"."}, touched(ps, []string{"weft.go"}))
	assert.Empty(t, ps.importers([]string{"."}))
	assert.Equal(t, []string{"./", "./sim/config"}, dirs([]string{".", "sim/config"}))
	assert.Equal(t, []string{".", "sim", "sim/config", "graph", "gpu"}, ps.names())
}

// TestWithin checks that the quickest packages are taken, and new ones.
func TestWithin(t *testing.T) {
	times, err := readSeconds("# what it is\n9.5 sim\n0.5 graph\n30 command\n")
	require.NoError(t, err)
	now, later := within([]string{"command", "sim", "new", "graph"}, times, 10)
	assert.Equal(t, []string{"new", "graph", "sim"}, now)
	assert.Equal(t, []string{"command"}, later)
	assert.Equal(t, []string{"command", "sim", "graph", "new"}, slowestFirst([]string{"graph", "sim", "new", "command"}, times))
	_, err = readSeconds("fast sim\n")
	assert.ErrorContains(t, err, "seconds.txt: strconv")
	_, err = readSeconds("sim\n")
	assert.EqualError(t, err, `seconds.txt: "sim" is not a time and a folder`)
}

// TestLongestFirst checks that packages with long tests come first, and that these exist.
func TestLongestFirst(t *testing.T) {
	assert.Equal(t, []string{longest[0], longest[1], "gpu", "hw"}, longestFirst([]string{"gpu", longest[1], "hw", longest[0]}))
	for _, n := range longest {
		assert.DirExists(t, "../../../"+n)
	}
}
