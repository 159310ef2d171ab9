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
)

// TestForgotten starts programs that do not call MaybeChild: each starts one child per attempt, and no child starts
// another.
func TestForgotten(t *testing.T) {
	for _, kind := range []string{"opens", "leaves", "stays"} {
		file := filepath.Join(t.TempDir(), "starts")
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), forgetful+"="+kind, starts+"="+file)
		out, err := cmd.Output()
		require.NoError(t, err)
		const says = "hw: the process that was started to hold the GPU runs the program instead: main (and TestMain) must call hw.MaybeChild before anything else false\n"
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
