package graph

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// FileError says what is wrong with a graph file, and where.
type FileError struct {
	File string // as the caller named it
	Line int    // from 1; 0 when the error is not at a line
	What string
	Err  error // the cause, or nil
}

// Error is "file:line: what".
func (e *FileError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", shown(e.File), e.Line, e.What)
	}
	return fmt.Sprintf("%s: %s", shown(e.File), e.What)
}

// Unwrap is the cause.
func (e *FileError) Unwrap() error { return e.Err }

// shown is a name or value in a message: as it is, or in quotes with escapes
// where it has characters that are not printed and could steer a terminal.
func shown(s string) string {
	for _, r := range s {
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			return strconv.Quote(s)
		}
	}
	return s
}

// maxQuote is how many bytes of a file an error message quotes.
const maxQuote = 40

// quote shows a piece of a file in an error message, shortened, on one line.
func quote(b []byte) string {
	if len(b) > maxQuote {
		return fmt.Sprintf("%q...", b[:maxQuote])
	}
	return fmt.Sprintf("%q", b)
}
