// Package outfile writes the files that a user names on a command line.
//
// A regular file appears under its name when it is complete, and not before: it
// is written beside its place and then renamed. An existing file keeps its mode
// (and its owner, where the system allows that), a new one gets the mode that
// umask leaves. A symbolic link stays one, and its target is written. What is
// no regular file (a FIFO, a terminal, /dev/null) is written in place. Files
// that nobody may write are refused, and so is a file that is read, or written
// twice, in the same command.
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

// ConflictError says that a file has two uses that exclude each other.
type ConflictError struct {
	What, Path string // the output, as given
	Other      string // what else the file is
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s: %s is %s, too", e.What, e.Path, e.Other)
}

// Plan is the files of one command. The zero value has none.
type Plan struct{ uses []use }

// use is a file and what the command does with it.
type use struct {
	what string      // for messages: "--answer", "the graph that is read"
	info fs.FileInfo // nil where there is no file yet
	dir  fs.FileInfo // of a file that is not there yet: its folder
	base string      // the same: its name there
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

// Reads notes that the command reads a file, called what in messages. A path
// that names none is no error here.
func (p *Plan) Reads(what, path string) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		p.uses = append(p.uses, use{what: what, info: info, dev: isDevice(info)})
	}
}

// Prints notes that the command writes to a file that is open already, such as
// the standard output.
func (p *Plan) Prints(what string, f *os.File) {
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		p.uses = append(p.uses, use{what: what, info: info})
	}
}

// File is an output. The nil File, for which nobody asked, takes what is
// written and does nothing.
type File struct {
	what, path string
	piped      bool
}

// New checks that a file can be written, and that the command has no other use
// for it; what names it in messages. It returns nil for no path.
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

// Piped reports whether f is a file that somebody else may be reading while it
// is written.
func (f *File) Piped() bool { return f != nil && f.piped }

// Write writes the whole file. A FIFO waits for a reader until ctx ends. After
// an error a regular file is as it was.
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

// place is where a path leads.
type place struct {
	path string      // without symbolic links at its end, except for what has no other name
	info fs.FileInfo // nil where there is nothing yet
}

// look follows a path to its end, and refuses what cannot be an output.
func look(path string) (place, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return place{}, errors.New("it is a directory")
	case err == nil && info.Mode()&fs.ModeSocket != 0:
		return place{}, errors.New("it is a socket")
	case err == nil && !info.Mode().IsRegular():
		return place{path, info}, nil // /dev/stdout leads to a pipe, which has no path of its own
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return place{}, err
	case err != nil && os.IsPathSeparator(path[len(path)-1]):
		return place{}, err
	}
	const most = 40 // links, as in Linux
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
			// Not Join, which takes ".." for the folder above although a link may lead elsewhere.
			dir, _ := filepath.Split(path)
			target = dir + target
		}
		path = target
	}
	return place{}, errors.New("too many symbolic links")
}

// writable refuses a file that its mode protects, from the super-user as well,
// and one that the system does not open for writing.
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

// tryBeside makes a file in the folder and removes it, so that a place that
// cannot be written is no surprise after a long run.
func (p *place) tryBeside() error {
	f, err := createBeside(p.path)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), discard(f.Name()))
}

// replace writes a file beside the place and gives it the name.
func (p *place) replace(content func(io.Writer) error) (err error) {
	f, err := createBeside(p.path)
	if err != nil {
		return err
	}
	defer discard(f.Name()) // nothing is there after the rename
	if p.info != nil {      // before it holds anything that others may not read
		keepOwner(f, p.info)
		err = f.Chmod(p.info.Mode().Perm())
	}
	w := bufio.NewWriterSize(f, 1<<16)
	if err := errors.Join(err, content(w), w.Flush(), f.Close()); err != nil {
		return oneOf(err)
	}
	return rename(f.Name(), p.path)
}

// oneOf returns the first of joined errors: a full disk fails every step after
// it.
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

// openReading opens a FIFO when somebody reads it. It asks again and again,
// since an open that waits could not be ended.
func openReading(ctx context.Context, path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if !errors.Is(err, syscall.ENXIO) {
			return f, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("nobody reads it: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// temporary is how the names of unfinished files begin.
const temporary = ".weft-"

// besideName returns a name for an unfinished file in the folder of path.
func besideName(path string, random uint64) string {
	dir, _ := filepath.Split(path)
	return fmt.Sprintf("%s%s%016x", dir, temporary, random)
}
