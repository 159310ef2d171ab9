package readmetest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestOutsideProgramIsShort checks that a program of workers outside of Weft, with its kernel and its main function, has at
// most 80 lines: whoever brings an application of their own has not much to write.
func TestOutsideProgramIsShort(t *testing.T) {
	lines := 0
	for _, file := range []string{"queens.go", "host_main.go"} {
		lines += strings.Count(read(t, "examples/outside/queens/"+file), "\n")
	}
	assert.LessOrEqual(t, lines, 80)
}
