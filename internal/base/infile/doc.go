// Package infile opens files that a user names for reading, so that no file
// makes the program wait forever or use up all memory: a pipe without a writer,
// a device, a file that is too large.
package infile
