package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDiff(t *testing.T) {
	for _, c := range []struct{ want, got, diff string }{
		{"a\nb\nc\n", "a\nx\nc\n", "from line 2:\n  a\n- b\n+ x\n  c"},
		{"a\nb\nc\n", "a\nc\n", "from line 2:\n  a\n- b\n  c"},
		{"", "a\n", "from line 1:\n+ a"},
		{"a\n", "a", "from line 1:\n- a\n+ a (no end of line)"},
		{"1\n2\n3\n4\nx\n5\n6\n7\n8\ny\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "from line 5:\n  2\n  3\n  4\n- x\n  5\n  6\n  7\n  8\n- y\n  9"},
	} {
		assert.Equal(t, c.diff, Diff(c.want, c.got))
	}
	many := strings.Repeat("a\n", 500)
	assert.Contains(t, Diff(many, strings.Repeat("b\n", 500)), "- a\n... and 940 lines more")
}

// recorder is a test that records how it failed.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...); panic(r) }

func TestCheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sub", "x.txt")
	*update = true
	Check(t, file, "a\n")
	*update = false
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "a\n", string(b))
	assert.False(t, Updating())

	r := &recorder{TB: t}
	Check(r, file, "a\n")
	assert.Empty(t, r.said)
	Check(r, file, "b\n")
	assert.Equal(t, []string{file + " has lines with -, the program says those with +; go test -update writes it anew\nfrom line 1:\n- a\n+ b"}, r.said)
	assert.Panics(t, func() { Check(r, file+".none", "b\n") })
	assert.Contains(t, r.said[1], "go test -update writes it")
}

// TestOrphans checks that unused files and patterns that match nothing are
// found.
func TestOrphans(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"a.txt", "b.txt", "c.other"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, f), []byte("x"), 0o644))
	}
	Check(t, filepath.Join(dir, "a.txt"), "x")
	var out strings.Builder
	assert.Equal(t, 1, report(&out, []string{filepath.Join(dir, "*.txt"), filepath.Join(dir, "*.none")}))
	assert.Equal(t, filepath.Join(dir, "b.txt")+": no test looks at this golden file: remove it\n"+
		filepath.Join(dir, "*.none")+": no test looks at this golden file: remove it\n", out.String())
	assert.Equal(t, 0, report(&out, []string{filepath.Join(dir, "a.*")}))
}
