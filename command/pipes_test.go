//go:build unix

package command

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The command waits for a pipe without a writer, and for a writer that is
// silent; Ctrl-C ends both.
func TestSilentPipes(t *testing.T) {
	for _, line := range [][]string{
		{"graph", "PIPE"}, {"run", "bfs", "--device", "func", "--graph", "PIPE"},
		{"compare", "bfs", "--ncu", "PIPE", "--device", "sim:h200"},
	} {
		for _, writer := range []bool{false, true} {
			pipe := filepath.Join(t.TempDir(), "pipe.mtx")
			require.NoError(t, syscall.Mkfifo(pipe, 0o600))
			ctx, cancel := context.WithCancel(t.Context())
			if writer {
				go func() {
					w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns when the pipe is opened for reading
					assert.NoError(t, err)
					cancel()
					<-t.Context().Done()
					_ = w.Close()
				}()
			} else {
				cancel()
			}
			args := append([]string(nil), line...)
			for i, a := range args {
				if a == "PIPE" {
					args[i] = pipe
				}
			}
			_, stderr, code := commandContext(ctx, args...)
			assert.Equal(t, exitInterrupt, code, "%v, a writer %v: %s", args, writer, stderr)
		}
	}
}

// A graph can be read from a pipe.
func TestGraphFromPipe(t *testing.T) {
	text, err := os.ReadFile("testdata/triangle.mtx")
	require.NoError(t, err)
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	go func() { _ = os.WriteFile(pipe, text, 0o600) }()
	stdout, stderr, code := command(t, "graph", pipe)
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "vertices              3\n")
}

// A source that is a pipe or a device is rejected.
func TestSourceFromPipe(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for file, make := range map[string]func(path string) error{
		"pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"zero": func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		require.NoError(t, os.Mkdir(file, 0o700))
		require.NoError(t, make(filepath.Join(file, "k.go")))
		_, stderr, code := command(t, "run", "./"+file+".Mine", "--device", "func")
		assert.Equal(t, exitWrong, code)
		assert.Contains(t, stderr, `"k.go" is not a regular file; Go source is read from files only`)
	}
}
