// Package outfile writes the files that a user names on a command line.
//
// A regular file appears under its name only when it is complete: it is written
// to a temporary file in the same folder, which is then renamed. An existing
// file keeps its mode (and its owner, if the system allows that); a new one
// gets the mode that umask leaves. A symbolic link stays one, and its target is
// written. Everything else (a FIFO, a terminal, /dev/null) is written in place.
// Files without write permission are rejected, and so is a file that the same
// command reads or writes twice.
package outfile
