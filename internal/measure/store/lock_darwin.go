package store

// setLock is F_OFD_SETLK of fcntl, as on Linux.
const setLock = 90
