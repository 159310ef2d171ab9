package trend

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/experiments/second/amd"
	"github.com/weft-gpu/weft/internal/function"
)

// need skips a test without the commands that it runs.
func need(t *testing.T) {
	t.Helper()
	for _, command := range []string{"clang-19", "ld.lld-19"} {
		if _, err := exec.LookPath(command); err != nil {
			t.Skipf("no %s: apt-get install clang-19 lld-19", command)
		}
	}
}

// Each program has the same answer, bit by bit, on MGPUSim as on device func, with as many launches, and all launches of
// kernels of package plain run there.
func TestEqualAnswers(t *testing.T) {
	need(t)
	for _, program := range Programs {
		f := New(function.New(function.Options{}))
		want, err := program.Run(t.Context(), f, 300)
		require.NoError(t, err)
		d, err := amd.New()
		require.NoError(t, err)
		p := New(d)
		got, err := program.Run(t.Context(), p, 300)
		if assert.NoError(t, err, program.Name) {
			assert.Equal(t, want, got, program.Name)
			assert.Equal(t, f.Launches, p.Launches, program.Name)
			assert.Greater(t, p.Launches, 3, program.Name)
			ran := 0
			for _, n := range d.Ran {
				ran += n
			}
			assert.Equal(t, p.Launches, ran, "%s: %v", program.Name, d.Elsewhere)
			assert.Positive(t, p.Seconds, program.Name)
		}
		t.Log(program.Name, p.Launches, p.Seconds, d.Elsewhere)
		require.NoError(t, d.Close())
	}
}
