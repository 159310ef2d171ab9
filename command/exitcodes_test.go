package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/devices"
)

// exitInterrupt is the exit code after Ctrl-C.
const exitInterrupt = exitSignal + int(syscall.SIGINT)

// ending is a device whose launches end as a test wants.
type ending struct {
	device.Device
	launch func() error // nil: the launch pretends to succeed
}

func (e ending) Launch(context.Context, device.Launch) (*device.Report, error) {
	return &device.Report{}, e.launch()
}

// runners has a command line for every command, and every form of it, that runs
// kernels.
var runners = []string{
	"run bfs --graph grid:width=4 --device func",
	"run bfs --graph grid:width=4 --device sim:tiny --json",
	"run bfs --graph grid:width=4 --device sim:tiny --detail launches=1",
	"annotate bfs --graph grid:width=4 --device sim:tiny",
	"annotate bfs --graph grid:width=4 --device sim:tiny --against thread",
	"compare bfs --graph grid:width=4 --device sim:tiny --with func",
	"compare bfs --graph grid:width=4 --device func --with sim:tiny --json",
	"compare --all --device sim:tiny --gpu h200",
	"compare --micro --light --device sim:tiny --gpu h200",
	"compare --counters --device sim:tiny --gpu h200",
	"micro --device sim:tiny --only arithmetic",
	"micro --device sim:tiny --only arithmetic --json",
	"calibrate ../results/hw/h200 --base tiny",
	"bench func --repeat 1",
}

// TestExitCodeOfRuns checks the exit code for each way in which a kernel can
// end, for every command.
func TestExitCodeOfRuns(t *testing.T) {
	made := devices.Opener
	t.Cleanup(func() { devices.Opener = made })
	for _, end := range []struct {
		name string
		err  error // nil: the test's own error
		code int
		says string
	}{
		{"hang", &device.HangError{Kernel: "k", What: "w"}, 3, "kernel k hangs: w"},
		{"undecided", &device.UndecidedError{Kernel: "k", Budget: "9 cycles"}, 4, "kernel k: undecided"},
		{"fault", &device.Fault{Kernel: "k", What: "index 3 out of range"}, 1, "kernel k: index 3 out of range"},
		{"failure", errors.New("the device is on fire"), 1, "the device is on fire"},
		{"terminated", nil, 128 + 15, "weft: terminated\n"},
		{"crash", nil, 5, "weft: weft itself crashed: a mistake\n\tgoroutine "},
	} {
		for _, line := range runners {
			t.Run(end.name+"/"+line, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				devices.Opener = func(ctx context.Context, d *devices.Spec, w devices.Watch) (device.Device, error) {
					dev, err := made(ctx, d, w)
					return ending{dev, func() error {
						switch end.name {
						case "terminated":
							cancel(&signals.Error{Signal: syscall.SIGTERM})
							return ctx.Err()
						case "crash":
							panic("a mistake")
						}
						return end.err
					}}, err
				}
				_, stderr, code := commandContext(ctx, strings.Fields(line)...)
				assert.Equal(t, end.code, code, stderr)
				assert.Contains(t, stderr, end.says)
			})
		}
	}
}

// TestExitCodeOfWrongAnswers uses a device that does nothing.
func TestExitCodeOfWrongAnswers(t *testing.T) {
	made := devices.Opener
	t.Cleanup(func() { devices.Opener = made })
	devices.Opener = func(ctx context.Context, d *devices.Spec, w devices.Watch) (device.Device, error) {
		dev, err := made(ctx, d, w)
		return ending{dev, func() error { return nil }}, err
	}
	for _, line := range []string{runners[0], runners[1], runners[3], runners[5], "compare --all --device sim:tiny --gpu h200"} {
		_, stderr, code := command(t, strings.Fields(line)...)
		assert.Equal(t, exitWrong, code, line)
		assert.Contains(t, stderr, "weft: wrong answer", line)
	}
}

// TestExitCodeOfBenchSim tests a command that accepts only simulated machines.
func TestExitCodeOfBenchSim(t *testing.T) {
	line := "bench sim --scheduler thread --device sim:tiny --graph testdata/triangle.mtx --algorithm ./testdata/user/stuck."
	for name, want := range map[string]int{"Hang": exitHang, "Outside": exitWrong} {
		_, stderr, code := command(t, strings.Fields(line+name)...)
		assert.Equal(t, want, code, stderr)
	}
}

// printers has a command line for every command that only prints.
var printers = []string{
	"", "--help", "help", "help run", "run --help", "version", "version --json", "list", "list devices", "list parameters --json", "list counters",
	"graph testdata/triangle.mtx", "graph testdata/triangle.mtx --json", "ir bfs", "ir bfs --program", "ptx bfs",
	"run bfs --graph testdata/triangle.mtx --device func", "run bfs --graph testdata/triangle.mtx --device func --json",
	"annotate bfs --graph grid:width=4 --device sim:tiny", "compare bfs --graph grid:width=4 --device sim:tiny --with func",
	"micro --device sim:tiny --only arithmetic", "bench read --repeat 1",
}

// broken is a writer that accepts a few bytes and then fails.
type broken struct {
	left int
	err  error
}

func (b *broken) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: b.err}
	}
	return len(p), nil
}

// TestHeavyExitCodeOfPrinting checks that output that could not be printed is an
// error, whether its first byte or a later one, and that nothing is reported if
// the reader has gone away.
func TestHeavyExitCodeOfPrinting(t *testing.T) {
	try := func(line string, left int, e error, code int, says string) {
		var stderr bytes.Buffer
		a := &app{args: strings.Fields(line), stdout: &broken{left, e}, stderr: &stderr, calibrate: func() float64 { return 1e8 }}
		assert.Equal(t, code, a.execute(t.Context()), "%s: %v", line, e)
		assert.Equal(t, says, stderr.String(), "%s: %v", line, e)
	}
	pipe := exitSignal + int(syscall.SIGPIPE)
	for i, line := range printers {
		try(line, 0, syscall.ENOSPC, exitWrong, "weft: standard output: no space left on device\n")
		if line != "version" { // its output is shorter
			try(line, 30, syscall.EPIPE, pipe, "")
		}
		if i == 0 { // how an error is told does not depend on the command
			try(line, 30, syscall.ENOSPC, exitWrong, "weft: standard output: no space left on device\n")
			try(line, 0, syscall.EPIPE, pipe, "")
			try(line, 0, syscall.EBADF, exitWrong, "weft: standard output: bad file descriptor\n")
		}
	}
}

// TestExitCodeOfMistakes gives every command a flag that it does not have.
func TestExitCodeOfMistakes(t *testing.T) {
	a := &app{stdout: io.Discard, stderr: io.Discard}
	seen := 0
	for _, c := range a.root().Commands() {
		_, stderr, code := command(t, c.Name(), "--no-such-flag")
		assert.Equal(t, exitUsage, code, c.Name())
		assert.Contains(t, stderr, "weft: unknown flag: --no-such-flag\n", c.Name())
		seen++
	}
	assert.GreaterOrEqual(t, seen, 11)
}

func TestExitCodes(t *testing.T) {
	for want, err := range map[int]error{
		exitRight:     nil,
		exitWrong:     errors.New("failed"),
		exitUsage:     fmt.Errorf("wrapped: %w", usage.Errorf("", "bad")),
		exitHang:      errors.Join(errors.New("first"), &device.HangError{}),
		exitUndecided: fmt.Errorf("micro: %w", &device.UndecidedError{}),
		exitInterrupt: fmt.Errorf("reading: %w", context.Canceled),
		129:           &signals.Error{Signal: syscall.SIGHUP},
		exitCrash:     errors.Join(&crashError{value: "x"}, &signals.Error{Signal: syscall.SIGHUP}),
	} {
		assert.Equal(t, want, exitCode(err), "%v", err)
	}
}

// TestExitTable checks that the help and docs/running.md explain the codes.
func TestExitTable(t *testing.T) {
	page, err := os.ReadFile("../docs/running.md")
	require.NoError(t, err)
	help, _, _ := command(t, "--help")
	for _, c := range exitTable {
		assert.Contains(t, string(page), "| "+c[0]+" | "+c[1]+" |\n")
		assert.Contains(t, help, fmt.Sprintf("  %-5s  %s\n", c[0], c[1]))
	}
}
