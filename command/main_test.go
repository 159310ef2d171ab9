package command

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/internal/testing/golden"
)

// asCommand makes the test binary behave as the command.
const asCommand = "WEFT_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		Main()
	}
	os.Exit(golden.Run(m, "testdata/golden/*.txt"))
}

// TestWrongAnswer checks how a run ends if the reference refutes its answer,
// since none of our algorithms gives a wrong one.
func TestWrongAnswer(t *testing.T) {
	err := (&job{}).verdict(&run.Result{Answer: run.AnswerWrong, Why: "vertex 7: level 3, want 2"}, nil)
	assert.EqualError(t, err, "wrong answer: vertex 7: level 3, want 2")
	assert.Equal(t, exitWrong, exitCode(err))
}
