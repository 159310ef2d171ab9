package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/cuda/toolkit"
)

// needClang skips a test where there is no clang.
func needClang(t *testing.T) {
	t.Helper()
	if _, err := toolkit.Find(t.Context()); err != nil {
		t.Skipf("needs clang-19 (apt-get install clang-19): %v", err)
	}
}

// TestCUDABuild checks that each flag reaches clang.
func TestCUDABuild(t *testing.T) {
	needClang(t)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "include"), 0o755))
	for name, text := range map[string]string{
		"include/size.h": "#define SIZE 32\n",
		"a.cu": `#include "size.h"
static_assert(LANES == SIZE && __cplusplus == 202002L, "flags");
#ifdef __OPTIMIZE__
#error optimized
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 800
#error architecture
#endif
#ifndef __FAST_MATH__
#error not fast
#endif
__global__ void k() {}
int main() {}
`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	line := []string{"cuda", "build", filepath.Join(dir, "a.cu"), "-o", filepath.Join(dir, "out"), "-I", filepath.Join(dir, "include"), "-DLANES=32", "--std=c++20", "-O0", "--arch", "sm_80", "--", "-ffast-math"}
	stdout, stderr, code := command(t, line...)
	assert.Equal(t, []any{0, "", ""}, []any{code, stdout, stderr})
	assert.FileExists(t, filepath.Join(dir, "out"))
	line[4] = filepath.Join(dir, "out.ptx")
	_, stderr, code = command(t, append([]string{"cuda", "build", "--ptx"}, line[2:]...)...)
	assert.Equal(t, 0, code, stderr)
	text, err := os.ReadFile(filepath.Join(dir, "out.ptx"))
	require.NoError(t, err)
	assert.Contains(t, string(text), ".target sm_80")
	_, stderr, code = command(t, "cuda", "bild")
	assert.Equal(t, exitUsage, code)
	assert.Equal(t, "weft: unknown command \"cuda bild\"\n  did you mean cuda build?\n  there are: cuda build, cuda compare, cuda run\n", stderr)
}
