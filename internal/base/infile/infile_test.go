//go:build unix

package infile

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readAll opens and reads a path.
func readAll(ctx context.Context, path string) (string, error) {
	f, _, err := Open(ctx, path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return string(b), err
}

func TestRegular(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(path, []byte("hello"), 0o600))
	f, size, err := Open(t.Context(), path)
	require.NoError(t, err)
	assert.EqualValues(t, 5, size)
	require.NoError(t, f.Close())
	got, err := readAll(t.Context(), path)
	require.NoError(t, err)
	assert.Equal(t, "hello", got)
	_, _, err = Open(t.Context(), path+"x")
	require.EqualError(t, err, "no such file or directory")
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestWhatIsNotRead(t *testing.T) {
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil { // the path may be too long for a socket
		t.Chdir(dir)
		l, err = net.Listen("unix", "s")
	}
	require.NoError(t, err)
	defer l.Close()
	for path, want := range map[string]string{dir: "a directory", socket: "a socket", "/dev/zero": "a device", "/dev/null": "a device"} {
		_, _, err := Open(t.Context(), path)
		var kind *KindError
		require.ErrorAs(t, err, &kind, path)
		require.EqualError(t, err, "is "+want)
	}
}

func fifo(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	return path
}

// A pipe can be read whether the reader or the writer opens it first, up to its
// end.
func TestNamedPipe(t *testing.T) {
	path := fifo(t)
	go func() {
		w, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			_, _ = w.WriteString("hello")
			_ = w.Close()
		}
	}()
	got, err := readAll(t.Context(), path)
	require.NoError(t, err)
	assert.Equal(t, "hello", got)
}

// Waiting for a pipe without data ends with the context: before it is opened,
// and while a writer holds it open and writes nothing.
func TestSilentPipe(t *testing.T) {
	path := fifo(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, _, err := Open(ctx, path)
		done <- err
	}()
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)

	path = fifo(t)
	ctx, cancel = context.WithCancel(t.Context())
	opened := make(chan *os.File)
	go func() {
		w, err := os.OpenFile(path, os.O_WRONLY, 0)
		assert.NoError(t, err)
		opened <- w
	}()
	f, _, err := Open(ctx, path)
	require.NoError(t, err)
	w := <-opened
	defer w.Close()
	go func() {
		_, err := f.Read(make([]byte, 1))
		done <- err
	}()
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.NoError(t, f.Close())
}

// The content of an inherited pipe can be read after its writer has ended.
func TestInheritedPipe(t *testing.T) {
	for _, text := range []string{"hello", ""} {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		_, err = w.WriteString(text)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		got, err := readAll(t.Context(), "/dev/fd/"+strconv.Itoa(int(r.Fd())))
		require.NoError(t, err)
		assert.Equal(t, text, got)
		require.NoError(t, r.Close())
	}
}

func TestReadAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(path, make([]byte, 1<<20), 0o600))
	b, err := ReadAll(t.Context(), path, 1<<20)
	require.NoError(t, err)
	assert.Len(t, b, 1<<20)
	require.NoError(t, os.WriteFile(path, make([]byte, 1<<20+1), 0o600))
	_, err = ReadAll(t.Context(), path, 1<<20)
	require.EqualError(t, err, "is larger than 1 MiB")
	_, err = ReadAll(t.Context(), path+"x", 1<<20)
	require.ErrorIs(t, err, os.ErrNotExist)

	// The size of a pipe is not known in advance.
	pipe := fifo(t)
	go func() {
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err == nil {
			for err == nil {
				_, err = w.Write(make([]byte, 1<<16))
			}
			_ = w.Close()
		}
	}()
	_, err = ReadAll(t.Context(), pipe, 1<<20)
	require.EqualError(t, err, "is larger than 1 MiB")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = ReadAll(ctx, path, 1<<30)
	require.ErrorIs(t, err, context.Canceled)
}

// TestReadNamed: an error says which file it is about, and an interrupted reader gets the context's own error.
func TestReadNamed(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadNamed(t.Context(), dir, 10)
	assert.EqualError(t, err, dir+" is a directory")
	_, err = ReadNamed(t.Context(), dir+"/none", 10)
	assert.EqualError(t, err, dir+"/none: no such file or directory")
	require.NoError(t, os.WriteFile(dir+"/x", make([]byte, 11), 0o600))
	_, err = ReadNamed(t.Context(), dir+"/x", 10)
	require.ErrorIs(t, err, ErrTooLarge)
	assert.ErrorContains(t, err, dir+"/x: ")
	text, err := ReadNamed(t.Context(), dir+"/x", 11)
	require.NoError(t, err)
	assert.Len(t, text, 11)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = ReadNamed(ctx, dir+"/x", 11)
	assert.Equal(t, context.Canceled, err)
}
