package command

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFullDisk checks that output that could not be printed is an error.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	for _, line := range []string{"version", "list", "run bfs --device func --graph testdata/triangle.mtx --json", "help run"} {
		p := newProcess(t, strings.Fields(line)...)
		p.Stdout = full
		require.NoError(t, p.Start())
		assert.Equal(t, exitWrong, p.ended(t), line)
		assert.Equal(t, "weft: standard output: no space left on device\n", p.err.String())
	}
}
