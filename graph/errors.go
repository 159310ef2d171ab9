package graph

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// FileError is an error in a graph file, with its position.
type FileError struct {
	File string // as passed by the caller
	Line int    // from 1; 0 if the error is not in a particular line
	What string
	Err  error // the cause, or nil
}

// Error returns "file:line: what".
func (e *FileError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", shown(e.File), e.Line, e.What)
	}
	return fmt.Sprintf("%s: %s", shown(e.File), e.What)
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// shown returns a name or value for a message. If it contains unprintable characters, which
// could control a terminal, it is quoted with escapes.
func shown(s string) string {
	for _, r := range s {
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			return strconv.Quote(s)
		}
	}
	return s
}

// maxQuote is the number of bytes of a file that an error message quotes at most.
const maxQuote = 40

// quote returns a piece of a file for an error message, shortened and on one line.
func quote(b []byte) string {
	if len(b) > maxQuote {
		return fmt.Sprintf("%q...", b[:maxQuote])
	}
	return fmt.Sprintf("%q", b)
}
