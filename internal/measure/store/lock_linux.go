package store

// setLock is F_OFD_SETLK of fcntl: the lock belongs to the open file, so that no other opening of the file in this
// process ends it when it is closed.
const setLock = 37
