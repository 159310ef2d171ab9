package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Errors is all that is wrong with a machine's files, by file and place.
type Errors []FileError

// FileError is one mistake in a machine's file.
type FileError struct {
	Place
	What string // and what to write instead
}

// Place is where something stands in a file; the first line and column are 1. Line 0
// is the file as a whole.
type Place struct {
	File      string
	Line, Col int
}

// String is "my.yaml:3:5", and "" for no place.
func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Error is place and mistake.
func (e FileError) Error() string { return e.Place.String() + ": " + e.What }

// Error has a line for each mistake, of many for the first ones.
func (e Errors) Error() string {
	const many = 20
	var lines []string
	for _, x := range e[:min(len(e), many)] {
		lines = append(lines, x.Error())
	}
	if n := len(e) - many; n > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(lines, "\n")
}

// add notes a mistake.
func (e *Errors) add(at Place, format string, args ...any) {
	*e = append(*e, FileError{at, fmt.Sprintf(format, args...)})
}

// sorted is the errors in the order of lines, or nil for none. Files stay in the
// order in which they were read.
func (e Errors) sorted() error {
	if len(e) == 0 {
		return nil
	}
	var files []string
	for _, x := range e {
		if !slices.Contains(files, x.File) {
			files = append(files, x.File)
		}
	}
	slices.SortStableFunc(e, func(a, b FileError) int {
		return cmp.Or(cmp.Compare(slices.Index(files, a.File), slices.Index(files, b.File)),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return e
}
