package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// TestHangFiles checks --hang-json and --hang-dot of each command, and that --json has the same
// graph.
func TestHangFiles(t *testing.T) {
	for _, line := range [][]string{
		{"run", "./testdata/user/stuck.Hang", "--device", "sim:tiny", "--graph", "testdata/triangle.mtx", "--json"},
		{"launch", "../internal/service/launch/testdata/forms.Spin", "--device", "func", "--grid", "1", "--block", "32", "--arg", "word=0", "--json"},
		{"hang", "lock-order", "--device", "sim:tiny", "--json"},
	} {
		dir := t.TempDir()
		asJSON, asDOT := filepath.Join(dir, "g.json"), filepath.Join(dir, "g.dot")
		stdout, stderr, code := command(t, append(line, "--hang-json", asJSON, "--hang-dot", asDOT)...)
		require.Equal(t, exitHang, code, stderr)
		assert.Contains(t, stderr, "  who waits\n")
		assert.Contains(t, stderr, "\n  what to change\n")
		text, err := os.ReadFile(asJSON)
		require.NoError(t, err)
		var g device.WaitGraph
		require.NoError(t, json.Unmarshal(text, &g))
		require.NotEmpty(t, g.Waiters)
		require.NotEmpty(t, g.Causes)
		dot, err := os.ReadFile(asDOT)
		require.NoError(t, err)
		assert.Regexp(t, `^digraph waits \{\n\tlabel="`, string(dot))
		if line[0] == "hang" {
			continue
		}
		var printed struct {
			Error struct {
				Details struct{ Graph device.WaitGraph }
			}
		}
		require.NoError(t, json.Unmarshal([]byte(stdout), &printed))
		assert.Equal(t, g, printed.Error.Details.Graph)
	}
}

// TestHangFilesUntouched checks that a kernel that ends writes neither file, and that a file that
// cannot be written is rejected before anything runs.
func TestHangFilesUntouched(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.dot")
	_, stderr, code := command(t, "run", "bfs", "--device", "func", "--graph", "testdata/triangle.mtx", "--hang-dot", path, "--hang-json", path+".json")
	require.Equal(t, exitRight, code, stderr)
	assert.NoFileExists(t, path)
	assert.NoFileExists(t, path+".json")
	_, stderr, code = command(t, "hang", "lock-order", "--hang-dot", filepath.Join(path, "no", "folder"))
	assert.Equal(t, exitWrong, code)
	assert.Contains(t, stderr, "--hang-dot")
	_, stderr, code = command(t, "hang", "--all", "--hang-dot", path)
	assert.Equal(t, exitUsage, code)
	assert.Equal(t, "weft: --hang-dot and --hang-json are for one run of one scenario\n  run one scenario with them\n", stderr)
}
