//go:build cgo && linux

package hw_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/hw/internal/worker"
)

// descriptors is how many file descriptors the other process of TestFewDescriptors may have.
const descriptors = "WEFT_HW_TEST_DESCRIPTORS"

// TestFewDescriptors opens the device in a process that may not have enough file descriptors for a child, which needs two
// pipes, a file of shared memory and its output. The device opens, or the error says what was missing.
func TestFewDescriptors(t *testing.T) {
	if text := os.Getenv(descriptors); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
		t.Setenv(fake, "1")
		t.Setenv(worker.ByMain, "1")
		r, w, err := os.Pipe() // Go's own descriptors for waiting, without which it ends the process
		require.NoError(t, err)
		require.NoError(t, r.Close())
		require.NoError(t, w.Close())
		var old syscall.Rlimit
		require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old))
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: n, Max: old.Max}))
		d, err := hw.Open("hw", 0, hw.Options{})
		if err != nil {
			t.Skip("refused: ", err)
		}
		require.NoError(t, d.Close())
		return
	}
	refused, missing := 0, 0
	for n := 4; n <= 20; n++ {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFewDescriptors$", "-test.v")
		cmd.Env = append(os.Environ(), descriptors+"="+strconv.Itoa(n))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%d descriptors: %s", n, out)
		if strings.Contains(string(out), "refused: hw: ") {
			refused++
		}
		if strings.Contains(string(out), "too many open files") {
			missing++
		}
	}
	require.Positive(t, missing)
	require.Less(t, refused, 17, "it opens with enough")
}
