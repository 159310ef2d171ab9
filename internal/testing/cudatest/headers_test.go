package cudatest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/cuda/toolkit"
	"github.com/weft-gpu/weft/internal/testing/cudabuild"
)

// TestHeaders runs programs that try functions of our headers, with the exact answers computed on the host.
func TestHeaders(t *testing.T) {
	if _, err := toolkit.Find(t.Context()); err != nil {
		t.Skipf("needs clang-19 (apt-get install clang-19): %v", err)
	}
	for _, c := range []struct {
		name    string
		defines []string
		arch    string
	}{
		{"number16", nil, "sm_80"}, {"number16", []string{"HALF"}, "sm_80"}, {"redux", nil, "sm_80"},
		{"atomic16", nil, "sm_70"}, {"atomic16", nil, "sm_90"}, {"fp8", nil, "sm_70"}, {"complex", nil, "sm_70"}, {"integers", nil, "sm_70"}, {"groups", nil, "sm_70"}, {"random", nil, "sm_70"}, {"simd", nil, "sm_70"},
		{"pipelines", nil, "sm_70"}, {"pipelines", nil, "sm_80"}, {"pipelines", nil, "sm_90"},
	} {
		program := filepath.Join(t.TempDir(), c.name)
		require.NoError(t, cudabuild.Build(t.Context(), toolkit.Request{Files: []string{filepath.Join("headers", c.name+".cu")}, Output: program, Defines: c.defines, Arch: c.arch}))
		for _, device := range []string{"func", "func --race", "sim:tiny", "sim:h200"} {
			stdout, stderr, code := run(program, append([]string{"--device"}, strings.Fields(device)...)...)
			assert.Zero(t, code, stderr)
			assert.Equal(t, "ok\n", stdout, "%s %s on %s", c.name, c.defines, device)
		}
	}
}

// TestPipelineMistakes leaves out what orders a copy and the reads of what it brings.
func TestPipelineMistakes(t *testing.T) {
	if _, err := toolkit.Find(t.Context()); err != nil {
		t.Skipf("needs clang-19 (apt-get install clang-19): %v", err)
	}
	for mistake, said := range map[string]string{
		"NO_WAIT":    "may still write it; that thread must wait for the copy first",
		"NO_RELEASE": "every thread waits for another",
		"NO_DROP":    "arrivals are missing at an mbarrier",
		"NO_QUIT":    "arrivals are missing at an mbarrier",
		"NO_COMMIT":  "may still write it; that thread must wait for the copy first",
	} {
		program := filepath.Join(t.TempDir(), "pipelines")
		require.NoError(t, cudabuild.Build(t.Context(), toolkit.Request{Files: []string{filepath.Join("headers", "pipelines.cu")}, Output: program, Defines: []string{mistake}, Arch: "sm_80"}))
		_, stderr, code := run(program, "--device", "func")
		assert.NotZero(t, code, mistake)
		assert.Contains(t, stderr, said, mistake)
	}
}

// TestRelaxedArrival arrives at an mbarrier with a release and without, after a store that another thread reads.
func TestRelaxedArrival(t *testing.T) {
	if _, err := toolkit.Find(t.Context()); err != nil {
		t.Skipf("needs clang-19 (apt-get install clang-19): %v", err)
	}
	for _, defines := range [][]string{nil, {"RELAXED"}} {
		program := filepath.Join(t.TempDir(), "arrival")
		require.NoError(t, cudabuild.Build(t.Context(), toolkit.Request{Files: []string{filepath.Join("headers", "arrival.cu")}, Output: program, Defines: defines, Arch: "sm_90"}))
		stdout, stderr, _ := run(program, "--device", "func", "--race")
		assert.Equal(t, "ok\n", stdout, stderr)
		if defines == nil {
			assert.Empty(t, stderr)
			continue
		}
		for _, said := range []string{"race in kernel tell on data in shared memory", "arrival.cu:12", "arrival.cu:23"} {
			assert.Contains(t, stderr, said)
		}
	}
}

// TestHeavyThrust compares Thrust and CUB, as Debian has them (apt-get install libthrust-dev libcub-dev), with the C++ library.
func TestHeavyThrust(t *testing.T) {
	if _, err := toolkit.Find(t.Context()); err != nil {
		t.Skipf("needs clang-19 (apt-get install clang-19): %v", err)
	}
	for _, header := range []string{"thrust/version.h", "cub/version.cuh"} {
		if _, err := os.Stat(filepath.Join("/usr/include", header)); err != nil {
			t.Skipf("needs Thrust and CUB (apt-get install libthrust-dev libcub-dev): %v", err)
		}
	}
	program := filepath.Join(t.TempDir(), "thrust")
	require.NoError(t, cudabuild.Build(t.Context(), toolkit.Request{Files: []string{filepath.Join("headers", "thrust.cu")}, Output: program, Arch: "sm_80", Standard: "c++17"}))
	for _, device := range []string{"func", "sim:a100", "sim:h200"} {
		stdout, stderr, code := run(program, "--device", device)
		assert.Zero(t, code, stderr)
		assert.Equal(t, "ok\n", stdout, device)
	}
}
