//go:build cgo && linux

package hw_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/hw/internal/worker"
)

// TestForgotten starts programs whose children do not serve: each starts one child per attempt, and no child starts
// another.
func TestForgotten(t *testing.T) {
	for _, kind := range []string{"opens", "leaves", "stays"} {
		file := filepath.Join(t.TempDir(), "starts")
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), worker.ByMain+"=1", forgetful+"="+kind, starts+"="+file)
		out, err := cmd.Output()
		require.NoError(t, err)
		const says = "hw: the process that was started to hold the GPU does not do so; the executable of this process must be a Go program with package hw linked in false\n"
		assert.Equal(t, "noise on the standard output\n"+says+says, string(out), kind)
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		n := strings.Count(string(b), "\n")
		if kind == "stays" { // it is killed after its time, in which a slow machine may not have started it
			assert.LessOrEqual(t, n, 3, "the program, and a child for each attempt")
			assert.Positive(t, n)
			continue
		}
		assert.Equal(t, 3, n, "%s: the program, and a child for each attempt", kind)
	}
}

// TestChildByItself starts a program that only opens a GPU: its child serves, and says whether there is one. Neither
// main nor anything else of the program runs in the child.
func TestChildByItself(t *testing.T) {
	file := filepath.Join(t.TempDir(), "starts")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), forgetful+"=opens", starts+"="+file)
	out, err := cmd.Output()
	require.NoError(t, err)
	d := open(t, hw.Options{})
	says := "<nil> false\n"
	if d == nil {
		says = " true\n" // a GPU is missing
	}
	lines := strings.SplitAfter(string(out), "\n")
	require.Len(t, lines, 4, "%s", out)
	assert.True(t, strings.HasSuffix(lines[1], says) && strings.HasSuffix(lines[2], says), "%s", out)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "started\n", string(b))
}

// TestNoChild checks that the environment variable alone does not make a process a child, and neither do pipes that a
// parent did not create.
func TestNoChild(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	for _, value := range []string{"1", "0:0:", "0:0:word", "3:4:5:6"} {
		for _, files := range [][]*os.File{nil, {r, w}, {w, r}} {
			cmd := exec.Command(os.Args[0], "-test.run", "TestStartedByHand", "-test.v")
			cmd.Env = append(os.Environ(), "WEFT_HW_CHILD="+value)
			cmd.ExtraFiles = files
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			assert.Contains(t, string(out), "--- PASS: TestStartedByHand")
		}
	}
}

// TestStartedByHand checks that a process that is not a child removes the variable.
func TestStartedByHand(t *testing.T) {
	assert.Empty(t, os.Getenv("WEFT_HW_CHILD"))
	if d := open(t, hw.Options{}); d != nil {
		assert.NotEmpty(t, d.Info().Name)
	}
}
