// Package signals ends a command by the signals that a terminal, a service
// manager or a broken pipe sends.
package signals

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// Exit plus the number of a signal is the exit code of a process that it ended.
const Exit = 128

// Error ends a command that a signal ended, after its partial result was printed.
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

// Interrupted is the error of what a Ctrl-C ended, or the end of a context that
// nobody gave a signal as cause.
var Interrupted error = &Error{syscall.SIGINT}

// Ended reports whether an error comes from a context that ended, by a signal
// or by a deadline of who called.
func Ended(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// ownPipes is set where this process writes to pipes or sockets of its own,
// beside its standard output. A signal then does not tell which of them broke.
var ownPipes atomic.Bool

// OwnPipes tells that this process writes to a pipe or socket beside its
// standard output, whose reader may go away: that ends nothing by itself.
func OwnPipes() { ownPipes.Store(true) }

// Context returns a context that the first signal ends, with a *Error as cause,
// so that what is known so far is printed and files are written. The second
// signal ends the process at once; last cleans up before.
func Context(parent context.Context, last func()) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	// Room for more than come in the time that this process needs to look.
	signals := make(chan os.Signal, 8)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE} {
		if !signal.Ignored(s) { // nohup stays in force
			signal.Notify(signals, s)
		}
	}
	go func() {
		var first syscall.Signal
		for s := range signals {
			n := s.(syscall.Signal)
			switch {
			case n == syscall.SIGPIPE && (first != 0 || ownPipes.Load()):
				// Writing on after the end of a reader brings one each time.
			case first == 0:
				first = n
				cancel(&Error{n})
			case n == syscall.SIGHUP && first == n:
				// A terminal that is closed sends it, and the shell in it does again.
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
