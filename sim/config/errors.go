package config

import (
	"cmp"
	"slices"

	"github.com/weft-gpu/weft/internal/base/yamlfile"
)

// Errors are all mistakes in a machine's files, by file and place.
type Errors []FileError

// FileError is one mistake in a machine's file.
type FileError struct {
	Place
	What string // the mistake, and what to write instead
}

// Place is a position in a file; the first line and column are 1. Line 0 means the file as a whole.
type Place struct {
	File      string
	Line, Col int
}

// String returns "my.yaml:3:5", or only the file name if there is no line.
func (p Place) String() string { return yamlfile.Place(p).String() }

// Error returns the place and the mistake.
func (e FileError) Error() string { return e.Place.String() + ": " + e.What }

// Error returns one line for each mistake, at most 20.
func (e Errors) Error() string { return yamlfile.Lines(e) }

// sorted returns the errors in order of lines, or nil if there are none. Files stay in the order in which they were
// read.
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
