package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/service/graphs"
)

// closedOutput is a standard output that was closed before the process started.
type closedOutput struct{}

// Write fails as a write to a closed file would.
func (closedOutput) Write([]byte) (int, error) { return 0, syscall.EBADF }

// sink is the standard output. It keeps the first write error, so that printing
// needs no error handling line by line: execute checks it at the end.
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

// finish returns how printing ended: nil, the signal of a broken pipe, or why
// the output is incomplete.
func (s *sink) finish() error {
	if f, ok := s.w.(*os.File); ok && s.err == nil && f == os.Stdout {
		s.err = f.Close() // some file systems report only now that they are full
	}
	switch {
	case s.err == nil:
		return nil
	case errors.Is(s.err, syscall.EPIPE):
		return &signals.Error{Signal: syscall.SIGPIPE}
	}
	return fmt.Errorf("standard output: %w", graphs.Cause(s.err))
}

// outcome returns the error of a command, considering why its context ended and
// how printing on s went. A failure of the command itself matters more than a
// failure to print it.
func (s *sink) outcome(ctx context.Context, err error) error {
	var ended, signal *signals.Error
	if errors.As(err, &signal) || signals.Ended(err) {
		if errors.As(context.Cause(ctx), &ended) {
			return interrupted(err, ended)
		}
	}
	printed := s.finish()
	if printed != nil && (err == nil || errors.Is(err, s.err)) {
		return printed
	}
	return err
}
