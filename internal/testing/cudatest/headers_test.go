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
		{"atomic16", nil, "sm_70"}, {"atomic16", nil, "sm_90"},
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
