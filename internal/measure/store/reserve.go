//go:build linux || darwin || freebsd

package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// reservedByte is the byte of the file that Reserve locks. SQLite keeps its own locks in the 512 bytes from 1 GiB
// on, and no data in the page that has them (https://sqlite.org/fileformat2.html#lockbyte).
const reservedByte = 1<<30 + 1024

// Reserve makes Reserve of other programs fail for this store, until release is called or the program ends,
// however it does. It protects nothing: two programs may add to a store at the same time. But two sweeps
// would run the same points. What is locked is the file itself, so that its names and links do not matter and
// nothing is written beside it.
func (s *Store) Reserve() (release func(), err error) {
	if s.lock == nil {
		file, err := filepath.EvalSymlinks(s.file)
		if err != nil {
			return nil, err
		}
		if s.lock, err = os.OpenFile(file, os.O_RDWR|syscall.O_NOFOLLOW, 0); err != nil {
			return nil, err
		}
	}
	err = s.lockByte(syscall.F_WRLCK)
	switch {
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EACCES):
		return nil, &Reserved{File: s.file, By: s.sweeping()}
	case err != nil && !unsupported(err):
		return nil, fmt.Errorf("locking %s: %w", s.file, err)
	}
	host, _ := os.Hostname() // "" is better than no sweep
	by := fmt.Sprintf("process %d on %s, since %s", os.Getpid(), host, time.Now().Format(time.DateTime))
	// Only for messages, so that no error matters.
	_, _ = s.db.Exec("DELETE FROM sweeping; INSERT INTO sweeping VALUES (?)", by)
	return func() {
		_, _ = s.db.Exec("DELETE FROM sweeping")
		_ = s.lockByte(syscall.F_UNLCK) // the end of the program unlocks it too
	}, nil
}

// lockByte locks or unlocks the byte.
func (s *Store) lockByte(kind int16) error {
	return syscall.FcntlFlock(s.lock.Fd(), setLock, &syscall.Flock_t{Type: kind, Whence: io.SeekStart, Start: reservedByte, Len: 1})
}

// unsupported reports whether an error says that the file system has no locks.
func unsupported(err error) bool {
	for _, e := range []error{syscall.ENOSYS, syscall.ENOTSUP, syscall.EINVAL, syscall.ENOLCK} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// sweeping returns the process that has reserved the store, "" if it has not said so yet.
func (s *Store) sweeping() (by string) {
	_ = s.db.QueryRowContext(context.Background(), "SELECT process FROM sweeping").Scan(&by)
	return by
}
