package cudabuild

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/cuda/toolkit"
)

// TestKey checks that a change of anything that a program is built of is another build, and that its folder is not.
func TestKey(t *testing.T) {
	if _, err := toolkit.Find(t.Context()); err != nil {
		t.Skipf("needs clang-19 (apt-get install clang-19): %v", err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		return file
	}
	keyOf := func(q toolkit.Request) string {
		k, err := key(t.Context(), q)
		require.NoError(t, err)
		return k
	}
	header := write("a/deeper.h", "int deeper;\n")
	for _, folder := range []string{"a", "b"} {
		write(folder+"/check.h", "#include \"../a/deeper.h\"\n")
		write(folder+"/p.cu", "#include <cstdio>\n  # include \"check.h\"\nint main() {}\n")
	}
	q := toolkit.Request{Files: []string{filepath.Join(dir, "a", "p.cu")}}
	first := keyOf(q)
	assert.Equal(t, first, keyOf(toolkit.Request{Files: []string{filepath.Join(dir, "b", "p.cu")}, Output: "elsewhere"}))
	seen := map[string]bool{first: true}
	for _, other := range []toolkit.Request{{Defines: []string{"BUG=1"}}, {Arch: "sm_80"}, {PTX: true}, {Flags: []string{"-w"}}, {Optimize: "0"}, {Standard: "c++20"}, {Includes: []string{"x"}}} {
		other.Files = q.Files
		k := keyOf(other)
		assert.False(t, seen[k], "%+v", other)
		seen[k] = true
	}
	require.NoError(t, os.WriteFile(header, []byte("int deepest;\n"), 0o644))
	assert.NotEqual(t, first, keyOf(q))
}

// TestClean checks that programs go that no test has asked for, and no others.
func TestClean(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"old", "new"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o755))
	}
	long := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(dir, "old"), long, long))
	require.NoError(t, clean(dir, time.Now().Add(-time.Minute)))
	assert.NoFileExists(t, filepath.Join(dir, "old"))
	assert.FileExists(t, filepath.Join(dir, "new"))
}

// TestBuild checks that a program is built once, that errors have what clang says, and that a failure is not kept.
func TestBuild(t *testing.T) {
	if _, err := toolkit.Find(t.Context()); err != nil {
		t.Skipf("needs clang-19 (apt-get install clang-19): %v", err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "k.cu")
	text := "// " + dir + "\n__global__ void k(int *p) { *p = 1; }\n" // which no test has built before
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	for _, name := range []string{"first", "second"} {
		require.NoError(t, Build(t.Context(), toolkit.Request{Files: []string{file}, Output: filepath.Join(dir, name), PTX: true}))
	}
	first, err := os.Readlink(filepath.Join(dir, "first"))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.Remove(first)) })
	second, err := os.Readlink(filepath.Join(dir, "second"))
	require.NoError(t, err)
	assert.Equal(t, first, second)
	ptx, err := os.ReadFile(first)
	require.NoError(t, err)
	assert.Contains(t, string(ptx), "_Z1kPi")
	for text, want := range map[string]string{"nonsense": "unknown type name 'nonsense'", "#warning look here\n": "clang warns"} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		for range 2 {
			assert.ErrorContains(t, Build(t.Context(), toolkit.Request{Files: []string{file}, Output: filepath.Join(dir, "third"), PTX: true}), want)
		}
	}
}
