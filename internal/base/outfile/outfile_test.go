package outfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// abandoned makes the test binary start to write a file and abandon it.
const abandoned = "OUTFILE_TEST_ABANDON"

func TestMain(m *testing.M) {
	if path := os.Getenv(abandoned); path != "" {
		err := write(path, func(io.Writer) error {
			names, err := unfinished(filepath.Dir(path))
			fmt.Printf("%d unfinished %v", len(names), err)
			Abandon()
			os.Exit(7)
			return nil
		})
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// unfinished returns the unfinished files in a folder.
func unfinished(dir string) ([]string, error) {
	return filepath.Glob(filepath.Join(dir, temporary+"*"))
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// write plans one file and writes it.
func write(path string, content func(io.Writer) error) error {
	var p Plan
	f, err := p.New("--out", path)
	if err != nil {
		return err
	}
	return f.Write(context.Background(), content)
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

// old makes a file with a given mode, whatever umask is.
func old(t *testing.T, path string, mode fs.FileMode) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o666))
	require.NoError(t, os.Chmod(path, mode))
	return path
}

func TestRegular(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, strings.Repeat("long", 63)) // nearly the maximum length of a name
	require.NoError(t, write(path, text("one")))
	assert.Equal(t, "one", read(t, path))
	require.NoError(t, write(path, text("two")))
	assert.Equal(t, "two", read(t, path))
	err := write(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "part")
		assert.Equal(t, "two", read(t, path), "not before it is complete")
		return errors.New("no more")
	})
	require.EqualError(t, err, "--out: cannot write "+path+": no more")
	assert.Equal(t, "two", read(t, path))
	assert.Panics(t, func() { _ = write(path, func(io.Writer) error { panic("x") }) })
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, names, 1, "nothing else stays")

	var none *File
	require.NoError(t, none.Write(t.Context(), nil))
	var p Plan
	f, err := p.New("--out", "")
	require.NoError(t, err)
	assert.Nil(t, f)
}

// TestNothingEarly checks that planning a file leaves nothing behind, however
// the process ends.
func TestNothingEarly(t *testing.T) {
	dir := t.TempDir()
	var p Plan
	_, err := p.New("--out", filepath.Join(dir, "a"))
	require.NoError(t, err)
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, names)
}

func TestAbandon(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), abandoned+"="+path)
	out, err := cmd.Output()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 7, exit.ExitCode())
	assert.Equal(t, "1 unfinished <nil>", string(out))
	names, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Empty(t, names)
}

func TestConflicts(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	old(t, at("graph"), 0o644)
	require.NoError(t, os.Link(at("graph"), at("hard")))
	require.NoError(t, os.Symlink("graph", at("soft")))
	require.NoError(t, os.Symlink("later", at("dangling")))
	require.NoError(t, os.Mkdir(at("sub"), 0o777))
	for _, path := range []string{"graph", "hard", "soft", "sub/../graph"} {
		var p Plan
		p.Reads("the graph", at("graph"))
		_, err := p.New("--out", dir+"/"+path)
		var conflict *ConflictError
		require.ErrorAs(t, err, &conflict, path)
		assert.EqualError(t, err, "--out: "+dir+"/"+path+" is the graph, too")
	}
	for _, pair := range [][2]string{{"graph", "hard"}, {"soft", "graph"}, {"new", "new"}, {"new", "sub/../new"}, {"dangling", "later"}} {
		var p Plan
		_, err := p.New("--one", dir+"/"+pair[0])
		require.NoError(t, err)
		_, err = p.New("--two", dir+"/"+pair[1])
		assert.EqualError(t, err, "--two: "+dir+"/"+pair[1]+" is --one, too")
	}
	for _, pair := range [][2]string{{at("graph"), at("other")}, {at("new"), at("other")}, {at("new"), at("sub/new")}, {os.DevNull, os.DevNull}} {
		var p Plan
		p.Reads("the graph", os.DevNull)
		p.Reads("the graph", at("nowhere"))
		_, err := p.New("--one", pair[0])
		require.NoError(t, err)
		_, err = p.New("--two", pair[1])
		require.NoError(t, err)
	}
	f, err := os.Open(at("graph"))
	require.NoError(t, err)
	defer f.Close()
	var p Plan
	p.Prints("the standard output", f)
	_, err = p.New("--out", at("graph"))
	assert.EqualError(t, err, "--out: "+at("graph")+" is the standard output, too")
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.Symlink("loop", at("loop")))
	require.NoError(t, os.Symlink("nowhere/file", at("dangling")))
	old(t, at("fixed"), 0o444)
	require.NoError(t, os.Symlink("fixed", at("tofixed")))
	for path, why := range map[string]string{
		dir:              "it is a directory",
		dir + "/new/":    "no such file or directory",
		at("loop"):       "too many levels of symbolic links",
		at("dangling"):   "no such file or directory",
		at("fixed"):      "it is read-only",
		at("tofixed"):    "it is read-only",
		at("fixed/file"): "not a directory",
		"/proc/version":  "it is read-only",
		"/proc/new":      "", // no file can be created there
	} {
		var p Plan
		_, err := p.New("--out", path)
		assert.ErrorContains(t, err, "--out: cannot write "+path+": "+why)
	}
	assert.Equal(t, "old", read(t, at("fixed")))
}
