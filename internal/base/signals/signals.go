package signals

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// Exit plus the number of a signal is the exit code of a process that the
// signal ended.
const Exit = 128

// Error is the error of a command that a signal ended, after its partial result
// was printed.
type Error struct{ Signal syscall.Signal }

func (e *Error) Error() string {
	switch e.Signal {
	case syscall.SIGINT:
		return "interrupted"
	case syscall.SIGTERM:
		return "terminated"
	case syscall.SIGHUP:
		return "hung up"
	}
	return "ended by a signal: " + e.Signal.String()
}

// Interrupted is the error for Ctrl-C, and for a context that ended without a
// signal as its cause.
var Interrupted error = &Error{syscall.SIGINT}

// Ended reports whether an error comes from a context that ended, by a signal
// or by the caller's deadline.
func Ended(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// ownPipes is set if this process writes to pipes or sockets besides its
// standard output. SIGPIPE then does not tell which of them broke.
var ownPipes atomic.Bool

// OwnPipes declares that this process writes to a pipe or socket besides its
// standard output. If the reader of that pipe goes away, the process continues.
func OwnPipes() { ownPipes.Store(true) }

// Context returns a context that the first signal ends, with an *Error as its
// cause, so that the command can print partial results and write files. The
// second signal ends the process at once, after calling last to clean up.
func Context(parent context.Context, last func()) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	// More than the number of signals that can arrive before this process reads
	// them.
	signals := make(chan os.Signal, 8)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE} {
		if !signal.Ignored(s) { // so that nohup remains in force
			signal.Notify(signals, s)
		}
	}
	go func() {
		var first syscall.Signal
		for s := range signals {
			n := s.(syscall.Signal)
			switch {
			case n == syscall.SIGPIPE && (first != 0 || ownPipes.Load()):
				// Each write after the reader has gone away causes another
				// SIGPIPE.
			case first == 0:
				first = n
				cancel(&Error{n})
			case n == syscall.SIGHUP && first == n:
				// A terminal that closes sends SIGHUP, and so does the shell in
				// it.
			default:
				last()
				os.Exit(Exit + int(n))
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel(nil)
	}
}
