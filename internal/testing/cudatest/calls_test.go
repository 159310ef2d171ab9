package cudatest

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/cuda/toolkit"
	"github.com/weft-gpu/weft/internal/testing/cudabuild"
)

// TestCalls runs programs that try calls of the runtime API. What they print before "ok" is what their kernels and callbacks print.
func TestCalls(t *testing.T) {
	if _, err := toolkit.Find(t.Context()); err != nil {
		t.Skipf("needs clang-19 (apt-get install clang-19): %v", err)
	}
	for name, printed := range map[string]string{
		"reset": strings.Repeat("said before the reset\n", 3),
		"asked": "", "graphs": "", "images": "", "pools": "", "volumes": "",
	} {
		program := filepath.Join(t.TempDir(), name)
		require.NoError(t, cudabuild.Build(t.Context(), toolkit.Request{Files: []string{filepath.Join("calls", name+".cu")}, Output: program, Arch: "sm_80"}))
		for _, device := range []string{"func", "sim:tiny"} {
			stdout, stderr, code := run(program, "--device", device)
			assert.Zero(t, code, "%s on %s: %s", name, device, stderr)
			assert.Equal(t, printed+"ok\n", stdout, "%s on %s", name, device)
		}
	}
}

// TestTrap reads outside of a surface: the report has the line of the program.
func TestTrap(t *testing.T) {
	if _, err := toolkit.Find(t.Context()); err != nil {
		t.Skipf("needs clang-19 (apt-get install clang-19): %v", err)
	}
	program := filepath.Join(t.TempDir(), "trap")
	require.NoError(t, cudabuild.Build(t.Context(), toolkit.Request{Files: []string{filepath.Join("calls", "trap.cu")}, Output: program}))
	stdout, stderr, code := run(program, "--device", "func")
	assert.Equal(t, 1, code)
	assert.Equal(t, "ok\n", stdout)
	assert.Regexp(t, `kernel outside: .*trap\.cu:5:8: assertion the place is in the surface failed`, stderr)
}

// TestParts links the kernels of two files.
func TestParts(t *testing.T) {
	if _, err := toolkit.Find(t.Context()); err != nil {
		t.Skipf("needs clang-19 (apt-get install clang-19): %v", err)
	}
	program := filepath.Join(t.TempDir(), "parts")
	require.NoError(t, cudabuild.Build(t.Context(), toolkit.Request{Files: []string{"calls/parts/main.cu", "calls/parts/part.cu"}, Output: program}))
	for _, device := range []string{"func", "sim:tiny"} {
		stdout, stderr, code := run(program, "--device", device)
		assert.Zero(t, code, "%s: %s", device, stderr)
		assert.Equal(t, "main 1 7\npart 7\nok\n", stdout, device)
	}
}
