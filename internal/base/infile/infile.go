package infile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/weft-gpu/weft/internal/base/memory"
)

// KindError reports that a path names something that cannot be read as a file.
type KindError struct {
	Kind string // "a directory", "a socket", ...
}

// Error returns the kind, without the path.
func (e *KindError) Error() string { return "is " + e.Kind }

// Open opens a path for reading: a regular file, a pipe, a terminal, or the
// standard input (/dev/stdin). Directories, other devices and sockets give a
// *KindError. For a named pipe it waits for a writer. size is the number of
// bytes of a regular file, else 0. When ctx ends, waiting and reading end with
// ctx's error. Errors do not contain the path, except those of reading.
func Open(ctx context.Context, path string) (f io.ReadCloser, size int64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, cause(err)
	}
	var file *os.File
	switch mode := info.Mode(); {
	case mode.IsRegular():
		size = info.Size()
		file, err = os.Open(path)
	case mode.IsDir():
		return nil, 0, &KindError{"a directory"}
	case mode&fs.ModeSocket != 0:
		return nil, 0, &KindError{"a socket"}
	case mode&fs.ModeNamedPipe != 0 && !inherited(path):
		file, err = openPipe(ctx, path)
	case mode&fs.ModeNamedPipe != 0, mode&fs.ModeCharDevice != 0 && (inherited(path) || isTerminal(path)):
		// Do not wait for a writer: the previous one may have ended.
		file, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	default:
		return nil, 0, &KindError{"a device"}
	}
	if err != nil {
		return nil, 0, cause(err)
	}
	r := &reader{ctx: ctx, f: file}
	// Reads that can block support deadlines.
	r.stop = context.AfterFunc(ctx, func() { _ = file.SetReadDeadline(time.Unix(1, 0)) })
	return r, size, nil
}

// inherited reports whether path stands for a file that the process was started
// with.
func inherited(path string) bool {
	full, err := filepath.Abs(path)
	return err == nil && (full == "/dev/stdin" || strings.HasPrefix(full, "/dev/fd/") || strings.HasPrefix(full, "/proc/"))
}

// isTerminal reports whether path is a terminal with its own path.
func isTerminal(path string) bool {
	full, err := filepath.Abs(path)
	return err == nil && (strings.HasPrefix(full, "/dev/tty") || strings.HasPrefix(full, "/dev/pts/"))
}

// openPipe opens a named pipe, which waits for a writer.
func openPipe(ctx context.Context, path string) (*os.File, error) {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(path)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.f, o.err
	case <-ctx.Done():
	}
	// Opening the pipe for writing ends the wait of the other goroutine.
	if w, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		_ = w.Close()
	}
	go func() {
		if o := <-done; o.err == nil {
			_ = o.f.Close()
		}
	}()
	return nil, ctx.Err()
}

// reader reads until its context ends.
type reader struct {
	ctx  context.Context
	f    *os.File
	stop func() bool
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.f.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) && r.ctx.Err() != nil {
		err = r.ctx.Err()
	}
	return n, err
}

func (r *reader) Close() error {
	r.stop()
	return r.f.Close()
}

// cause returns the reason for a failed file operation, without operation and
// path.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// ReadAll reads a whole file, opened as by Open, of at most limit bytes.
func ReadAll(ctx context.Context, path string, limit int64) ([]byte, error) {
	f, size, err := Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > limit {
		return nil, tooLarge(limit)
	}
	if err := memory.Need(uint64(size), "%q", path); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, cause(err)
	}
	if int64(len(text)) > limit {
		return nil, tooLarge(limit)
	}
	return text, nil
}

// ReadNamed is ReadAll with errors that begin with the path: "x is a directory", "x: permission denied". An error of ctx
// stays as it is.
func ReadNamed(ctx context.Context, path string, limit int64) ([]byte, error) {
	text, err := ReadAll(ctx, path, limit)
	var kind *KindError
	switch {
	case errors.As(err, &kind):
		return nil, fmt.Errorf("%s %w", path, err)
	case err != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, err
}

// ErrTooLarge is in errors of ReadAll for a file above the limit.
var ErrTooLarge = errors.New("is larger than")

func tooLarge(limit int64) error {
	const mebi = 1 << 20
	if limit < mebi {
		return fmt.Errorf("%w %d KiB", ErrTooLarge, limit>>10)
	}
	return fmt.Errorf("%w %d MiB", ErrTooLarge, limit/mebi)
}
