package trend

import (
	"os/exec"
	"slices"
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
func TestHeavyEqualAnswers(t *testing.T) {
	equalAnswers(t, "pagerank-pull", "circuit", "nn", "levels", "stencil")
}

// TestEqualAnswers does so for the two quickest programs.
func TestEqualAnswers(t *testing.T) { equalAnswers(t, "levels", "stencil") }

func equalAnswers(t *testing.T, names ...string) {
	need(t)
	found := 0
	for _, program := range Programs {
		if !slices.Contains(names, program.Name) {
			continue
		}
		found++
		f := New(function.New(function.Options{}))
		n := 300
		if program.Name == "stencil" {
			n = 4096 // several compute units: a launch reads what others have written in the last one
		}
		want, err := program.Run(t.Context(), f, n)
		require.NoError(t, err)
		d, err := amd.New()
		require.NoError(t, err)
		p := New(d)
		got, err := program.Run(t.Context(), p, n)
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
		require.NoError(t, d.Close())
	}
	assert.Equal(t, len(names), found)
}
