package outfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// ConflictError reports that a file has two uses that exclude each other.
type ConflictError struct {
	What, Path string // the output, as given
	Other      string // the other use of the file
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s: %s is %s, too", e.What, e.Path, e.Other)
}

// Plan is the set of files of one command. The zero value is empty.
type Plan struct{ uses []use }

// use is a file and its use by the command.
type use struct {
	what string      // for messages: "--answer", "the graph that is read"
	info fs.FileInfo // nil if the file does not exist yet
	dir  fs.FileInfo // the folder of a file that does not exist yet
	base string      // its name in that folder
	dev  bool        // a device, which may have several uses
}

func (u *use) same(v *use) bool {
	switch {
	case u.info != nil && v.info != nil:
		return os.SameFile(u.info, v.info) && !u.dev
	case u.info == nil && v.info == nil:
		return u.base == v.base && os.SameFile(u.dir, v.dir)
	}
	return false
}

// Reads records that the command reads a file; what is its name in messages. A
// path that does not exist is not an error here.
func (p *Plan) Reads(what, path string) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		p.uses = append(p.uses, use{what: what, info: info, dev: isDevice(info)})
	}
}

// Prints records that the command writes to a file that is already open, such
// as the standard output.
func (p *Plan) Prints(what string, f *os.File) {
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		p.uses = append(p.uses, use{what: what, info: info})
	}
}

// File is an output. A nil File, for an output that was not requested, discards
// what is written.
type File struct {
	what, path string
	piped      bool
}

// New checks that a file can be written and that the command has no other use
// for it; what is its name in messages. It returns nil if path is empty.
func (p *Plan) New(what, path string) (*File, error) {
	if path == "" {
		return nil, nil
	}
	f := &File{what: what, path: path}
	at, err := look(path)
	if err != nil {
		return nil, f.fail(err)
	}
	u := use{what: what, info: at.info, base: filepath.Base(at.path), dev: at.info != nil && isDevice(at.info)}
	if at.info == nil {
		if u.dir, err = os.Stat(filepath.Dir(at.path)); err != nil {
			return nil, f.fail(err)
		}
	}
	for i := range p.uses {
		if u.same(&p.uses[i]) {
			return nil, &ConflictError{what, path, p.uses[i].what}
		}
	}
	f.piped = at.inPlace()
	if !f.piped {
		if err := at.tryBeside(); err != nil {
			return nil, f.fail(err)
		}
	}
	p.uses = append(p.uses, u)
	return f, nil
}

// Piped reports whether another process may read the file while it is written.
func (f *File) Piped() bool { return f != nil && f.piped }

// Write writes the whole file. For a FIFO it waits for a reader until ctx ends.
// After an error a regular file is unchanged.
func (f *File) Write(ctx context.Context, content func(io.Writer) error) error {
	if f == nil {
		return nil
	}
	at, err := look(f.path)
	if err != nil {
		return f.fail(err)
	}
	if at.inPlace() {
		err = at.writeInPlace(ctx, content)
	} else {
		err = at.replace(content)
	}
	if err != nil {
		return f.fail(err)
	}
	return nil
}

func (f *File) fail(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		err = p.Err
	case errors.As(err, &l):
		err = l.Err
	}
	return fmt.Errorf("%s: cannot write %s: %w", f.what, f.path, err)
}

// place is the target of a path.
type place struct {
	path string      // with symbolic links at its end resolved, except if the target has no other name
	info fs.FileInfo // nil if nothing exists there yet
}

// look resolves a path and rejects what cannot be an output.
func look(path string) (place, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return place{}, errors.New("it is a directory")
	case err == nil && info.Mode()&fs.ModeSocket != 0:
		return place{}, errors.New("it is a socket")
	case err == nil && !info.Mode().IsRegular():
		return place{path, info}, nil // /dev/stdout may lead to a pipe, which has no path of its own
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return place{}, err
	case err != nil && os.IsPathSeparator(path[len(path)-1]):
		return place{}, err
	}
	const most = 40 // maximum number of links, as in Linux
	for range most {
		l, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return place{path, nil}, nil
		}
		if err != nil {
			return place{}, err
		}
		if l.Mode()&fs.ModeSymlink == 0 {
			return place{path, l}, writable(path, l)
		}
		target, err := os.Readlink(path)
		if err != nil {
			return place{}, err
		}
		if !filepath.IsAbs(target) {
			// Do not use Join: it resolves "..", ".." lexically, although a link may
			// lead elsewhere.
			dir, _ := filepath.Split(path)
			target = dir + target
		}
		path = target
	}
	return place{}, errors.New("too many symbolic links")
}

// writable rejects a file without write permission, for the super-user as well,
// and a file that the system does not open for writing.
func writable(path string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o222 == 0 {
		return errors.New("it is read-only")
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func (p *place) inPlace() bool { return p.info != nil && !p.info.Mode().IsRegular() }

func isDevice(info fs.FileInfo) bool { return info.Mode()&fs.ModeDevice != 0 }

// tryBeside makes a file in the folder and removes it, so that an unwritable
// place is detected before a long run.
func (p *place) tryBeside() error {
	f, err := createBeside(p.path)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), discard(f.Name()))
}

// replace writes a temporary file in the same folder and renames it.
func (p *place) replace(content func(io.Writer) error) (err error) {
	f, err := createBeside(p.path)
	if err != nil {
		return err
	}
	defer discard(f.Name()) // after the rename it no longer exists
	if p.info != nil {      // before it contains anything that others must not read
		keepOwner(f, p.info)
		err = f.Chmod(p.info.Mode().Perm())
	}
	w := bufio.NewWriterSize(f, 1<<16)
	if err := errors.Join(err, content(w), w.Flush(), f.Close()); err != nil {
		return oneOf(err)
	}
	return rename(f.Name(), p.path)
}

// oneOf returns the first of joined errors: on a full disk every later step
// fails too.
func oneOf(err error) error {
	for {
		j, ok := err.(interface{ Unwrap() []error })
		if !ok {
			return err
		}
		err = j.Unwrap()[0]
	}
}

// writeInPlace writes to a FIFO or a device.
func (p *place) writeInPlace(ctx context.Context, content func(io.Writer) error) error {
	f, err := openReading(ctx, p.path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	return oneOf(errors.Join(content(w), w.Flush(), f.Close()))
}

// openReading opens a FIFO once it has a reader. It polls, since an open that
// blocks could not be cancelled.
func openReading(ctx context.Context, path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if !errors.Is(err, syscall.ENXIO) {
			return f, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("no process reads it: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// temporary is the prefix of the names of unfinished files.
const temporary = ".weft-"

// besideName returns a name for an unfinished file in the folder of path.
func besideName(path string, random uint64) string {
	dir, _ := filepath.Split(path)
	return fmt.Sprintf("%s%s%016x", dir, temporary, random)
}
