package command

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMicroLeftOut checks that a table names the rows that it lacks.
func TestMicroLeftOut(t *testing.T) {
	stdout, stderr, code := command(t, "micro", "--device", "sim:tiny", "--only", "dependent load, plain, (L1|DRAM)")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^latency +dependent load, plain, L1, 16 KiB `, stdout)
	assert.Contains(t, stdout, "\nleft out without --heavy: 1 rows\n  latency: dependent load, plain, DRAM, 512 MiB\n")
}
