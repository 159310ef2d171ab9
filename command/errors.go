package command

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/printable"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/proof/progress"
	"github.com/weft-gpu/weft/internal/proof/ptxlitmus"
)

// The exit codes, which are the same for all commands.
const (
	exitRight     = 0            // the answer is correct, or the command succeeded
	exitWrong     = 1            // a wrong answer, or a failure
	exitUsage     = 2            // invalid command line, or an invalid name or value in it
	exitHang      = 3            // the kernel cannot finish
	exitUndecided = 4            // a budget ended a kernel, or it looks like a livelock, and whether it would have finished is unknown
	exitCrash     = 5            // a panic of this program
	exitSignal    = signals.Exit // plus the number of the signal that ended it
)

// exitTable explains the exit codes in the help and in docs/running.md.
var exitTable = [][2]string{
	{"0", "the answer is correct (or was not checked), or the command succeeded"},
	{"1", "the answer is wrong, or something failed: a fault in a kernel, a file, a source that does not compile"},
	{"2", "the command line is invalid, or a name or value in it is"},
	{"3", "the kernel hangs: it cannot finish"},
	{"4", "--budget ended a kernel, or it looks like a livelock; whether it would have finished is unknown"},
	{"5", "weft itself crashed: please report it"},
	{"128+n", "signal n ended the command: 129 hang-up, 130 Ctrl-C, 134 out of memory, 141 the reader of the output has gone away, 143 terminate"},
}

// exitHelp returns exitTable as lines of help.
func exitHelp() string {
	var s strings.Builder
	for _, c := range exitTable {
		fmt.Fprintf(&s, "  %-5s  %s\n", c[0], c[1])
	}
	return strings.TrimRight(s.String(), "\n")
}

// crashError is a panic of this program.
type crashError struct {
	value any
	stack []byte
}

func (e *crashError) Error() string {
	return fmt.Sprintf("weft itself crashed: %v\n%s", e.value, e.stack)
}

// exitCode returns the exit code for an error of any command. If several errors
// are joined, the most significant one decides.
func exitCode(err error) int {
	var (
		crash     *crashError
		mistake   *usage.Error
		signal    *signals.Error
		hang      *device.HangError
		undecided *device.UndecidedError
		states    *progress.LimitError
		mayHang   *mayHangError
		events    *ptxlitmus.LimitError
		program   *programError
	)
	switch {
	case err == nil:
		return exitRight
	case errors.As(err, &crash):
		return exitCrash
	case errors.As(err, &program):
		return program.status
	case errors.As(err, &mistake):
		return exitUsage
	case errors.As(err, &signal):
		return exitSignal + int(signal.Signal)
	case errors.As(err, &hang), errors.As(err, &mayHang):
		return exitHang
	case errors.As(err, &undecided), errors.As(err, &states), errors.As(err, &events):
		return exitUndecided
	case signals.Ended(err):
		return exitCode(signals.Interrupted)
	}
	return exitWrong
}

// interrupted returns the error of a command whose work ended with err since a signal ended it: the signal, with what the
// kernel was doing if that is known.
func interrupted(err, signal error) error {
	var stopped *device.InterruptedError
	if errors.As(err, &stopped) {
		return errors.Join(signal, stopped)
	}
	return signal
}

// printError prints an error in the common form. It prints nothing if the
// reader of the output has gone away.
func printError(w io.Writer, err error) {
	var signal *signals.Error
	if errors.As(err, &signal) || signals.Ended(err) {
		if signal == nil {
			signal = signals.Interrupted.(*signals.Error)
		}
		if signal.Signal == syscall.SIGPIPE {
			return
		}
		var stopped *device.InterruptedError
		if errors.As(err, &stopped) {
			err = fmt.Errorf("%w\n%w", signal, stopped)
		} else {
			err = signal
		}
	}
	fmt.Fprintf(w, "weft: %s\n", printable.Indent(err.Error()))
	if hint := usage.HintOf(err).String(); hint != "" {
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(hint, "\n", "\n  "))
	}
}
