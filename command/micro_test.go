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

// TestMicroDevices checks which table a device has, and the error for devices without a clock.
func TestMicroDevices(t *testing.T) {
	for _, device := range []string{"funcx2", "func"} {
		_, stderr, code := command(t, "micro", "--device", device)
		assert.Equal(t, exitUsage, code)
		assert.Equal(t, "weft: weft micro: device "+device+" has no clock\n  name a simulated machine by --device, such as sim:h200\n", stderr)
	}
	stdout, stderr, code := command(t, "micro", "--device", "sim:tiny", "--gpus", "2", "--only", "one copy")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^copies between GPUs +one copy of 4 bytes, alone, until the host knows +[\d.]+ +us`, stdout)
	stdout, stderr, code = command(t, "micro", "--device", "sim:tinyx1", "--only", "dependent load, plain, L1")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^latency +dependent load, plain, L1, 16 KiB +[\d.]+ +cycle`, stdout, "one GPU has no links to others")
}
