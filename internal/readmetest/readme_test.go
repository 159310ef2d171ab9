// Package readmetest tests the README and docs/*.md: their code must be code of
// the project, their commands must run, and their sample output must be what
// these print. docs_test.go describes how a document of docs/ is written.
package readmetest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/golden"
)

const root = "../.."

// block is a fenced code block of a document.
type block struct {
	kind string // "go", "sh", "text", ...
	file string // file that contains it, named by the opening fence: ```go examples/widest/widest.go
	text string
}

var fence = regexp.MustCompile("(?ms)^```(\\w*)[ \t]*([^\n`]*)\n(.*?)^```$")

// blocks returns the fenced blocks of a document, in order.
func blocks(text string) (list []block) {
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		list = append(list, block{m[1], strings.TrimSpace(m[2]), m[3]})
	}
	return list
}

func readme(t *testing.T) (text string, all []block) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	all = blocks(string(b))
	require.NotEmpty(t, all)
	return string(b), all
}

// TestCode checks that the README's code is in the examples, which are compiled
// and tested, and that the first kernel has at most 12 lines.
func TestCode(t *testing.T) {
	var examples strings.Builder
	files, err := filepath.Glob(filepath.Join(root, "examples", "*", "*.go"))
	require.NoError(t, err)
	machines, err := filepath.Glob(filepath.Join(root, "examples", "*", "*.yaml"))
	require.NoError(t, err)
	for _, f := range append(files, machines...) {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		examples.Write(b)
	}
	code := 0
	_, blocks := readme(t)
	for _, b := range blocks {
		if b.kind == "yaml" { // a command uses it
			assert.Contains(t, examples.String(), b.text, "not in examples/")
		}
		if b.kind != "go" {
			continue
		}
		if code++; code == 1 {
			assert.LessOrEqual(t, strings.Count(b.text, "\n"), 12)
			assert.Contains(t, b.text, "t gpu.Thread")
		}
		assert.Contains(t, examples.String(), b.text, "not in examples/")
	}
	assert.GreaterOrEqual(t, code, 2)
}

// TestHeavyCommands runs every command of the README, in order, in the root of
// the repository, except `make test`, which runs this test. A text block after
// a block of commands shows the output of the last one.
func TestHeavyCommands(t *testing.T) {
	text, blocks := readme(t)
	ran, shown, last, out := 0, 0, "", ""
	for _, b := range blocks {
		switch b.kind {
		case "text":
			shown++
			text = sample(t, text, b, last, out)
			continue
		case "sh":
		default:
			continue
		}
		for line := range strings.Lines(b.text) {
			line = strings.TrimSpace(line)
			if line == "" || line == "make test" {
				continue
			}
			last, out = line, sh(t, line)
			ran++
		}
	}
	assert.GreaterOrEqual(t, ran, 10)
	assert.Equal(t, len(samples), shown)
	if golden.Updating() {
		require.NoError(t, os.WriteFile(filepath.Join(root, "README.md"), []byte(text), 0o644))
	}
}

// sh runs a command line and returns its standard output.
func sh(t *testing.T, line string) string {
	t.Helper()
	stdout, stderr, code := execute(t, line)
	require.Zero(t, code, "%s\n%s%s", line, stdout, stderr)
	return stdout
}

// execute runs a command line in the root of the repository.
func execute(t *testing.T, line string) (stdoutText, stderrText string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", line)
	cmd.Dir = root
	cmd.WaitDelay = 10 * time.Second
	for _, v := range os.Environ() { // the commands must not inherit the variables of a make around this test
		if !strings.HasPrefix(v, "MAKE") && !strings.HasPrefix(v, "MFLAGS=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	t.Logf("%s: %v", line, time.Since(start).Round(time.Millisecond))
	if err != nil && cmd.ProcessState.ExitCode() <= 0 { // it was killed or did not start
		require.NoError(t, err, "%s\n%s%s", line, stdout.String(), stderr.String())
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// shape returns an output without its numbers and without the spaces that
// depend on their widths.
func shape(s string) string {
	s = regexp.MustCompile(` +`).ReplaceAllString(s, " ")
	s = number.ReplaceAllString(s, "N")
	s = regexp.MustCompile(`N (k|M|G) `).ReplaceAllString(s, "N ")
	return regexp.MustCompile(`N (s|ms|us|ns)\b`).ReplaceAllString(s, "N time")
}

var number = regexp.MustCompile(`\d[\d.,]*(e[-+]?\d+)?`)

// numbers returns the numbers of an output, in order.
func numbers(t *testing.T, s string) (out []float64) {
	for _, text := range number.FindAllString(s, -1) {
		v, err := strconv.ParseFloat(strings.TrimRight(strings.ReplaceAll(text, ",", ""), "."), 64)
		require.NoError(t, err, text)
		out = append(out, v)
	}
	return out
}

// samples lists the commands whose output the README shows.
var samples = []struct {
	command string // prefix of the command
	from    string // regular expression for the start of the sample in the output
	figures bool   // its numbers depend only on the simulated machine, so the README's must be near them
}{
	{"make demo", `(?m)^run  `, false}, // contains times of this machine
	{"bin/weft annotate", `(?m)^ +thread +block-queue$`, true},
}

// near is how far a figure of the README may differ from what is printed now:
// every change of the model moves the figures, and not every change justifies
// an edit.
const near = 0.05

// sample compares a sample of the README with the output of the command before
// it. With -update it returns the README with an updated sample.
func sample(t *testing.T, text string, b block, line, out string) string {
	t.Helper()
	for _, s := range samples {
		if !strings.HasPrefix(line, s.command) {
			continue
		}
		at := regexp.MustCompile(s.from).FindStringIndex(out)
		require.NotNil(t, at, out)
		out = out[at[0]:]
		if golden.Updating() {
			return strings.Replace(text, "```text\n"+b.text+"```", "```text\n"+out+"```", 1)
		}
		if assert.Equal(t, shape(out), shape(b.text), "go test ./internal/readmetest -update writes it anew") && s.figures {
			want := numbers(t, b.text)
			for i, got := range numbers(t, out) {
				assert.InDelta(t, want[i], got, near*max(want[i], got)+0.1, "%s: the README's figure %v; go test ./internal/readmetest -update", line, want[i])
			}
		}
		return text
	}
	t.Errorf("output of %q, which no sample is of", line)
	return text
}

// TestFolders checks that the README's table names existing folders, and
// includes every top-level folder of sources.
func TestFolders(t *testing.T) {
	text, _ := readme(t)
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)/").FindAllStringSubmatch(text, -1) {
		listed[m[1]] = true
	}
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	for _, e := range entries {
		if n := e.Name(); e.IsDir() && !strings.HasPrefix(n, ".") && n != "bin" && n != "build" && n != "testdata" {
			assert.True(t, listed[n], "folder %s is not in the README's table", n)
			delete(listed, n)
		}
	}
	assert.Empty(t, listed, "folders of the README's table that do not exist")
}
