package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStudy runs a study on a device without a clock, continues it without a
// device, and checks what is said of failures and of bad flags.
func TestStudy(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	graph, err := os.ReadFile("testdata/triangle.mtx")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(at("triangle.mtx"), graph, 0o666))
	spec := `
title: Small
repeat: 2
graphs: [{name: three, from: triangle.mtx, symmetrize: true}]
runs:
  - {algorithm: bfs, candidates: [{scheduler: warp}, {scheduler: thread}]}
problems: [{name: BFS, algorithms: [bfs]}]
`
	require.NoError(t, os.WriteFile(at("spec.yaml"), []byte(spec), 0o666))
	study := func(more string) (stdout, stderr string, code int) {
		return command(t, strings.Fields("record study "+at("spec.yaml")+" --graphs "+dir+" --out "+at("out.json")+" "+more)...)
	}
	stdout, stderr, code := study("--device func --only warp")
	require.Equal(t, 0, code, stderr)
	assert.Equal(t, "three bfs warp: right by the reference (0.0 s)", mask(stderr, "three bfs warp"))
	assert.Regexp(t, `(?m)^three  bfs +warp +reference +0 +\d+ +\d+$`, stdout)
	assert.Regexp(t, `(?m)^three  bfs +thread +missing$`, stdout)

	_, stderr, code = study("--device sim:tiny")
	require.Equal(t, 0, code, stderr)
	assert.NotContains(t, stderr, "bfs warp", "the record has it")

	stdout, stderr, code = study("--device hw:7 --markdown " + at("out.md")) // there is no such GPU, and nothing to do
	require.Equal(t, 0, code, stderr)
	assert.Regexp(t, `(?m)^three  bfs +thread +reference +2 `, stdout)
	text, err := os.ReadFile(at("out.md"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "- 1 rows on func, ")
	assert.Contains(t, string(text), "| bfs by thread |")

	require.NoError(t, os.WriteFile(at("spec.yaml"), []byte(strings.Replace(spec, "thread", "thraed", 1)), 0o666))
	stdout, stderr, code = study("--device func")
	assert.Equal(t, exitWrong, code)
	assert.Contains(t, stdout, "error: three bfs thraed: unknown scheduler")
	assert.Contains(t, stderr, "weft: 1 rows failed or gave wrong answers; the table names them\n")

	for more, want := range map[string]string{
		"--verify some":                 "unknown --verify value \"some\"",
		"--only (":                      "--only: error parsing regexp",
		"--repeat 1001":                 "--repeat: 1001 is not from 1 to 1000",
		"--limit -1s":                   "--limit and --row-limit: a time below 0",
		"--device func --deadline 5s":   "--deadline: device func always checks",
		"--markdown " + at("spec.yaml"): "--markdown: " + at("spec.yaml") + " is the specification that is read, too",
	} {
		_, stderr, code := study(more)
		assert.Equal(t, exitUsage, code, more)
		assert.Contains(t, stderr, "weft: "+want, more)
	}
	require.NoError(t, os.WriteFile(at("out.json"), []byte("{"), 0o666))
	_, stderr, code = study("--device func")
	assert.Equal(t, exitWrong, code)
	assert.Contains(t, stderr, "weft: --out: "+at("out.json")+" is not the record of a study: unexpected end of JSON input\n")
}

// mask returns the line of a text that begins with a prefix, with its seconds
// set to 0.0.
func mask(text, prefix string) string {
	for line := range strings.Lines(text) {
		if head, _, ok := strings.Cut(line, " ("); ok && strings.HasPrefix(line, prefix) {
			return head + " (0.0 s)"
		}
	}
	return ""
}
