//go:build unix

package command

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// process is the command in a separate process.
type process struct {
	*exec.Cmd
	out, err bytes.Buffer
}

func newProcess(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.CommandContext(t.Context(), os.Args[0], args...)}
	p.Env = append(os.Environ(), asCommand+"=1")
	p.Stdout, p.Stderr = &p.out, &p.err
	return p
}

// ended waits for the process to end and returns the exit code.
func (p *process) ended(t *testing.T) int {
	t.Helper()
	var exit *exec.ExitError
	if err := p.Wait(); err != nil {
		require.ErrorAs(t, err, &exit)
	}
	return p.ProcessState.ExitCode()
}

// separate is command in a separate process.
func separate(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	p := newProcess(t, args...)
	require.NoError(t, p.Start())
	code = p.ended(t)
	return p.out.String(), p.err.String(), code
}

// endless starts a run that does not end by itself, and waits until the
// monitor's page shows that its kernel is running.
func endless(t *testing.T, args ...string) *process {
	t.Helper()
	p, _ := watched(t, args...)
	return p
}

// watched is like endless and also returns the address of the page.
func watched(t *testing.T, args ...string) (p *process, page string) {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	page = fmt.Sprintf("http://localhost:%d/", port)
	require.NoError(t, l.Close())
	p = newProcess(t, append([]string{"run", "./testdata/user/stuck.Endless", "--device", "sim:tiny", "--graph", "testdata/triangle.mtx",
		"--monitor", fmt.Sprint(port)}, args...)...)
	require.NoError(t, p.Start())
	for {
		r, err := http.Get(page + "api/progress")
		if err == nil {
			b, err := io.ReadAll(r.Body)
			require.NoError(t, err)
			require.NoError(t, r.Body.Close())
			if strings.Contains(string(b), "bsp.Push") {
				return p, page
			}
		}
		require.NoError(t, t.Context().Err())
		time.Sleep(10 * time.Millisecond) // between two requests
	}
}

// TestSignals ends a process as a terminal, a service manager and a lost
// connection do. The process must print its results so far and write the
// requested files.
func TestSignals(t *testing.T) {
	// Under nohup this process ignores SIGHUP, and so would its children: a signal that is caught is not ignored by them.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	for sig, says := range map[syscall.Signal]string{
		syscall.SIGINT: "interrupted", syscall.SIGTERM: "terminated", syscall.SIGHUP: "hung up",
	} {
		dir := t.TempDir()
		p := endless(t, "--pprof", filepath.Join(dir, "pprof"), "--trace", filepath.Join(dir, "trace"), "--answer", filepath.Join(dir, "answer"))
		require.NoError(t, p.Process.Signal(sig))
		if sig == syscall.SIGHUP {
			require.NoError(t, p.Process.Signal(sig), "the kernel and the shell send one each")
		}
		assert.Equal(t, exitSignal+int(sig), p.ended(t))
		assert.Contains(t, p.err.String(), "weft: "+says+"\n")
		assert.Contains(t, p.out.String(), "answer  incomplete: the run ended early (interrupted)")
		var names []string
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, f := range files {
			names = append(names, f.Name())
		}
		assert.Equal(t, []string{"pprof", "trace"}, names)
	}
}

// TestPaused checks that a simulation that was paused from its page still
// reacts to Ctrl-C.
func TestPaused(t *testing.T) {
	p, page := watched(t)
	r, err := http.Get(page + "api/pause")
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	require.NoError(t, p.Process.Signal(syscall.SIGINT))
	assert.Equal(t, exitInterrupt, p.ended(t))
	assert.Contains(t, p.err.String(), "weft: the simulation is shown at http://127.0.0.1:")
}

// TestNohup checks that SIGHUP stays ignored if it was ignored when the process
// started.
func TestNohup(t *testing.T) {
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	p := endless(t)
	require.NoError(t, p.Process.Signal(syscall.SIGHUP))
	require.NoError(t, p.Process.Signal(syscall.SIGINT))
	assert.Equal(t, exitInterrupt, p.ended(t))
}

// TestSecondSignal checks that a second signal ends a process at once if it is
// blocked because nothing reads its output.
func TestSecondSignal(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o666))
	p := newProcess(t, "run", "bfs", "--device", "func", "--graph", "grid:width=200", "--answer", fifo) // more than a pipe's buffer holds
	require.NoError(t, p.Start())
	f, err := os.Open(fifo)
	require.NoError(t, err)
	defer f.Close()
	_, err = io.ReadFull(f, make([]byte, 1))
	require.NoError(t, err)
	done := make(chan int)
	go func() { done <- p.ended(t) }()
	for {
		_ = p.Process.Signal(syscall.SIGINT) // the process may have ended
		select {
		case code := <-done:
			assert.Equal(t, exitInterrupt, code)
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// TestReaderGone checks that `weft ... | head` ends without a message, and with
// its files written.
func TestReaderGone(t *testing.T) {
	for _, line := range []string{"version", "list --json", "ptx bfs", "run bfs --device sim:tiny --graph testdata/triangle.mtx --pprof "} {
		prof := filepath.Join(t.TempDir(), "pprof")
		if strings.HasSuffix(line, " ") {
			line += prof
		}
		r, w, err := os.Pipe()
		require.NoError(t, err)
		require.NoError(t, r.Close())
		p := newProcess(t, strings.Fields(line)...)
		p.Stdout = w
		require.NoError(t, p.Start())
		require.NoError(t, w.Close())
		if line == "list --json" { // prints nothing
			assert.Equal(t, exitUsage, p.ended(t))
			continue
		}
		assert.Equal(t, exitSignal+int(syscall.SIGPIPE), p.ended(t), line)
		assert.Empty(t, p.err.String())
		if strings.HasSuffix(line, prof) {
			assert.FileExists(t, prof)
		}
	}
}

// TestChildByName checks that the environment variable for hw's child processes
// does not turn a process that a user started into a child.
func TestChildByName(t *testing.T) {
	p := newProcess(t, "run", "nope")
	p.Env = append(p.Env, "WEFT_HW_CHILD=1")
	require.NoError(t, p.Start())
	assert.Equal(t, exitUsage, p.ended(t))
	assert.Contains(t, p.err.String(), "weft: unknown algorithm \"nope\"\n")
}

// TestOutputIsStdout checks that a file to which the output is redirected
// cannot be replaced, and that a pipe, which has no other name, can be written.
func TestOutputIsStdout(t *testing.T) {
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer out.Close()
	line := []string{"run", "bfs", "--device", "func", "--graph", "testdata/triangle.mtx", "--source", "1", "--answer", "/dev/stdout"}
	p := newProcess(t, line...)
	p.Stdout = out
	require.NoError(t, p.Start())
	assert.Equal(t, exitUsage, p.ended(t))
	assert.Equal(t, "weft: --answer: /dev/stdout is the standard output, too\n  name another file\n", p.err.String())

	p = newProcess(t, line...)
	require.NoError(t, p.Start())
	assert.Equal(t, exitRight, p.ended(t), p.err.String())
	assert.Contains(t, p.out.String(), "1\t0\n2\t1\n3\t1\n")
}

// TestOutputsInPlace writes to files that are not regular files.
func TestOutputsInPlace(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o666))
	got := make(chan string)
	go func() {
		b, _ := os.ReadFile(fifo)
		got <- string(b)
	}()
	_, stderr, code := command(t, "run", "bfs", "--device", "sim:tiny", "--graph", "testdata/triangle.mtx", "--source", "1",
		"--answer", fifo, "--pprof", os.DevNull, "--trace", os.DevNull)
	require.Equal(t, exitRight, code, stderr)
	assert.Equal(t, "1\t0\n2\t1\n3\t1\n", <-got)
	info, err := os.Stat(os.DevNull)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeDevice)
}
