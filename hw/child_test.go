package hw_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/hw/worker"
)

// forgetful makes the test binary a program that forgets to call hw.MaybeChild,
// of the kind that its value names; starts is a file that gets a line for each
// process.
const (
	forgetful = "WEFT_HW_TEST_FORGETFUL"
	starts    = "WEFT_HW_TEST_STARTS"
)

// forget is such a program.
func forget() {
	kind := os.Getenv(forgetful)
	if kind == "" {
		return
	}
	f, err := os.OpenFile(os.Getenv(starts), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Fprintln(f, "started")
	before, err := os.ReadFile(f.Name())
	first := err == nil && strings.Count(string(before), "\n") == 1
	switch {
	case kind == "leaves" && !first:
		os.Exit(3)
	case kind == "stays" && !first:
		select {}
	case kind == "stays":
		hw.SetAnswerTime(100 * time.Millisecond) // it never answers
	}
	fmt.Println("noise on the standard output")
	for range 2 { // a program that tries again
		_, err = hw.Open("hw", 0, hw.Options{})
		fmt.Println(err, hw.IsMissing(err))
	}
	os.Exit(0)
}

// TestForgotten starts programs that do not call MaybeChild: each starts one
// child an attempt, and none starts another.
func TestForgotten(t *testing.T) {
	if !worker.Available {
		t.Skip("this build starts no children")
	}
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
		if kind == "stays" { // it is ended after its time, in which a slow machine may not have begun it
			assert.LessOrEqual(t, n, 3, "the program, and a child for each attempt")
			assert.Positive(t, n)
			continue
		}
		assert.Equal(t, 3, n, "%s: the program, and a child for each attempt", kind)
	}
}

// TestNoChild: the environment variable alone makes no child, nor do pipes that
// are not those of a parent.
func TestNoChild(t *testing.T) {
	if !worker.Available {
		t.Skip("this build knows no children")
	}
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

// TestStartedByHand: a process that is no child forgets the variable.
func TestStartedByHand(t *testing.T) {
	if worker.Available {
		assert.Empty(t, os.Getenv("WEFT_HW_CHILD"))
	}
	if d := open(t, hw.Options{}); d != nil {
		assert.NotEmpty(t, d.Info().Name)
	}
}
