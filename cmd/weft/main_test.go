package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/experiments/catalog"
)

// asCommand makes the test binary behave as the command.
const asCommand = "WEFT_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestSignal interrupts a process as a terminal does.
func TestSignal(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "run", "./testdata/user/stuck.Endless", "--device", "func", "--graph", "testdata/triangle.mtx")
	cmd.Env = append(os.Environ(), asCommand+"=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Start())
	time.AfterFunc(time.Second, func() { _ = cmd.Process.Signal(os.Interrupt) })
	var exit *exec.ExitError
	require.ErrorAs(t, cmd.Wait(), &exit)
	assert.Equal(t, exitInterrupt, exit.ExitCode())
	assert.Equal(t, "weft: interrupted\n", stderr.String())
	assert.Contains(t, stdout.String(), "answer  incomplete: the run ended early (interrupted)")
}

// TestWrongAnswer holds what happens to an answer that the reference refutes:
// no algorithm of ours gives one.
func TestWrongAnswer(t *testing.T) {
	r := &runResult{Counters: map[string]float64{}}
	r.fill(&catalog.Result{Reference: true, Checked: true, Mismatch: errors.New("vertex 7: level 3, want 2")}, nil)
	require.NotNil(t, r.Verified)
	assert.False(t, *r.Verified)
	var out strings.Builder
	a := &app{stdout: &out}
	a.printHead(r)
	assert.Contains(t, out.String(), "answer  wrong: vertex 7: level 3, want 2")
	err := a.verdict(r, nil)
	assert.EqualError(t, err, "wrong answer: vertex 7: level 3, want 2")
	assert.Equal(t, exitWrong, exitCode(err))
}
