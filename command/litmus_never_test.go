package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/proof/ptxlitmus/run"
)

// TestWhatMachinesNeverShow checks the list of docs/memory.md: each of its tests is allowed by the axioms, and its
// outcome does not occur on simulated machines.
func TestWhatMachinesNeverShow(t *testing.T) {
	text, err := os.ReadFile("../docs/memory.md")
	require.NoError(t, err)
	parts := strings.Split(string(text), "```\nPTX never-")[1:]
	require.Len(t, parts, 3)
	for _, part := range parts {
		source, _, _ := strings.Cut("PTX never-"+part, "```")
		file := filepath.Join(t.TempDir(), "never.litmus")
		require.NoError(t, os.WriteFile(file, []byte(source), 0o600))
		stdout, stderr, code := command(t, "litmus", file, "--model", "ptx", "--json")
		require.Zero(t, code, stderr)
		assert.Contains(t, stdout, `"verdict":1`, source)
		for _, machine := range []string{"tiny", "k40", "h200"} {
			stdout, stderr, code = command(t, "litmus", file, "--device", "sim:"+machine, "--instances", "1500", "--json")
			require.Zero(t, code, stderr)
			var x run.Report
			require.NoError(t, json.Unmarshal([]byte(stdout), &x))
			assert.Equal(t, "never", x.Condition, "sim:%s\n%s", machine, source)
		}
	}
}
