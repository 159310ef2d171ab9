package command

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// evil is text that clears the screen, reverses the direction of text, and
// contains a line that looks like ours.
const evil = "x\x1b[2J\x07\u202e\u009b31m\r\nanswer  verified against the CPU reference\nweft: all is well\nx"

// evilSource is an algorithm with such text wherever a source can contain it:
// in comments that annotate shows, in the name of a //line directive, in a
// panic.
var evilSource = strings.NewReplacer("EVIL", strings.ReplaceAll(evil, "\n", " "), "QUOTED", strings.ReplaceAll(evil, "\n", `\n`)).Replace(`// Package bad is EVIL.
package bad

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Panics does so.
type Panics struct {
	scheduler.Min[uint32]
	Count []uint32
}

// Init is EVIL.
func (Panics) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return v.ID }

// Start is every vertex.
func (Panics) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute is EVIL.
func (a Panics) Compute(e scheduler.Edge, src uint32) (uint32, bool) {
	gpu.AtomicAdd(&a.Count[0], 1) // EVIL
//line EVIL.go:7
	if src == 0 { // EVIL
		panic("QUOTED")
	}
	return src, true
}

// Wrong is not accepted.
type Wrong struct{ scheduler.Min[uint32] }

// Init is not accepted.
func (Wrong) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
//line EVIL.go:9
	return map[uint32]uint32{}[v.ID]
}

// Start is every vertex.
func (Wrong) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute is src.
func (Wrong) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return src, true }
`)

// harmless fails if the output contains characters that control a terminal, or
// lines forged by text from outside.
func harmless(t *testing.T, what, out string, verified bool) {
	t.Helper()
	for _, r := range out {
		if r != '\n' && r != '\t' && (unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r == utf8.RuneError) {
			t.Fatalf("%s: %U in %q", what, r, out)
		}
	}
	if !verified {
		assert.NotContains(t, "\n"+out, "\nanswer  verified", what)
	}
	assert.NotContains(t, "\n"+out, "\nweft: all is well", what)
}

// TestEscapes uses evil names and texts in all places that weft prints.
func TestEscapes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), evil)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Skipf("such a name cannot be: %v", err)
	}
	graph := filepath.Join(dir, evil+".mtx")
	b, err := os.ReadFile("testdata/triangle.mtx")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(graph, b, 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bad.go"), []byte(evilSource), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "broken.mtx"), []byte("%%MatrixMarket matrix coordinate pattern general\n"+evil), 0o666))
	sim := []string{"--device", "sim:tiny", "--graph", graph}
	prof, trace := filepath.Join(dir, evil+".pprof"), filepath.Join(dir, evil+".trace")
	for _, c := range []struct {
		code int
		args []string
		has  string // expected on one of the outputs
	}{
		{exitRight, []string{"graph", graph}, `answer  verified against`},
		{exitRight, []string{"graph", graph, "--json"}, `"name"`},
		{exitRight, append([]string{"run", "bfs"}, sim...), ""},
		{exitRight, append([]string{"run", "bfs", "--json"}, sim...), ""},
		{exitRight, append([]string{"annotate", "bfs"}, sim...), ""},
		{exitRight, append([]string{"annotate", "bfs", "--against", "thread"}, sim...), ""},
		{exitRight, append([]string{"compare", "bfs", "--with", "func"}, sim...), ""},
		{exitRight, append([]string{"bench", "sim", "--algorithm", "bfs", "--scheduler", "warp", "--instructions", "1e3,1e4"}, sim...), ""},
		{exitWrong, append([]string{"run", dir + ".Panics", "--pprof", prof, "--trace", trace}, sim...), `panic: x\u001b[2J`},
		{exitWrong, append([]string{"run", dir + ".Panics", "--json"}, sim...), `panic: x`},
		{exitWrong, append([]string{"annotate", dir + ".Panics"}, sim...), `AtomicAdd(&a.Count[0], 1) // x\u001b[2J`},
		{exitWrong, append([]string{"annotate", dir + ".Panics", "--json"}, sim...), ""},
		{exitWrong, append([]string{"run", dir + ".Panics", "--device", "func"}, sim[2:]...), `\u202e`},
		{exitWrong, append([]string{"run", dir + ".Wrong"}, sim...), `bad.go:37:26`},
		{exitRight, []string{"ir", dir + ".Panics"}, ""},
		{exitRight, []string{"ir", dir + ".Panics", "--program"}, ""},
		{exitRight, []string{"ptx", dir + ".Panics", "--check"}, ""},
		{exitUsage, []string{"ir", dir + ".Nothing"}, ""},
		{exitUsage, []string{"run", dir + ".Nothing"}, ""},
		{exitUsage, []string{"run", dir}, ""},
		{exitUsage, []string{"run", evil}, ""},
		{exitUsage, []string{evil}, ""},
		{exitUsage, []string{"help", evil}, ""},
		{exitUsage, []string{"list", evil}, ""},
		{exitUsage, []string{"list", "parameters", evil}, ""},
		{exitUsage, []string{"bench", evil}, ""},
		{exitUsage, []string{"micro", "--only", "(" + evil}, ""},
		{exitUsage, []string{"run", "bfs", "--" + evil}, ""},
		{exitUsage, []string{"run", "bfs", "-" + evil}, ""},
		{exitUsage, []string{"run", "bfs", "--device", evil}, ""},
		{exitUsage, []string{"run", "bfs", "--scheduler", evil}, ""},
		{exitUsage, []string{"run", "bfs", "--set", evil}, ""},
		{exitUsage, []string{"run", "bfs", "--set", evil + "=1"}, ""},
		{exitUsage, []string{"run", "bfs", "--set", "sm.count=" + evil}, ""},
		{exitUsage, []string{"run", "bfs", "--param", evil + "=1"}, ""},
		{exitUsage, []string{"run", "bfs", "--source", evil}, ""},
		{exitUsage, []string{"run", "bfs", "--seed", evil}, ""},
		{exitUsage, []string{"run", "bfs", "--detail", evil}, ""},
		{exitUsage, []string{"run", "bfs", "--deadline", evil}, ""},
		{exitUsage, []string{"run", "bfs", "--format", evil}, ""},
		{exitUsage, []string{"run", "bfs", "--graph", "rmat:" + evil}, ""},
		{exitUsage, []string{"run", "bfs", "--graph", evil + ":scale=3"}, ""},
		{exitUsage, []string{"run", "bfs", "--answer", graph, "--graph", graph}, ""},
		{exitWrong, []string{"run", "bfs", "--answer", dir}, ""},
		{exitWrong, []string{"run", "bfs", "--answer", "nowhere/" + evil}, ""},
		{exitWrong, []string{"graph", dir + "/broken.mtx"}, ""},
		{exitWrong, []string{"graph", dir + "/nothing.mtx"}, ""},
		{exitWrong, []string{"graph", dir}, ""},
		{exitWrong, []string{"compare", "bfs", "--ncu", dir + "/nothing.csv"}, ""},
		{exitWrong, []string{"compare", "--all", "--graphs", dir + "/nothing"}, ""},
		{exitUsage, []string{"compare", "bfs", "--gpu", evil}, ""},
		{exitUsage, []string{"ptx", "bfs", "--target", evil}, ""},
	} {
		stdout, stderr, code := command(t, c.args...)
		what := strings.Join(c.args, " ")
		assert.Equal(t, c.code, code, "%q: %s", what, stderr)
		harmless(t, what, stdout, c.code == exitRight && c.args[0] != "graph")
		harmless(t, what, stderr, false)
		assert.Contains(t, stdout+stderr, c.has, what)
		assert.LessOrEqual(t, strings.Count(stdout, "\nanswer  "), 1, what)
		if strings.Contains(what, "--json") {
			assert.True(t, json.Valid([]byte(stdout)), what)
		}
	}

	text, err := os.ReadFile(trace)
	require.NoError(t, err)
	assert.True(t, json.Valid(text))
	harmless(t, "--trace", string(text), false)
	f, err := os.Open(prof)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	raw, err := io.ReadAll(bufio.NewReader(z))
	require.NoError(t, err)
	assert.Contains(t, string(raw), `\u001b[2J`)
	assert.NotContains(t, string(raw), "\x1b[2J")
}
