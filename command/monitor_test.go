package command

import (
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMonitorFlag(t *testing.T) {
	_, stderr, code := command(t, "run", "bfs", "--monitor", "80")
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "--monitor: port 80 is not from 1024 to 65535")
	_, stderr, code = command(t, "run", "bfs", "--device", "func", "--monitor", "8080")
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "--monitor: device func is not simulated")

	_, stderr, code = command(t, "run", "bfs", "--monitor", "8080", "--monitor-address", "nowhere")
	assert.Equal(t, 2, code)
	assert.Equal(t, "weft: --monitor-address: \"nowhere\" is not an IP address\n  such as 127.0.0.1, or 0.0.0.0 for all interfaces\n", stderr)
	_, stderr, code = command(t, "run", "bfs", "--monitor-address", "0.0.0.0")
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "--monitor-address goes with --monitor only")

	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	taken := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	_, stderr, code = command(t, "run", "bfs", "--device", "sim:tiny", "--monitor", taken)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "monitor: ")
	assert.Contains(t, stderr, "in use")
}
