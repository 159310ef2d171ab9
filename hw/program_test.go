//go:build cgo && linux

package hw_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	weftcommand "github.com/weft-gpu/weft/command"
	"github.com/weft-gpu/weft/hw/internal/worker"
	"github.com/weft-gpu/weft/internal/service/cuda/toolkit"
)

// programs is where the project's own CUDA programs are.
const programs = "../internal/testing/cudatest/programs"

// builtProgram compiles one of them.
func builtProgram(t *testing.T, file string, defines ...string) string {
	t.Helper()
	if _, err := toolkit.Find(t.Context()); err != nil {
		t.Skipf("needs clang-19 (apt-get install clang-19): %v", err)
	}
	program := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(file), ".cu"))
	var said bytes.Buffer
	require.NoError(t, toolkit.Build(t.Context(), toolkit.Request{Files: []string{file}, Output: program, Defines: defines, Stderr: &said}), said.String())
	return program
}

// runProgram runs a program on the emulated GPU.
func runProgram(t *testing.T, program string, flags ...string) (stdout, stderr string, code int) {
	t.Helper()
	t.Setenv(fake, "1")
	t.Setenv(worker.ByMain, "1")
	var out, say bytes.Buffer
	code = weftcommand.Run(slices.Concat([]string{"cuda", "run", "-q", "--device", "hw"}, flags, []string{program}), &out, &say)
	return out.String(), say.String(), code
}

// TestHeavyPrograms runs the project's CUDA programs with their calls served by the process that holds the GPU.
func TestHeavyPrograms(t *testing.T) {
	files, err := filepath.Glob(programs + "/*.cu")
	require.NoError(t, err)
	require.Greater(t, len(files), 40)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".cu"), func(t *testing.T) {
			stdout, stderr, code := runProgram(t, builtProgram(t, file))
			assert.Zero(t, code, stderr)
			assert.True(t, strings.HasSuffix(stdout, "ok\n"), "%s%s", stdout, stderr)
			assert.Empty(t, stderr)
		})
	}
}
