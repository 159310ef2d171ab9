package store

import "syscall"

// setLock is a lock of the process: FreeBSD has none of an open file. SQLite keeps the file open as long as the
// store is, so that the lock stays.
const setLock = syscall.F_SETLK
