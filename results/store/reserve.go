//go:build linux || darwin || freebsd

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"
)

// Reserve makes Reserve of other programs fail for this store, until release is called or the program ends,
// however it does. It protects nothing: two programs may add to a store at the same time. But two sweeps
// would run the same points.
func (s *Store) Reserve() (release func(), err error) {
	// Not the store itself: closing it would end the locks that SQLite has in this process.
	name := s.file + ".lock"
	for {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o666)
		if err != nil {
			return nil, err
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			text := make([]byte, 200)
			n, _ := f.Read(text) // it may just be written
			return nil, errors.Join(&Reserved{File: s.file, By: strings.TrimSpace(string(text[:n]))}, f.Close())
		}
		if err != nil && !errors.Is(err, syscall.ENOSYS) && !errors.Is(err, syscall.ENOTSUP) { // a file system without locks
			return nil, errors.Join(err, f.Close())
		}
		if removed(f, name) { // by a program that has ended meanwhile
			_ = f.Close()
			continue
		}
		host, _ := os.Hostname() // "" is better than no sweep
		_ = f.Truncate(0)
		_, _ = fmt.Fprintf(f, "process %d on %s, since %s\n", os.Getpid(), host, time.Now().Format(time.DateTime)) // only for messages
		return func() {
			_ = os.Remove(name)
			_ = f.Close()
		}, nil
	}
}

// removed reports whether an open file is no longer the one of that name.
func removed(f *os.File, name string) bool {
	mine, err := f.Stat()
	if err != nil {
		return true
	}
	now, err := os.Stat(name)
	return errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(mine, now)
}
