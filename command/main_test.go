package command

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/experiments/catalog"
	"github.com/weft-gpu/weft/hw"
)

// asCommand makes the test binary behave as the command.
const asCommand = "WEFT_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		Main()
	}
	hw.MaybeChild()
	os.Exit(m.Run())
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
	err := a.verdict(r, runOptions{}, nil)
	assert.EqualError(t, err, "wrong answer: vertex 7: level 3, want 2")
	assert.Equal(t, exitWrong, exitCode(err))
}
