package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSummary reads events as "go test -json" prints them: what failed is
// printed, what passed is not, and a test that did not end is.
func TestSummary(t *testing.T) {
	var out strings.Builder
	s := newSummary(&out)
	require.NoError(t, s.read(strings.NewReader(`{"Action":"build-output","ImportPath":"x","Output":"x.go:1: wrong\n"}
{"Action":"run","Package":"github.com/weft-gpu/weft/graph","Test":"TestA"}
{"Action":"output","Package":"github.com/weft-gpu/weft/graph","Test":"TestA","Output":"quiet\n"}
{"Action":"pass","Package":"github.com/weft-gpu/weft/graph","Test":"TestA","Elapsed":1.5}
{"Action":"output","Package":"github.com/weft-gpu/weft/graph","Test":"TestB/one","Output":"why\n"}
{"Action":"fail","Package":"github.com/weft-gpu/weft/graph","Test":"TestB/one","Elapsed":2}
{"Action":"fail","Package":"github.com/weft-gpu/weft/graph","Test":"TestB","Elapsed":2.5}
{"Action":"pass","Package":"github.com/weft-gpu/weft/graph","Test":"TestD","Elapsed":0}
{"Action":"pass","Package":"github.com/weft-gpu/weft/graph","Test":"TestD/two","Elapsed":1}
{"Action":"pass","Package":"github.com/weft-gpu/weft/graph","Test":"TestD/one","Elapsed":0.5}
{"Action":"pass","Package":"github.com/weft-gpu/weft/graph","Test":"TestD/one/a","Elapsed":3}
{"Action":"output","Package":"github.com/weft-gpu/weft/graph","Test":"TestC","Output":"panic: no\n"}
{"Action":"output","Package":"github.com/weft-gpu/weft/graph","Output":"FAIL\tgraph\t4s\n"}
{"Action":"output","Package":"github.com/weft-gpu/weft/graph","Output":"PASS\n"}
{"Action":"fail","Package":"github.com/weft-gpu/weft/graph","Elapsed":4}
no event
`)))
	assert.Equal(t, "x.go:1: wrong\nwhy\nFAIL\tgraph\t4s\npanic: no\nno event\n", out.String())
	out.Reset()
	here, err := os.Getwd()
	require.NoError(t, err)
	s.print(rowsOf(map[string]time.Duration{filepath.Join(here, "graph"): 3 * time.Second, filepath.Join(here, "sim", "config"): time.Second}))
	assert.Equal(t, "\n2 packages with tests took 4.0 s of processor time\n     3.0 s  75.0%  graph\n     1.0 s  25.0%  sim/config\n"+
		"\n3 tests; the longest, in wall time of their parts\n     4.0 s  graph TestD\n     2.5 s  graph TestB\n     1.5 s  graph TestA\n", out.String())
}

// TestMeasured checks that a binary's exit code is kept and its time recorded.
func TestMeasured(t *testing.T) {
	dir := t.TempDir()
	assert.Equal(t, 3, measured(dir, []string{"sh", "-c", "exit 3"}))
	times, err := readTimes(dir)
	require.NoError(t, err)
	here, err := os.Getwd()
	require.NoError(t, err)
	assert.Contains(t, times, here)
	assert.Equal(t, 1, measured(dir, []string{"./no-such-binary"}))
}

// TestEnvironment checks that what the user says of garbage collection stays.
func TestEnvironment(t *testing.T) {
	assert.Equal(t, []string{"A=1", "GOGC=400", "GOMEMLIMIT=3GiB"}, environment([]string{"A=1"}))
	assert.Equal(t, []string{"GOGC=50", "GOMEMLIMIT=3GiB"}, environment([]string{"GOGC=50"}))
}
