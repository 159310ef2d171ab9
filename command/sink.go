package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/weft-gpu/weft/internal/graphs"
	"github.com/weft-gpu/weft/internal/signals"
)

// closedOutput is a standard output that was closed before the process started.
type closedOutput struct{}

// Write fails as the system would have it.
func (closedOutput) Write([]byte) (int, error) { return 0, syscall.EBADF }

// sink is the standard output. It keeps the first error of writing, so that
// printing needs no error handling line by line: execute asks for it at the end.
type sink struct {
	w   io.Writer
	err error
}

// Write writes until the first error, and nothing after it.
func (s *sink) Write(b []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(b)
	s.err = err
	return n, err
}

// finish says how printing went: nil, a broken pipe as the signal that it is,
// or why the output is not complete.
func (s *sink) finish() error {
	if f, ok := s.w.(*os.File); ok && s.err == nil && f == os.Stdout {
		s.err = f.Close() // some file systems tell only now that they are full
	}
	switch {
	case s.err == nil:
		return nil
	case errors.Is(s.err, syscall.EPIPE):
		return &signals.Error{Signal: syscall.SIGPIPE}
	}
	return fmt.Errorf("standard output: %w", graphs.Cause(s.err))
}

// outcome is the error of a command, seen together with why its context ended
// and with how printing on s went. A failure of the command itself says more
// than that nobody can read about it.
func (s *sink) outcome(ctx context.Context, err error) error {
	var ended, signal *signals.Error
	if errors.As(err, &signal) || signals.Ended(err) {
		if errors.As(context.Cause(ctx), &ended) {
			return ended
		}
	}
	printed := s.finish()
	if printed != nil && (err == nil || errors.Is(err, s.err)) {
		return printed
	}
	return err
}
