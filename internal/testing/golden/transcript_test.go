package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTranscripts checks that -update writes what run returned behind the
// command lines, that comments stay, and that the same text then passes.
func TestTranscripts(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txtar")
	require.NoError(t, os.WriteFile(file, []byte("What it is.\n-- one --\n# why\n$ weft run x\nold\n-- two --\n$ weft list\n"), 0o644))
	echo := func(_ *testing.T, args []string) string { return "args " + strings.Join(args, "|") }
	*update = true
	Transcripts(t, filepath.Join(dir, "*.txtar"), echo)
	*update = false
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "What it is.\n-- one --\n# why\n$ weft run x\nargs run|x\n-- two --\n$ weft list\nargs list\n", string(got))
	Transcripts(t, file, echo)
	assert.Equal(t, [][]string{{"run", "x"}, {"list"}}, Lines(t, file))
}

// TestTranscriptErrors checks what is said of a part and of a pattern that test
// nothing.
func TestTranscriptErrors(t *testing.T) {
	for _, text := range []string{"", "# only a comment\n", "weft run\n", "$\n"} {
		_, _, _, err := cutTranscript(text)
		assert.EqualError(t, err, "its first line is not a command line, such as $ weft version", text)
	}
	r := &recorder{TB: t}
	assert.Panics(t, func() { archives(r, filepath.Join(t.TempDir(), "*.txtar")) })
	require.Len(t, r.said, 1)
	assert.Contains(t, r.said[0], "*.txtar: no such archive")
	assert.Empty(t, reason("exit 0\n", "exit 0\n"))
	assert.Equal(t, "has a line that starts a part of a txtar archive", reason("exit 0\n", "-- a --\n"))
	assert.Equal(t, "has lines with -, the program says those with +; go test -update writes it anew\nfrom line 1:\n- a\n+ b", reason("a\n", "b\n"))
}
