package compile

import (
	"fmt"
	"sort"
	"strings"

	"github.com/weft-gpu/weft/internal/base/printable"
)

// Place is a position in a source file.
type Place struct {
	File      string // relative to the module: "kernels/bfs.go"
	Line, Col int
}

// String returns "file:line:col".
func (p Place) String() string {
	return fmt.Sprintf("%s:%d:%d", printable.Line(p.File), p.Line, p.Col)
}

// Error is one error in a device package.
type Error struct {
	At   Place
	Msg  string  // what is wrong, and what to write instead
	From []Place // the inlined calls, innermost first
}

// A longer chain of inlining is shortened to its innermost and outermost calls.
const (
	innerCalls = 8
	outerCalls = 3
)

// Error returns "file:line:col: what" followed by the chain of inlining.
func (e *Error) Error() string {
	var s strings.Builder
	if e.At.File != "" {
		s.WriteString(e.At.String())
		s.WriteString(": ")
	}
	for i, line := range strings.Split(e.Msg, "\n") { // text from a source contains no line ends
		if i > 0 {
			s.WriteByte('\n')
		}
		indent := len(line) - len(strings.TrimLeft(line, "\t"))
		s.WriteString(line[:indent] + printable.Line(line[indent:]))
	}
	for i, p := range e.From {
		switch left := len(e.From) - i; {
		case i < innerCalls || left <= outerCalls || len(e.From) <= innerCalls+outerCalls+1:
			fmt.Fprintf(&s, "\n\t%s: inlined from here", p)
		case i == innerCalls:
			fmt.Fprintf(&s, "\n\t... %d more calls", left-outerCalls)
		}
	}
	return s.String()
}

// Errors is the list of all errors of a package, sorted by position and without
// duplicates.
type Errors []*Error

// Error returns the errors one after the other, each on its own lines.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// tidy sorts errors and removes duplicates: an error in a function occurs again
// in each inlined copy.
func (es Errors) tidy() Errors {
	sort.SliceStable(es, func(i, j int) bool {
		a, b := es[i], es[j]
		switch {
		case a.At.File != b.At.File:
			return a.At.File < b.At.File
		case a.At.Line != b.At.Line:
			return a.At.Line < b.At.Line
		case a.At.Col != b.At.Col:
			return a.At.Col < b.At.Col
		}
		return a.Msg < b.Msg
	})
	out := es[:0]
	for _, e := range es {
		if n := len(out); n > 0 && out[n-1].At == e.At && out[n-1].Msg == e.Msg {
			continue
		}
		out = append(out, e)
	}
	return out
}
