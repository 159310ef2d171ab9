//go:build unix

package command

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSweepProgress: a sweep whose standard error is a pipe says now and then how far it is; the results stay on standard output.
func TestSweepProgress(t *testing.T) {
	line := []string{"sweep", "bfs", "--device", "sim:tiny", "--graph", "grid:width=24", "--scheduler", "thread,warp", "--vary", "seed=1:40:1", "-j", "1"}
	run := func(more ...string) (stdout, stderr string) {
		p := newProcess(t, append(append(line, "--out", filepath.Join(t.TempDir(), "out.db")), more...)...)
		require.NoError(t, p.Start())
		require.Zero(t, p.ended(t), p.err.String())
		return p.out.String(), p.err.String()
	}
	stdout, stderr := run("--progress", "2ms")
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	require.NotEmpty(t, lines[0])
	form := regexp.MustCompile(`^sweep bfs, \d+s(: \d+ of \d+(, about \d[\dhms.]* left)?)?$`)
	counted := false
	for _, l := range lines {
		assert.Regexp(t, form, l)
		counted = counted || strings.Contains(l, " of ")
	}
	assert.True(t, counted, "no line says how many are done: %s", stderr)
	assert.NotContains(t, stdout, " left")
	_, stderr = run("--progress", "0")
	assert.Empty(t, stderr)
	_, stderr = run()
	assert.Empty(t, stderr, "a sweep that is over soon needs no line")

	p := newProcess(t, append(line, "--progress", "-1s")...)
	require.NoError(t, p.Start())
	assert.Equal(t, exitUsage, p.ended(t))
	assert.Equal(t, "weft: --progress: -1s is negative\n  such as --progress 1m, or 0 for none\n", p.err.String())
}

func TestProgressText(t *testing.T) {
	assert.Equal(t, "", progressText(0, 0))
	assert.Equal(t, "2 not ok, about 1m30s left", progressText(2, 90e9))
}
