//go:build unix

package outfile

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMode(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	dir := t.TempDir()
	path := filepath.Join(dir, "new")
	require.NoError(t, write(path, text("new")))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, "-rw-r-----", info.Mode().String())
	for _, mode := range []os.FileMode{0o600, 0o666, 0o755} {
		path := old(t, filepath.Join(dir, mode.String()), mode)
		require.NoError(t, write(path, func(w io.Writer) error {
			names, err := unfinished(dir)
			require.NoError(t, err)
			require.Len(t, names, 1)
			info, err := os.Stat(names[0])
			require.NoError(t, err)
			assert.Equal(t, mode, info.Mode(), "already while it is written")
			_, err = io.WriteString(w, "new")
			return err
		}))
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode())
		assert.Equal(t, "new", read(t, path))
	}
}

func TestOwner(t *testing.T) {
	uid, gid := 12, 34
	if os.Getuid() != 0 { // only the super-user can change the owner
		uid, gid = os.Getuid(), os.Getgid()
	}
	path := old(t, filepath.Join(t.TempDir(), "a"), 0o666)
	require.NoError(t, os.Chown(path, uid, gid))
	require.NoError(t, write(path, text("new")))
	info, err := os.Stat(path)
	require.NoError(t, err)
	s := info.Sys().(*syscall.Stat_t)
	assert.Equal(t, [2]uint32{uint32(uid), uint32(gid)}, [2]uint32{s.Uid, s.Gid})
}

func TestLinks(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "real"), 0o777))
	require.NoError(t, os.Symlink("real", filepath.Join(dir, "folder")))
	require.NoError(t, os.Symlink("../target", filepath.Join(dir, "real", "link")))
	require.NoError(t, os.Symlink(filepath.Join(dir, "real", "link"), filepath.Join(dir, "far")))
	for _, path := range []string{"real/link", "folder/link", "far"} {
		for range 2 { // first the target is new, then it exists
			require.NoError(t, write(filepath.Join(dir, path), text(path)))
			assert.Equal(t, path, read(t, filepath.Join(dir, "target")))
			info, err := os.Lstat(filepath.Join(dir, path))
			require.NoError(t, err)
			assert.NotZero(t, info.Mode()&os.ModeSymlink, "it stays a link")
		}
		require.NoError(t, os.Remove(filepath.Join(dir, "target")))
	}
}

func TestFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(path, 0o666))
	long := strings.Repeat("0123456789", 20_000) // more than a pipe's buffer holds
	got := make(chan string)
	go func() {
		b, err := os.ReadFile(path)
		got <- string(b)
		if err != nil {
			t.Error(err)
		}
	}()
	require.NoError(t, write(path, text(long)))
	assert.Equal(t, long, <-got)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeNamedPipe, "it stays a FIFO")

	var p Plan
	f, err := p.New("--out", path)
	require.NoError(t, err)
	assert.True(t, f.Piped())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = f.Write(ctx, text("x"))
	assert.EqualError(t, err, "--out: cannot write "+path+": no process reads it: context canceled")
	assert.ErrorIs(t, err, context.Canceled)
	_, err = p.New("--two", path)
	assert.EqualError(t, err, "--two: "+path+" is --out, too")
}

func TestDevice(t *testing.T) {
	before, err := os.Stat(os.DevNull)
	require.NoError(t, err)
	require.NoError(t, write(os.DevNull, text("x")))
	after, err := os.Stat(os.DevNull)
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after))
	if _, err := os.Stat("/dev/full"); err == nil {
		assert.EqualError(t, write("/dev/full", text("x")), "--out: cannot write /dev/full: no space left on device")
	}
	link := filepath.Join(t.TempDir(), "null")
	require.NoError(t, os.Symlink(os.DevNull, link))
	require.NoError(t, write(link, text("x")))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeSymlink)
}
