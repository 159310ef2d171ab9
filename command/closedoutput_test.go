//go:build cgo && linux

package command

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestClosedOutput checks that printing to a closed standard output is an
// error.
func TestClosedOutput(t *testing.T) {
	for _, line := range []string{"version", "run bfs --device func --graph testdata/triangle.mtx"} {
		p := newProcess(t)
		p.Cmd = exec.CommandContext(t.Context(), "sh", append([]string{"-c", `exec "$0" "$@" >&-`, os.Args[0]}, strings.Fields(line)...)...)
		p.Env = append(os.Environ(), asCommand+"=1")
		p.Stderr = &p.err
		require.NoError(t, p.Start())
		assert.Equal(t, exitWrong, p.ended(t))
		assert.Equal(t, "weft: standard output: bad file descriptor\n", p.err.String())
	}
	p := newProcess(t, "version")
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	require.NoError(t, err)
	defer null.Close()
	p.Stdout = null
	require.NoError(t, p.Start())
	assert.Equal(t, exitRight, p.ended(t), "nobody wants to see it, which is no mistake")
}
