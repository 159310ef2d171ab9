//go:build linux || darwin || freebsd

package store_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/store"
)

// TestReserve has two openings of a file, as two programs would.
func TestReserve(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.db")
	open := func() *store.Store {
		s, err := store.Create(t.Context(), file)
		require.NoError(t, err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	a, b := open(), open()
	release, err := a.Reserve()
	require.NoError(t, err)
	_, err = b.Reserve()
	var reserved *store.Reserved
	require.ErrorAs(t, err, &reserved)
	host, _ := os.Hostname()
	require.Regexp(t, fmt.Sprintf(`^a sweep already adds to .*a\.db: process %d on %s, since 20..-..-.. ..:..:..$`, os.Getpid(), host), err.Error())
	release()
	release, err = b.Reserve()
	require.NoError(t, err)
	_, err = a.Reserve()
	require.ErrorAs(t, err, &reserved)
	release()
	release, err = a.Reserve()
	require.NoError(t, err, "twice in the same store")
	release()
}

// TestReserveNames reserves a store by different names of the same file, and where others have put files and links beside it.
func TestReserveNames(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.db")
	treasure := filepath.Join(dir, "treasure")
	require.NoError(t, os.WriteFile(treasure, []byte("gold"), 0o666))
	require.NoError(t, os.Symlink("treasure", file+".lock"))
	s := create(t, file)
	_, err := s.Add(t.Context(), sample(1))
	require.NoError(t, err)
	release, err := s.Reserve()
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o777))
	for _, link := range []string{filepath.Join(dir, "link.db"), filepath.Join(dir, "sub", "far.db")} {
		require.NoError(t, os.Symlink(file, link))
		other := create(t, link)
		_, err := other.Reserve()
		var reserved *store.Reserved
		require.ErrorAs(t, err, &reserved, link)
		require.Contains(t, err.Error(), "a sweep already adds to "+link+": process ")
	}
	require.NoError(t, os.Link(file, filepath.Join(dir, "hard")))
	release()
	text, err := os.ReadFile(treasure)
	require.NoError(t, err)
	require.Equal(t, "gold", string(text))
	target, err := os.Readlink(file + ".lock")
	require.NoError(t, err)
	require.Equal(t, "treasure", target, "what others put there stays")
}

// TestPlanted has links where SQLite writes beside a store: it refuses them.
func TestPlanted(t *testing.T) {
	for _, ending := range []string{"-wal", "-shm", "-journal"} {
		dir := t.TempDir()
		file, treasure := filepath.Join(dir, "a.db"), filepath.Join(dir, "treasure")
		require.NoError(t, os.WriteFile(treasure, []byte("gold"), 0o666))
		require.NoError(t, os.Symlink(treasure, file+ending))
		s, err := store.Create(t.Context(), file)
		if err == nil {
			_, _ = s.Add(t.Context(), sample(1))
			_ = s.Close()
		}
		text, err := os.ReadFile(treasure)
		require.NoError(t, err, ending)
		require.Equal(t, "gold", string(text), ending)
	}
}

// TestReserveLasts checks that what else this process does with the file does not end the reservation or the locks of SQLite.
func TestReserveLasts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.db")
	s := create(t, file)
	release, err := s.Reserve()
	require.NoError(t, err)
	defer release()
	again, err := store.Open(t.Context(), file)
	require.NoError(t, err)
	require.NoError(t, again.Close())
	f, err := os.Open(file)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	cmd := exec.Command(os.Args[0], "-test.run=^TestReserveOther$", "-test.v")
	cmd.Env = append(os.Environ(), reservedFile+"="+file)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "a sweep already adds to "+file+": process ")
}

// reservedFile names a store that another process has reserved.
const reservedFile = "STORE_TEST_RESERVED"

// TestReserveOther is the other process of TestReserveLasts.
func TestReserveOther(t *testing.T) {
	file := os.Getenv(reservedFile)
	if file == "" {
		t.Skip("TestReserveLasts runs it")
	}
	_, err := create(t, file).Reserve()
	require.Error(t, err)
	t.Log(err)
}

// noSpace makes every write of this process to a file fail until the test ends.
func noSpace(t *testing.T) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 64, Max: old.Max}))
	t.Cleanup(func() {
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old))
		signal.Reset(syscall.SIGXFSZ)
	})
}
