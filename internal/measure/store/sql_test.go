//go:build linux || darwin || freebsd

package store_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/store"
)

// TestSQLChangesNothing runs statements that would change the store, or write other files.
func TestSQLChangesNothing(t *testing.T) {
	dir := t.TempDir()
	file, other := filepath.Join(dir, "r.db"), filepath.Join(dir, "other.db")
	s := create(t, file)
	_, err := s.Add(t.Context(), sample(1), sample(2))
	require.NoError(t, err)
	create(t, other)
	before, err := os.ReadFile(other)
	require.NoError(t, err)
	const begins = "a query begins with SELECT, WITH, VALUES or EXPLAIN, and this one with "
	const several = "there are several statements; give one query"
	for text, want := range map[string]string{
		"":                                      "there is no query in it",
		" ; -- nothing":                         "there is no query in it",
		"DELETE FROM runs":                      begins + `"DELETE"`,
		"/* SELECT */ PRAGMA query_only=0":      begins + `"PRAGMA"`,
		"PRAGMA query_only=0; DELETE FROM runs": begins + `"PRAGMA"`,
		"SELECT 1; DELETE FROM runs":            several,
		"SELECT ';'; SELECT \"a;b\" FROM runs":  several,
		"SELECT 'it''s' ; /* ; */ DROP TABLE x": several,
		"ATTACH '" + other + "' AS o":           begins + `"ATTACH"`,
		"VACUUM INTO '" + dir + "/copy.db'":     begins + `"VACUUM"`,
		"CREATE TEMP TABLE t (x)":               begins + `"CREATE"`,
		"(SELECT 1)":                            begins + `"("`,
		"WITH x AS (SELECT 1) DELETE FROM runs": "a query cannot change anything",
		"WITH x AS (SELECT 1) INSERT INTO names SELECT 99, 'a', 'b', 'c'":            "a query cannot change anything",
		"WITH x AS (SELECT 1) UPDATE sqlite_schema SET sql = '' WHERE name = 'runs'": "SQL logic error: table sqlite_master may not be modified (1)",
		"SELECT zeroblob(999999999)":             "string or blob too big (18)",
		"SELECT load_extension('x')":             "SQL logic error: not authorized (1)",
		"SELECT writefile('" + dir + "/w', 'x')": "SQL logic error: no such function: writefile (1)",
	} {
		_, err := s.SQL(t.Context(), text)
		assert.EqualError(t, err, want, text)
	}
	for _, text := range []string{"SELECT count(*) AS n FROM runs", "  -- how many\nselect count(*) AS n from runs ; -- all\n", "WITH x AS (SELECT id FROM runs) SELECT count(*) AS n FROM x",
		"SELECT count(*) AS n FROM runs WHERE error <> ';' AND \"algorithm\" <> '--'"} {
		got, err := s.SQL(t.Context(), text)
		require.NoError(t, err, text)
		assert.Equal(t, [][]any{{int64(2)}}, got.Rows, text)
	}
	got, err := s.SQL(t.Context(), "SELECT name FROM pragma_table_info('sweeping')")
	require.NoError(t, err)
	assert.Equal(t, [][]any{{"process"}}, got.Rows)
	after, err := os.ReadFile(other)
	require.NoError(t, err)
	assert.Equal(t, before, after)
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for _, name := range names {
		assert.Regexp(t, `/(r|other)\.db(-wal|-shm)?$`, name, "no other file")
	}
	keys, err := s.Keys(t.Context())
	require.NoError(t, err)
	assert.Len(t, keys, 2)
}

// TestSQLWithoutEnd interrupts queries that do not end.
func TestSQLWithoutEnd(t *testing.T) {
	s := create(t, filepath.Join(t.TempDir(), "r.db"))
	const count = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
	for _, text := range []string{count + "SELECT x FROM c WHERE x < 0", count + "SELECT sum(x) FROM c", count + "SELECT x FROM c"} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		began := time.Now()
		_, err := s.SQL(ctx, text)
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded, text)
		assert.Less(t, time.Since(began), 5*time.Second, text)
	}
}

// fullDisk makes the test binary run TestFullDisk in this process.
const fullDisk = "STORE_TEST_FULL_DISK"

// TestFullDisk reads a store where nothing can be written: SQLite then has no place for the file with which it finds what
// other programs add.
func TestFullDisk(t *testing.T) {
	if os.Getenv(fullDisk) == "" { // in a process of its own, since no write of it succeeds
		cmd := exec.Command(os.Args[0], "-test.run=^TestFullDisk$")
		cmd.Env = append(os.Environ(), fullDisk+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return
	}
	file := filepath.Join(t.TempDir(), "r.db")
	s, err := store.Create(t.Context(), file)
	require.NoError(t, err)
	_, err = s.Add(t.Context(), sample(1))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	old := filepath.Join(t.TempDir(), "old.db")
	require.NoError(t, store.CreateOld(t.Context(), old, 1))

	noSpace(t)
	s, err = store.Open(t.Context(), file)
	require.NoError(t, err)
	got, err := s.SQL(t.Context(), "SELECT count(*) FROM runs")
	require.NoError(t, err)
	assert.Equal(t, [][]any{{int64(1)}}, got.Rows)
	keys, err := s.Keys(t.Context())
	require.NoError(t, err)
	assert.Len(t, keys, 1)
	_, err = s.Add(t.Context(), sample(2))
	require.Error(t, err, "it can only be read")
	require.NoError(t, s.Close())

	_, err = store.Open(t.Context(), old)
	require.EqualError(t, err, "results in "+old+": the disk is full, and they are of an older schema version, which the first opening brings up to date")
	require.NoError(t, os.WriteFile(file+"-wal", []byte("something"), 0o666))
	_, err = store.Open(t.Context(), file)
	require.EqualError(t, err, "results in "+file+": the disk is full, and what was added last is in "+file+"-wal, which cannot be read then")
	require.NoError(t, os.Remove(file+"-wal"))
	_, err = store.Create(t.Context(), file)
	require.EqualError(t, err, "results in "+file+": the disk is full")
}
