//go:build linux || darwin || freebsd

package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/results/store"
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
	require.NoFileExists(t, file+".lock")
	release, err = b.Reserve()
	require.NoError(t, err)
	release()

	// A program that was killed leaves the file, but no lock.
	require.NoError(t, os.WriteFile(file+".lock", []byte("process 1\n"), 0o666))
	release, err = a.Reserve()
	require.NoError(t, err)
	release()
}
