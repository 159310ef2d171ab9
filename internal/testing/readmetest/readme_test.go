package readmetest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../../.."

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

// TestReadme checks that the README is short, begins with a kernel of at most 12
// lines, and has the two pictures.
func TestReadme(t *testing.T) {
	text := read(t, "README.md")
	assert.Less(t, strings.Count(text, "\n"), 200)
	first := blocks(text)[0]
	assert.Equal(t, "go", first.kind)
	assert.LessOrEqual(t, strings.Count(first.text, "\n"), 12)
	assert.Contains(t, first.text, "t gpu.Thread")
	assert.Len(t, regexp.MustCompile(`(?m)^!\[.*\]\(docs/images/.*\.svg\)$`).FindAllString(text, -1), 2)
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
	err := cmd.Run()
	if cmd.ProcessState != nil {
		t.Logf("%v %s", (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Round(time.Millisecond), line)
	}
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

// TestFolders checks that the README's table names existing folders, and
// includes every top-level folder of sources.
func TestFolders(t *testing.T) {
	text := read(t, "README.md")
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
